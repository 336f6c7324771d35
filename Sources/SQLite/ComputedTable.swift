import CSQLite
import Glibc

/// A table whose rows are those of a statement on another connection.
///
/// Statements can read the table like any other, and can't change it. Only the thread of both
/// connections may use it.
package protocol ComputedTable: AnyObject {
  /// The columns as in CREATE TABLE, each with its name, its type and its sort order.
  var declaration: String { get }

  /// Chooses how rows that fulfil some of the terms are read.
  func reading(_ terms: [ComputedTerm], of columns: ComputedColumns) -> ComputedReading

  /// Called before each reading with the values of its terms, which are nil unless they are integers
  /// or texts of valid UTF-8.
  func prepare(_ reading: String, values: [ComputedValue?]) throws

  /// A statement for a reading; it may be used for several readings with the same text.
  ///
  /// Each column of the statement is a column of the table, and its last column is the row ID. The
  /// statement may return rows that don't fulfil the terms, because SQLite compares the values again.
  ///
  /// - Parameters:
  ///   - reading: The text of the reading.
  ///   - numbers: For each value of a term, whether the value is a number.
  /// - Returns: The statement, whose parameters are the values of the terms.
  /// - Throws: Any error, which ``ComputedTables/failure`` then has.
  func statement(for reading: String, numbers: [Bool]) throws -> Statement
}

/// A value with which a column is compared.
package enum ComputedValue: Hashable, Sendable {
  case integer(Int64)
  case text(String)
}

/// A condition that a column equals a value.
package struct ComputedTerm: Hashable, Sendable {
  /// The number of the column; nil for the row ID.
  package let column: Int?
  /// The sort order with which the values are compared.
  package let collation: String
}

/// The columns that a statement uses.
package struct ComputedColumns: Sendable {
  fileprivate let mask: UInt64

  /// Whether the statement uses a column.
  package func contain(_ column: Int) -> Bool { mask & (1 << UInt64(min(column, 63))) != 0 }
}

/// A way to read rows of a table, and what it costs.
package struct ComputedReading: Hashable, Sendable {
  /// What the table needs for the statement.
  package var text: String
  /// The places of the terms whose values the statement gets, in the order of its parameters.
  package var terms: [Int]
  package var rows: Int64
  package var cost: Double
  package var isUnique: Bool

  package init(text: String, terms: [Int], rows: Int64, cost: Double, isUnique: Bool = false) {
    (self.text, self.terms, self.rows, self.cost) = (text, terms, rows, cost)
    self.isUnique = isUnique
  }
}

/// The computed tables of a connection.
package final class ComputedTables {
  fileprivate var tables: [any ComputedTable] = []
  /// The error of a table that made a statement fail.
  package fileprivate(set) var failure: (any Error)?
  private let connection: Connection

  /// Registers the tables' module at a connection.
  package init(on connection: Connection) throws {
    self.connection = connection
    let code = sqlite3_create_module_v2(
      connection.database,
      moduleName,
      module,
      Unmanaged.passRetained(Registry(self)).toOpaque(),
      { registry in
        guard let registry else { return }
        Unmanaged<Registry>.fromOpaque(registry).release()
      }
    )
    try connection.check(code)
  }

  /// Adds a table to an attached database.
  package func add(_ table: any ComputedTable, named name: String, in schema: String) throws {
    tables.append(table)
    try connection.execute(
      "CREATE VIRTUAL TABLE \(inQuotes(schema)).\(inQuotes(name))"
        + " USING \(moduleName)(\(tables.count - 1))"
    )
  }
}

private let moduleName = "travelog_past"

private func inQuotes(_ name: String) -> String {
  var result = [UInt8(ascii: "\"")]
  for byte in name.utf8 {
    result.append(byte)
    if byte == UInt8(ascii: "\"") { result.append(byte) }
  }
  return String(decoding: result + [UInt8(ascii: "\"")], as: UTF8.self)
}

/// What the module knows; the connection keeps it, so it must not keep the connection.
private final class Registry {
  weak var tables: ComputedTables?

  init(_ tables: ComputedTables) { self.tables = tables }
}

/// SQLite's room for a table, which begins with SQLite's own part.
private struct OpenTable {
  var base = sqlite3_vtab()
  var table: Unmanaged<TableHolder>
}

private final class TableHolder {
  let table: any ComputedTable
  weak var tables: ComputedTables?

  init(_ table: any ComputedTable, _ tables: ComputedTables) {
    (self.table, self.tables) = (table, tables)
  }
}

/// SQLite's room for a cursor, which begins with SQLite's own part.
private struct OpenCursor {
  var base = sqlite3_vtab_cursor()
  var rows: Unmanaged<CursorRows>
  /// The statement of the rows; nil at the end.
  var handle: OpaquePointer?
  /// The number of the last column, which is the row ID.
  var last: Int32 = 0
}

private final class CursorRows {
  var reading: (text: String, numbers: [Bool])?
  var statement: Statement?
}

private func table(_ base: UnsafeMutablePointer<sqlite3_vtab>?) -> TableHolder? {
  base.map {
    UnsafeMutableRawPointer($0).assumingMemoryBound(to: OpenTable.self).pointee.table
      .takeUnretainedValue()
  }
}

@inline(__always)
private func cursor(
  _ base: UnsafeMutablePointer<sqlite3_vtab_cursor>?
) -> UnsafeMutablePointer<OpenCursor>? {
  base.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: OpenCursor.self) }
}

/// A text that SQLite frees.
private func copied(_ text: String) -> UnsafeMutablePointer<CChar>? {
  let bytes = Array(text.utf8CString)
  let room = sqlite3_malloc64(UInt64(bytes.count))?.assumingMemoryBound(to: CChar.self)
  room?.update(from: bytes, count: bytes.count)
  return room
}

/// Fails with a message.
private func fail(
  _ base: UnsafeMutablePointer<sqlite3_vtab_cursor>?,
  _ text: String,
  code: Int32 = SQLITE_ERROR
) -> Int32 {
  guard let table = base?.pointee.pVtab else { return code }
  sqlite3_free(table.pointee.zErrMsg)
  table.pointee.zErrMsg = copied(text)
  return code
}

private func connect(
  _ database: OpaquePointer?,
  _ context: UnsafeMutableRawPointer?,
  _ count: Int32,
  _ arguments: UnsafePointer<UnsafePointer<CChar>?>?,
  _ result: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  guard count > 3, let context, let text = arguments?[3], let index = Int(String(cString: text)),
    let tables = Unmanaged<Registry>.fromOpaque(context).takeUnretainedValue().tables,
    tables.tables.indices.contains(index)
  else {
    error?.pointee = copied("statements can't make such tables")
    return SQLITE_ERROR
  }
  let table = tables.tables[index]
  let code = sqlite3_declare_vtab(database, "CREATE TABLE x(\(table.declaration))")
  guard code == SQLITE_OK else { return code }
  let room = UnsafeMutablePointer<OpenTable>.allocate(capacity: 1)
  room.initialize(to: OpenTable(table: .passRetained(TableHolder(table, tables))))
  result?.pointee = UnsafeMutableRawPointer(room).assumingMemoryBound(to: sqlite3_vtab.self)
  return SQLITE_OK
}

private func disconnect(_ base: UnsafeMutablePointer<sqlite3_vtab>?) -> Int32 {
  guard let base else { return SQLITE_OK }
  let room = UnsafeMutableRawPointer(base).assumingMemoryBound(to: OpenTable.self)
  room.pointee.table.release()
  room.deallocate()
  return SQLITE_OK
}

private func choose(
  _ base: UnsafeMutablePointer<sqlite3_vtab>?,
  _ info: UnsafeMutablePointer<sqlite3_index_info>?
) -> Int32 {
  guard let table = table(base)?.table, let info else { return SQLITE_ERROR }
  var terms: [ComputedTerm] = []
  var places: [Int] = []
  for index in 0..<Int(info.pointee.nConstraint) {
    let constraint = info.pointee.aConstraint[index]
    guard constraint.usable != 0, Int32(constraint.op) == SQLITE_INDEX_CONSTRAINT_EQ,
      let collation = sqlite3_vtab_collation(info, Int32(index))
    else { continue }
    let column = constraint.iColumn < 0 ? nil : Int(constraint.iColumn)
    terms.append(ComputedTerm(column: column, collation: String(cString: collation)))
    places.append(index)
  }
  let columns = ComputedColumns(mask: info.pointee.colUsed)
  let reading = table.reading(terms, of: columns)
  for (argument, term) in reading.terms.enumerated() {
    info.pointee.aConstraintUsage[places[term]].argvIndex = Int32(argument) + 1
  }
  info.pointee.idxStr = copied(reading.text)
  info.pointee.needToFreeIdxStr = 1
  info.pointee.estimatedCost = reading.cost
  info.pointee.estimatedRows = reading.rows
  if reading.isUnique { info.pointee.idxFlags = SQLITE_INDEX_SCAN_UNIQUE }
  return SQLITE_OK
}

private func begin(
  _ base: UnsafeMutablePointer<sqlite3_vtab_cursor>?,
  _ number: Int32,
  _ text: UnsafePointer<CChar>?,
  _ count: Int32,
  _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
  guard let cursor = cursor(base), let holder = table(base?.pointee.pVtab), let text else {
    return SQLITE_ERROR
  }
  let rows = cursor.pointee.rows.takeUnretainedValue()
  let values = (0..<Int(count)).map { arguments?[$0] }
  let numbers = values.map {
    [SQLITE_INTEGER, SQLITE_FLOAT].contains(sqlite3_value_type($0))
  }
  let reading = String(cString: text)
  do {
    try holder.table.prepare(reading, values: values.map(integerOrText))
    var statement = rows.reading.map { $0 == (reading, numbers) } == true ? rows.statement : nil
    if statement == nil {
      statement = try holder.table.statement(for: reading, numbers: numbers)
      rows.reading = (reading, numbers)
      rows.statement = statement
    }
    guard let handle = statement?.handle else { return SQLITE_ERROR }
    sqlite3_reset(handle)
    for (index, value) in values.enumerated() where index < sqlite3_bind_parameter_count(handle) {
      let code = sqlite3_bind_value(handle, Int32(index) + 1, value)
      guard code == SQLITE_OK else { return code }
    }
    cursor.pointee.handle = handle
    cursor.pointee.last = sqlite3_column_count(handle) - 1
    return advance(base)
  } catch {
    holder.tables?.failure = error
    return fail(base, (error as? SQLiteError)?.message ?? "\(error)")
  }
}

private func integerOrText(_ value: OpaquePointer?) -> ComputedValue? {
  switch sqlite3_value_type(value) {
  case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
  case SQLITE_TEXT:
    guard let text = sqlite3_value_text(value) else { return nil }
    let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
    return String(validating: bytes, as: UTF8.self).map { .text($0) }
  default: return nil
  }
}

private func advance(_ base: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 {
  guard let cursor = cursor(base), let handle = cursor.pointee.handle else { return SQLITE_OK }
  let code = sqlite3_step(handle)
  if code == SQLITE_ROW { return SQLITE_OK }
  cursor.pointee.handle = nil
  guard code != SQLITE_DONE else { return SQLITE_OK }
  let text = sqlite3_errmsg(sqlite3_db_handle(handle)).map { String(cString: $0) }
  sqlite3_reset(handle)
  return fail(base, text ?? "unknown error", code: code)
}

/// The functions with which SQLite reads the tables.
private nonisolated(unsafe) let module: UnsafePointer<sqlite3_module> = {
  let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
  module.initialize(to: sqlite3_module())
  module.pointee.xCreate = { connect($0, $1, $2, $3, $4, $5) }
  module.pointee.xConnect = { connect($0, $1, $2, $3, $4, $5) }
  module.pointee.xBestIndex = { choose($0, $1) }
  module.pointee.xDisconnect = { disconnect($0) }
  module.pointee.xDestroy = { disconnect($0) }
  module.pointee.xOpen = { _, result in
    let room = UnsafeMutablePointer<OpenCursor>.allocate(capacity: 1)
    room.initialize(to: OpenCursor(rows: .passRetained(CursorRows())))
    result?.pointee = UnsafeMutableRawPointer(room).assumingMemoryBound(
      to: sqlite3_vtab_cursor.self
    )
    return SQLITE_OK
  }
  module.pointee.xClose = { base in
    guard let cursor = cursor(base) else { return SQLITE_OK }
    cursor.pointee.rows.release()
    cursor.deallocate()
    return SQLITE_OK
  }
  module.pointee.xFilter = { begin($0, $1, $2, $3, $4) }
  module.pointee.xNext = { advance($0) }
  module.pointee.xEof = { cursor($0)?.pointee.handle == nil ? 1 : 0 }
  module.pointee.xColumn = { base, context, column in
    guard let handle = cursor(base)?.pointee.handle else { return SQLITE_ERROR }
    sqlite3_result_value(context, sqlite3_column_value(handle, column))
    return SQLITE_OK
  }
  module.pointee.xRowid = { base, rowid in
    guard let cursor = cursor(base), let handle = cursor.pointee.handle else { return SQLITE_ERROR }
    guard sqlite3_column_type(handle, cursor.pointee.last) == SQLITE_INTEGER else {
      return fail(
        base,
        "SQLite needs the row IDs of the table, which are not in its history; name the columns of its"
          + " key, and write + before the columns in conditions with OR, as in +a = 1 OR +b = 2"
      )
    }
    rowid?.pointee = sqlite3_column_int64(handle, cursor.pointee.last)
    return SQLITE_OK
  }
  return UnsafePointer(module)
}()
