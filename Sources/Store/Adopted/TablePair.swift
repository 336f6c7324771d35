import Format
import SQLite

/// A table that continues a table of the previous schema: the rows have the same names in both.
struct TablePair {
  /// A column that the old table, the new table, or both of them have.
  struct Column {
    let name: String
    /// The place in the old table; nil for an added column.
    let old: Int?
    /// The place in the new table; nil for a removed column.
    let new: Int?
    /// The value that all old rows get in an added column.
    var initial = Value.null
  }

  let old: Entity
  let new: Entity
  /// Whether both tables have the same definition.
  let isSame: Bool
  /// The columns of the new table, and then the removed columns.
  ///
  /// An added column that SQLite computes is left out.
  private(set) var columns: [Column]
  private let sources: [String: String]
  /// The name with which SQL reads the rowid in a table with all of these columns; nil if the key
  /// identifies every row.
  private let rowid: String?

  /// Creates a pair; nil if the rows have other names in the new table.
  ///
  /// - Parameters:
  ///   - old: The table in the previous schema.
  ///   - new: The table in the new schema.
  ///   - sources: The old columns, by the names of the new columns that continue them.
  ///   - isSame: Whether both tables have the same definition.
  init?(from old: Entity, to new: Entity, sources: [String: String], isSame: Bool) {
    guard let identity = new.identity, let before = old.identity,
      identity.columns.map({ sources[$0] }) == before.columns,
      (identity.rowid == nil) == (before.rowid == nil)
    else { return nil }
    self.old = old
    self.new = new
    self.isSame = isSame
    self.sources = sources
    let places = Dictionary(old.attributes.enumerated().map { ($1.name, $0) }) { first, _ in first }
    columns = new.attributes.enumerated().compactMap { place, attribute in
      let source = sources[attribute.name].flatMap { places[$0] }
      if source == nil, attribute.isGenerated == true { return nil }
      return Column(name: attribute.name, old: source, new: place)
    }
    let kept = Set(sources.values)
    columns += old.attributes.enumerated().filter { !kept.contains($1.name) }.map {
      Column(name: $1.name, old: $0, new: nil)
    }
    let taken = Set(columns.map { $0.name.lowercased() })
    rowid = ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
    if identity.rowid != nil, rowid == nil { return nil }
  }

  /// Sets the initial value of each added column to its default, if the default is a literal.
  ///
  /// The statement that creates the table has the same literal. No other value may become an initial
  /// value, because a value in a schema can't be erased.
  mutating func findInitialValues(on connection: Connection) throws {
    let defaults = try connection.all(
      "SELECT name, type, dflt_value FROM pragma_table_xinfo(?1, 'main')",
      values: [.text(new.name)]
    ) { (name: $0.string(at: 0), type: $0.string(at: 1), text: $0.string(at: 2)) }
    for index in columns.indices where columns[index].old == nil {
      let name = columns[index].name
      guard let column = defaults.first(where: { $0.name == name }), isLiteral(column.text) else {
        continue
      }
      // SQLite converts the literal to the type of the column.
      let memory = try Connection(path: "", mode: .memory)
      try memory.execute(
        "CREATE TABLE made (value\(column.type.isEmpty ? "" : " " + quoted(column.type))"
          + " DEFAULT \(column.text));"
          + " INSERT INTO made DEFAULT VALUES"
      )
      let value = try memory.first("SELECT value FROM made") { $0.value(at: 0) }
      if let value, value.fitsSchema { columns[index].initial = value }
    }
  }

  // MARK: Schemas

  /// The table with the columns of both tables, and without constraints.
  var transitional: Entity {
    Entity(
      name: old.name,
      attributes: columns.map { column in
        Attribute(
          name: column.name,
          type: .any,
          isOptional: true,
          originalName: column.old.flatMap { place in
            let name = old.attributes[place].name
            return name == column.name ? nil : name
          },
          defaultValue: column.old == nil ? column.initial : nil
        )
      },
      identity: RowIdentity(
        columns: new.identity?.columns ?? [],
        rowid: new.identity?.rowid == nil ? nil : rowid
      )
    )
  }

  /// The statements that create the transitional table, with an index that finds rows by their key.
  ///
  /// `taken` has the names of other tables and indexes.
  func transitionalObjects(besides taken: Set<String>) -> [SchemaObject] {
    let table = quoted(old.name)
    let list = columns.map { quoted($0.name) }.joined(separator: ", ")
    let creation = "CREATE TABLE \(table) (\(list))"
    let object = SchemaObject(type: "table", name: old.name, table: old.name, sql: creation)
    guard let key = new.identity?.columns, !key.isEmpty else { return [object] }
    var name = old.name + "_key"
    while taken.contains(name) { name += "_" }
    let columns = key.map(quoted).joined(separator: ", ")
    let index = "CREATE INDEX \(quoted(name)) ON \(table) (\(columns))"
    return [object, SchemaObject(type: "index", name: name, table: old.name, sql: index)]
  }

  /// The new table, with the names in the schema before it.
  ///
  /// `isAfterTransition` says whether the schema before it has the transitional table.
  func successor(isAfterTransition: Bool) -> Entity {
    var entity = new
    if old.name != new.name { entity.originalName = old.name }
    guard !isAfterTransition else { return entity }
    let initial = Dictionary(columns.filter { $0.old == nil }.map { ($0.name, $0.initial) }) {
      first,
      _ in first
    }
    for index in entity.attributes.indices {
      let name = entity.attributes[index].name
      if let source = sources[name], source != name {
        entity.attributes[index].originalName = source
      }
      if let value = initial[name] { entity.attributes[index].defaultValue = value }
    }
    return entity
  }

  // MARK: Rows

  /// Calls the closure with each row that differs between the two tables, or that only one of them
  /// has, until the closure returns false.
  ///
  /// The values are in the order of ``columns``. `earlier` has the rows of the old table; it is nil
  /// if only values of added columns can differ.
  func compare(
    _ earlier: Table?,
    _ present: Table,
    _ body: (RowName, _ before: [Value]?, _ after: [Value]?) throws -> Bool
  ) throws {
    guard let earlier else { return try compareAddedColumns(present, body) }
    let old = try earlier.rows()
    while try old.step() {
      let (name, row) = try earlier.row(at: old)
      let before = values(before: row)
      let after = try present.find(name).map { values(after: $0) }
      if let after, isSame(before, after) { continue }
      guard try body(name, before, after) else { return }
    }
    let new = try present.rows()
    while try new.step() {
      let (name, row) = try present.row(at: new)
      guard try earlier.find(name) == nil else { continue }
      guard try body(name, nil, values(after: row)) else { return }
    }
  }

  private func compareAddedColumns(
    _ present: Table,
    _ body: (RowName, _ before: [Value]?, _ after: [Value]?) throws -> Bool
  ) throws {
    let added = columns.filter { $0.old == nil }
    guard !added.isEmpty else { return }
    let rows = try present.rows(except: added.map { ($0.name, $0.initial) })
    while try rows.step() {
      let (name, row) = try present.row(at: rows)
      let after = values(after: row)
      let before = zip(columns, after).map { $0.old == nil ? $0.initial : $1 }
      if isSame(before, after) { continue }
      guard try body(name, before, after) else { return }
    }
  }

  private func values(before row: [Value]) -> [Value] {
    columns.map { column in column.old.map { row[$0] } ?? column.initial }
  }

  private func values(after row: [Value]) -> [Value] {
    columns.map { column in column.new.map { row[$0] } ?? .null }
  }

  private func isSame(_ before: [Value], _ after: [Value]) -> Bool {
    zip(before, after).allSatisfy { $0.isSame(as: $1) }
  }
}

/// Whether the text of a default is a number, a text or a blob, and not an expression.
private func isLiteral(_ text: String) -> Bool {
  let quote = UInt8(ascii: "'")
  var bytes = Array(text.utf8)
  if let first = bytes.first, first == UInt8(ascii: "x") || first == UInt8(ascii: "X") {
    bytes.removeFirst()
  }
  guard bytes.first == quote else { return Int64(text) != nil || Double(text)?.isFinite == true }
  // Within a text, a quote is doubled.
  let inner = bytes.dropFirst().dropLast()
  guard bytes.count > 1, bytes.last == quote else { return false }
  var isOpen = false
  for byte in inner {
    if byte == quote { isOpen.toggle() } else if isOpen { return false }
  }
  return !isOpen
}

extension Value {
  /// Whether a schema can contain the value: it is small, and JSON can express it.
  fileprivate var fitsSchema: Bool {
    switch self {
    case .null, .integer: true
    // Other numbers have another spelling in logs.
    case .real(let number): number == 0 || (0.001..<1e15).contains(abs(number))
    case .text(let text): text.utf8.count <= 1000
    case .blob(let bytes): bytes.count <= 1000
    case .brokenText: false
    }
  }
}
