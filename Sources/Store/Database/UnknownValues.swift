import Format
import SQLite

/// The erased values for which the rows of a replica have placeholders.
///
/// A replica has such values if it ends before the transactions that set the values again. The table
/// is created when the first such value is replayed.
struct UnknownValues {
  private let connection: Connection
  private let layouts: [EntityLayout]

  init(_ connection: Connection, layouts: [EntityLayout]) {
    self.connection = connection
    self.layouts = layouts
  }

  private var table: String { connection.tables.unknown }

  var isEmpty: Bool {
    get throws { try !hasTable || !connection.hasRow("SELECT 1 FROM \(table) LIMIT 1") }
  }

  private var hasTable: Bool {
    get throws {
      try connection.hasRow("SELECT 1 FROM sqlite_schema WHERE name = '\(table)'")
    }
  }

  var count: Int64 {
    get throws {
      try hasTable ? connection.integer("SELECT count(*) FROM \(table)") ?? 0 : 0
    }
  }

  /// All unknown values of a store, each with the transaction whose value was erased.
  func all() throws -> [RowKey: [ColumnIndex: Int64]] {
    guard try hasTable else { return [:] }
    var result: [RowKey: [ColumnIndex: Int64]] = [:]
    let rows = try connection.prepare(
      "SELECT entity, object, property, transaction_id FROM \(table)"
    )
    while try rows.step() {
      let (entity, property) = (rows.string(at: 0), rows.string(at: 2))
      guard let layout = layouts.first(where: { $0.entity.name == entity }),
        let column = layout.column(of: property)
      else { continue }
      let key = RowKey(entity: layout.index, id: Self.id(at: rows))
      result[key, default: [:]][column] = rows.int64(at: 3)
    }
    return result
  }

  /// The properties of an object whose values are unknown; the table must exist.
  func properties(of key: RowKey) throws -> [String] {
    let statement = try connection.cached(
      "SELECT property FROM \(table) WHERE entity = ?1 AND object = ?2"
    )
    try statement.bind(1, layouts[key.entity].entity.name)
    try statement.bind(2, id(of: key))
    defer { statement.reset() }
    var result: [String] = []
    while try statement.step() { result.append(statement.string(at: 0)) }
    return result
  }

  /// Adds values that a transaction had before they were erased.
  func add(_ columns: [ColumnIndex], of key: RowKey, transaction: Int64) throws {
    guard !columns.isEmpty else { return }
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS \(table) (entity TEXT NOT NULL, object NOT NULL,
        property TEXT NOT NULL, transaction_id INTEGER NOT NULL,
        PRIMARY KEY (entity, object, property)) WITHOUT ROWID
      """
    )
    for column in columns {
      try connection.run(
        "INSERT OR REPLACE INTO \(table) VALUES (?1, ?2, ?3, ?4)",
        values: name(key, column) + [.integer(transaction)]
      )
    }
  }

  /// Removes values that are known again.
  func remove(_ columns: [ColumnIndex], of key: RowKey) throws {
    for column in columns {
      try connection.run(
        "DELETE FROM \(table) WHERE entity = ?1 AND object = ?2 AND property = ?3",
        values: name(key, column)
      )
    }
  }

  func removeAll(of key: RowKey) throws {
    try connection.run(
      "DELETE FROM \(table) WHERE entity = ?1 AND object = ?2",
      values: [.text(layouts[key.entity].entity.name), id(of: key)]
    )
  }

  /// Gives the entities and properties the names that they have after a migration.
  ///
  /// The closure returns nil for a property that the migration removed.
  func rename(
    _ successor: (_ entity: String, _ property: String) -> (entity: String, property: String)?
  ) throws {
    guard try hasTable else { return }
    let rows = try connection.all(
      "SELECT entity, object, property, transaction_id FROM \(table)"
    ) { ($0.string(at: 0), $0.value(at: 1), $0.string(at: 2), $0.int64(at: 3)) }
    try connection.execute("DELETE FROM \(table)")
    for (entity, object, property, transaction) in rows {
      guard let new = successor(entity, property) else { continue }
      try connection.run(
        "INSERT INTO \(table) VALUES (?1, ?2, ?3, ?4)",
        values: [
          .text(new.entity), object, .text(new.property), .integer(transaction),
        ]
      )
    }
  }

  /// Removes the table, because the placeholders become the values of a promoted store.
  static func removeTable(on connection: Connection) throws {
    try connection.execute("DROP TABLE IF EXISTS \(connection.tables.unknown)")
  }

  /// The id of an object, which is the second column.
  private static func id(at rows: Statement) -> ObjectID {
    guard rows.type(at: 1) == .text, let name = RowName(canonical: rows.bytes(at: 1)) else {
      return ObjectID(rows.int64(at: 1))
    }
    return ObjectID(name)
  }

  private func name(_ key: RowKey, _ column: ColumnIndex) -> [Value] {
    let layout = layouts[key.entity]
    return [
      .text(layout.entity.name), id(of: key), .text(layout.columns[column].property),
    ]
  }

  private func id(of key: RowKey) -> Value {
    key.id.text.map { .text($0) } ?? .integer(key.id.integer)
  }
}
