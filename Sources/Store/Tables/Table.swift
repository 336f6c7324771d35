import Changes
import SQLite

/// The statements that read and write the rows of one table by their names.
final class Table {
  let layout: EntityLayout
  let encoder: ObjectEncoder
  private let identity: RowIdentity
  /// The columns of the table's key, in their order in the key.
  let key: [ColumnIndex]
  let connection: Connection
  /// Whether SQLite computes the values of some columns.
  let hasGenerated: Bool
  private var finding: [Int: Statement] = [:]

  init(_ connection: Connection, layout: EntityLayout, layouts: [EntityLayout]) {
    self.connection = connection
    self.layout = layout
    hasGenerated = layout.entity.attributes.contains { $0.isGenerated == true }
    identity = layout.entity.identity ?? RowIdentity(columns: [])
    key = identity.columns.compactMap { layout.column(of: $0) }
    encoder = ObjectEncoder(layout, layouts: layouts)
  }

  /// Creates a table with only its first columns, as it was before a program added the others; nil if
  /// the table has fewer columns.
  ///
  /// SQLite adds columns only at the end of a table.
  convenience init?(
    _ connection: Connection,
    named name: String,
    of schema: StoreSchema,
    columns count: Int
  ) throws {
    var schema = schema
    guard let index = schema.entities.firstIndex(where: { $0.name == name }),
      schema.entities[index].attributes.count >= count
    else { return nil }
    schema.entities[index].attributes.removeSubrange(count...)
    let layouts = try schema.layouts()
    guard let layout = layouts.first(where: { $0.entity.name == name }) else { return nil }
    self.init(connection, layout: layout, layouts: layouts)
  }

  /// The columns of the SELECT statements: the rowid or NULL, and then all columns of the table.
  private var list: String {
    ([identity.rowid.map(quoted) ?? "NULL"] + layout.columns.map(\.quoted))
      .joined(separator: ", ")
  }

  func rows() throws -> Statement {
    try connection.prepare("SELECT \(list) FROM \(layout.table)")
  }

  func row(at statement: Statement) throws -> (name: RowName, values: [Value]) {
    let values = layout.columns.indices.map {
      statement.value(at: Int32(truncatingIfNeeded: $0) + 1)
    }
    return (try name(at: statement), values)
  }

  private func name(at statement: Statement) throws -> RowName {
    try name(
      ofKey: key.map { statement.value(at: Int32(clamping: $0.number) + 1) },
      rowid: statement.isNull(at: 0) ? nil : statement.int64(at: 0)
    )
  }

  /// Whether the rowid can identify a row.
  var hasRowid: Bool { identity.rowid != nil }

  /// The number of values that are captured of a row: the rowid if it can identify a row, and all
  /// columns.
  var capturedCount: Int { layout.columns.count + (hasRowid ? 1 : 0) }

  /// The name of a row with these values, which are in the order of the columns.
  func name(of values: [Value], rowid: Int64?) throws -> RowName {
    try name(ofKey: key.map { values[$0] }, rowid: rowid)
  }

  /// The name of a row with these values of the key, which are in the order of the key.
  func name(ofKey key: [Value], rowid: Int64?) throws -> RowName {
    guard let name = RowName(key: key, rowid: rowid) else {
      throw HistoryFailure.damaged(.unreadable(0, "a row of \(layout.entity.name) has no key"))
        .at(connection.path)
    }
    return name
  }

  // MARK: One row

  /// The SQL condition that finds a row by name, and the values of the condition's parameters.
  ///
  /// Two keys are equal only if their bytes are equal, whatever the collation of the index.
  func condition(_ name: RowName) -> (sql: String, values: [Value])? {
    switch name.identity {
    case .integer(let number) where key.isEmpty:
      return ("\(rowidName) = ?1", [.integer(number)])
    case .integer(let number): return (keyCondition, [.integer(number)])
    case .key(let values) where values.count == key.count: return (keyCondition, values)
    case .rowid(let number): return ("\(rowidName) = ?1", [.integer(number)])
    case .key, nil: return nil
    }
  }

  var rowidName: String { identity.rowid.map(quoted) ?? "rowid" }

  /// The rowid that must be written with a row whose name is its rowid; nil for other rows.
  func isRowid(_ name: RowName) -> Int64? {
    switch name.identity {
    case .integer(let number) where key.isEmpty: number
    case .rowid(let number): number
    default: nil
    }
  }

  private var keyCondition: String {
    key.enumerated().map { place, column in
      let name = layout.columns[column].quoted
      let parameter = "?\(place + 1)"
      return "\(name) = \(parameter) AND \(name) = \(parameter) COLLATE BINARY"
        + " AND typeof(\(name)) = typeof(\(parameter))"
    }.joined(separator: " AND ")
  }

  /// The values of the row with this name; nil if the table has no such row.
  func find(_ name: RowName) throws -> [Value]? { try find(name) { try row(at: $0).values } }

  /// The fingerprint of the row with this name; ``RowState/absent`` if the table has no such row.
  func fingerprint(_ name: RowName) throws -> Int64 {
    let columns = 1..<Int32(clamping: layout.columns.count) + 1
    return try find(name) { $0.fingerprint(of: columns) } ?? RowState.absent
  }

  private func find<Result>(
    _ name: RowName,
    read: (Statement) throws -> Result
  ) throws -> Result? {
    guard let (condition, values) = condition(name) else { return nil }
    let kind = isRowid(name) == nil ? 0 : 1
    let statement =
      try finding[kind]
      ?? connection.prepare("SELECT \(list) FROM \(layout.table) WHERE \(condition)")
    finding[kind] = statement
    defer { statement.reset() }
    for (index, value) in values.enumerated() {
      try statement.bind(Int32(truncatingIfNeeded: index) + 1, value)
    }
    while try statement.step() {
      if try self.name(at: statement) == name { return try read(statement) }
    }
    return nil
  }
}
