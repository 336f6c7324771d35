import Format
import SQLite

/// The statements that read and write the rows of one table, each prepared when first used.
///
/// In a store of the library, the key is an INTEGER named `id`, and Travelog applies the delete
/// rules. In an adopted file, the program chose the key and the types, and SQLite enforces the rules
/// of the program.
final class Table {
  struct UpdatePlan {
    let reading: Statement
    let writing: Statement
  }

  /// The statements for rows that are found by their key, or for rows that are found by their rowid.
  final class Way {
    /// The SQL condition that finds a row.
    ///
    /// Its parameters are the first of a statement.
    let condition: String
    /// The number of the first parameter after those of the condition.
    let next: Int32
    var reading: Statement?
    var insertion: Statement?
    var removal: Statement?
    var naming: Statement?
    var anyUpdate: Statement?
    var plans = ColumnPlans<UpdatePlan>()

    init(_ condition: String, parameters: Int) {
      self.condition = condition
      next = Int32(clamping: parameters) + 1
    }
  }

  let layout: EntityLayout
  private let layouts: [EntityLayout]
  private(set) lazy var encoder = ObjectEncoder(layout, layouts: layouts)
  /// The columns of the table's key, in their order in the key; empty if only the rowid identifies a
  /// row, as the `id` of a store does.
  let key: [ColumnIndex]
  /// The quoted name of the rowid; nil if no row of the table is identified by its rowid.
  private let rowid: String?
  let connection: Connection
  /// Whether SQLite computes the values of some columns.
  let hasGenerated: Bool
  let external: [ColumnIndex]
  let texts: TextRoom
  let byKey: Way
  let byRowid: Way
  private var finding: [[ColumnIndex]: Statement] = [:]

  init(
    _ connection: Connection,
    layout: EntityLayout,
    layouts: [EntityLayout],
    texts: TextRoom = TextRoom()
  ) {
    self.connection = connection
    self.layout = layout
    self.layouts = layouts
    self.texts = texts
    hasGenerated = layout.entity.attributes.contains { $0.isGenerated == true }
    external = layout.columns.indexes { $0.isExternal }
    let identity =
      layout.entity.identity
      ?? RowIdentity(columns: [], rowid: connection.tablePrefix == nil ? "id" : nil)
    rowid = identity.rowid.map(quoted)
    key = identity.columns.compactMap { layout.column(of: $0) }
    // Two keys are equal only if their bytes are equal, whatever the collation of the index.
    let conditions = key.enumerated().map { place, column in
      let name = layout.columns[column].quoted
      let parameter = "?\(place + 1)"
      return "\(name) = \(parameter) AND \(name) = \(parameter) COLLATE BINARY"
        + " AND typeof(\(name)) = typeof(\(parameter))"
    }
    byKey = Way(conditions.joined(separator: " AND "), parameters: key.count)
    byRowid = Way("\(rowid ?? "rowid") = ?1", parameters: 1)
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
  var list: String {
    ([rowid ?? "NULL"] + layout.columns.map(\.quoted)).joined(separator: ", ")
  }

  func rows() throws -> Statement {
    try connection.prepare("SELECT \(list) FROM \(layout.table)")
  }

  /// The rows in which at least one of some columns has another value than the given one.
  ///
  /// SQL does not distinguish negative zero from zero, so zero as a real number selects all rows.
  func rows(except values: [(column: String, value: Value)]) throws -> Statement {
    guard !values.contains(where: { $0.value == .real(0) }) else { return try rows() }
    let conditions = values.enumerated().map { place, term in
      let (name, parameter) = (quoted(term.column), "?\(place + 1)")
      return "\(name) IS \(parameter) COLLATE BINARY AND typeof(\(name)) = typeof(\(parameter))"
    }
    let statement = try connection.prepare(
      "SELECT \(list) FROM \(layout.table) WHERE NOT (\(conditions.joined(separator: " AND ")))"
    )
    for (place, term) in values.enumerated() {
      try statement.bind(Int32(clamping: place) + 1, term.value)
    }
    return statement
  }

  func row(at statement: Statement) throws -> (name: RowName, values: [Value]) {
    (try name(at: statement), values(at: statement))
  }

  func values(at statement: Statement) -> [Value] {
    layout.columns.indices.map { statement.value(at: Int32(truncatingIfNeeded: $0) + 1) }
  }

  // MARK: Names

  /// Whether an integer identifies each row, in whose order the rows can be read.
  var isNumbered: Bool { key.isEmpty }

  /// The id of the row that a statement with ``list`` has reached.
  func id(at statement: Statement) throws -> ObjectID {
    isNumbered ? ObjectID(statement.int64(at: 0)) : ObjectID(try name(at: statement))
  }

  private func name(at statement: Statement) throws -> RowName {
    try name(
      ofKey: key.map { statement.value(at: Int32(clamping: $0.number) + 1) },
      rowid: statement.isNull(at: 0) ? nil : statement.int64(at: 0)
    )
  }

  /// Appends the canonical name of the row that a statement with ``list`` has reached.
  func appendName(at statement: Statement, to bytes: inout [UInt8]) throws {
    let column = key.isEmpty ? 0 : key.count == 1 ? Int32(clamping: key[0].number) + 1 : nil
    if let column, statement.type(at: column) == .integer {
      appendInteger(statement.int64(at: column), to: &bytes)
    } else {
      bytes += try name(at: statement).bytes
    }
  }

  /// Whether the rowid can identify a row.
  var hasRowid: Bool { rowid != nil }

  var rowidName: String { rowid ?? "rowid" }

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
      throw unreadableTransaction(
        0,
        "a row of \(layout.entity.name) has no key",
        at: connection.path
      )
    }
    return name
  }

  /// The quoted columns that identify a row, with their values; nil if the name is not one of this
  /// table.
  func identity(of name: RowName) -> [(column: String, value: Value)]? {
    let identity = name.identity
    guard let way = way(identity) else { return nil }
    let columns = way === byRowid ? [rowidName] : key.map { layout.columns[$0].quoted }
    switch identity {
    case .integer(let number), .rowid(let number): return [(columns[0], .integer(number))]
    case .key(let values): return zip(columns, values).map { (column: $0, value: $1) }
    case nil: return nil
    }
  }

  /// The rowid that identifies a row; nil if its key identifies it.
  func rowid(of id: ObjectID) -> Int64? {
    switch identity(of: id) {
    case .integer(let number) where key.isEmpty: number
    case .rowid(let number): number
    default: nil
    }
  }

  func identity(of id: ObjectID) -> RowName.Identity? {
    id.text == nil ? .integer(id.integer) : RowName(id).identity
  }

  func way(_ identity: RowName.Identity?) -> Way? {
    switch identity {
    case .integer where key.isEmpty, .rowid: byRowid
    case .integer: key.count == 1 ? byKey : nil
    case .key(let values): values.count == key.count ? byKey : nil
    case nil: nil
    }
  }

  func bind(_ statement: Statement, _ identity: RowName.Identity?) throws {
    switch identity {
    case .integer(let number), .rowid(let number): try statement.bind(1, number)
    case .key(let values):
      for (index, value) in values.enumerated() {
        try statement.bind(Int32(truncatingIfNeeded: index) + 1, value)
      }
    case nil: break
    }
  }

  // MARK: One row

  /// The values of the row with this id; nil if the table has no such row.
  func find(_ id: ObjectID) throws -> [Value]? {
    guard id.text == nil, key.isEmpty else { return try find(RowName(id)) }
    return try find(.integer(id.integer), name: nil, read: values)
  }

  /// The values of the row with this name; nil if the table has no such row.
  func find(_ name: RowName) throws -> [Value]? {
    try find(name.identity, name: name, read: values)
  }

  /// The fingerprint of the row with this name; ``RowState/absent`` if the table has no such row.
  func fingerprint(_ name: RowName) throws -> Int64 {
    let columns = 1..<Int32(clamping: layout.columns.count) + 1
    return try find(name.identity, name: name) { $0.fingerprint(of: columns) } ?? RowState.absent
  }

  /// `name` is compared with the name of the row that the key finds; nil if they can't differ.
  private func find<Result>(
    _ identity: RowName.Identity?,
    name: RowName?,
    read: (Statement) throws -> Result
  ) throws -> Result? {
    guard let way = way(identity) else { return nil }
    let statement =
      try way.reading
      ?? connection.prepare("SELECT \(list) FROM \(layout.table) WHERE \(ofFamily(way.condition))")
    way.reading = statement
    defer { statement.reset() }
    try bind(statement, identity)
    while try statement.step() {
      if try name == nil || self.name(at: statement) == name { return try read(statement) }
    }
    return nil
  }

  /// A condition for the rows of the entity and of the entities that inherit from it.
  private func ofFamily(_ condition: String) -> String {
    condition + (layout.condition.map { " AND \($0)" } ?? "")
  }

  /// The entity of a row; nil if there is no such row.
  func entityName(_ id: ObjectID) throws -> String? {
    let identity = identity(of: id)
    guard let way = way(identity) else { return nil }
    let statement =
      try way.naming
      ?? connection.prepare(
        "SELECT \(layout.sharesTable ? "\"_entity\"" : literal(layout.entity.name))"
          + " FROM \(layout.table) WHERE \(way.condition)"
      )
    way.naming = statement
    try bind(statement, identity)
    defer { statement.reset() }
    return try statement.step() ? statement.string(at: 0) : nil
  }

  /// The values of some columns of a row; nil if the table has no such row.
  func values(_ id: ObjectID, columns: [ColumnIndex]) throws -> [Value]? {
    let identity = identity(of: id)
    guard let way = way(identity), let statement = try plan(columns, way)?.reading else {
      return try find(id).map { row in columns.map { row[$0] } }
    }
    try bind(statement, identity)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return columns.indices.map { statement.value(at: Int32(truncatingIfNeeded: $0)) }
  }

  /// The id of a row with these values, in the entity or an entity that inherits from it.
  func find(_ columns: [ColumnIndex], values: [Value]) throws -> Int64? {
    let statement = try finding[columns] ?? prepareFinding(columns)
    finding[columns] = statement
    for (index, value) in values.enumerated() {
      try statement.bind(Int32(truncatingIfNeeded: index) + 1, value)
    }
    defer { statement.reset() }
    return try statement.step() ? statement.int64(at: 0) : nil
  }

  private func prepareFinding(_ columns: [ColumnIndex]) throws -> Statement {
    let conditions = columns.enumerated().map {
      "\(layout.columns[$0.element].quoted) IS ?\($0.offset + 1)"
    }
    return try connection.prepare(
      "SELECT \(rowidName) FROM \(layout.table)"
        + " WHERE \(ofFamily(conditions.joined(separator: " AND ")))"
    )
  }

  /// The plan of an UPDATE; nil for columns that are rarely updated together.
  func plan(_ columns: [ColumnIndex], _ way: Way) throws -> UpdatePlan? {
    try way.plans.plan(for: columns) {
      let names = columns.map { layout.columns[$0].quoted }
      let settings = names.enumerated().map { "\($0.element) = ?\($0.offset + Int(way.next))" }
      return UpdatePlan(
        reading: try connection.prepare(
          "SELECT \(names.joined(separator: ", ")) FROM \(layout.table)"
            + " WHERE \(ofFamily(way.condition))"
        ),
        writing: try connection.prepare(
          "UPDATE OR ABORT \(layout.table) SET \(settings.joined(separator: ", "))"
            + " WHERE \(way.condition)"
        )
      )
    }
  }
}
