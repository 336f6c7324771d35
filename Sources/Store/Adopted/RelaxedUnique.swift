import Adoption
import Format
import SQLite

/// The tables of a replica whose UNIQUE constraints are removed because rows violate them.
///
/// If some changes of a program were not captured, its history can have a moment at which two rows
/// have the same unique value. SQLite can't drop the index of a constraint. So the definition of the
/// table loses the constraint, and its index becomes an ordinary index with another name, whose
/// pages are the same.
enum RelaxedUnique {
  /// Removes the UNIQUE constraints of a table.
  ///
  /// - Returns: Whether the table had such constraints.
  static func relax(_ table: String, on connection: Connection) throws -> Bool {
    guard let names = AdoptedFile.names(on: connection),
      let sql = try definition(of: table, on: connection)
    else { return false }
    let indexes = try automaticIndexes(of: table, on: connection)
    guard indexes.contains(where: { !$0.isKey }) else { return false }
    try rewritingSchema(on: connection) {
      try rename(table, as: definitionWithoutUnique(sql), on: connection)
      for index in indexes where !index.isKey {
        let name = "\(names.prefix)unique_\(index.name)"
        let text = "CREATE INDEX \(quoted(name)) ON \(quoted(table)) (\(index.columns))"
        try rename(index.name, to: name, sql: .text(text), on: connection)
      }
      // SQLite numbers the indexes of a table in the order of its constraints.
      for index in indexes where index.isKey {
        try rename(index.name, to: "sqlite_autoindex_\(table)_1", sql: .null, on: connection)
      }
    }
    return true
  }

  /// Restores the UNIQUE constraints that rows no longer violate.
  ///
  /// - Returns: The columns of the constraints that the replica still lacks.
  static func restore(_ schema: StoreSchema, on connection: Connection) throws -> [String] {
    guard let names = AdoptedFile.names(on: connection) else { return [] }
    let relaxed = try connection.all(
      "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index' AND name GLOB ?1",
      values: [.text("\(names.prefix)unique_*")]
    ) { (name: $0.string(at: 0), table: $0.string(at: 1)) }
    var lacking: [String] = []
    for table in Set(relaxed.map(\.table)).sorted() {
      let indexes = relaxed.filter { $0.table == table }.map(\.name)
      let violated = try indexes.filter {
        try isViolated($0, of: table, on: connection)
      }
      if violated.isEmpty, try restore(table, indexes, schema, on: connection) { continue }
      lacking += try (violated.isEmpty ? indexes : violated).map {
        "\(table) (\(try columns(of: $0, on: connection)))"
      }
    }
    return lacking
  }

  private static func restore(
    _ table: String,
    _ indexes: [String],
    _ schema: StoreSchema,
    on connection: Connection
  ) throws -> Bool {
    guard
      let sql = schema.adopted?.first(where: { $0.type == "table" && $0.name == table })?.sql,
      try definition(of: table, on: connection) == definitionWithoutUnique(sql)
    else { return false }
    // A new table has the right names of the indexes.
    let model = try Connection(path: "", mode: .memory)
    try model.execute(relaxedDefinition(sql))
    var wanted = try automaticIndexes(of: table, on: model)
    try rewritingSchema(on: connection) {
      for index in try automaticIndexes(of: table, on: connection) {
        guard let name = wanted.first(where: \.isKey)?.name else { continue }
        try rename(index.name, to: name, sql: .null, on: connection)
      }
      for index in indexes {
        let columns = try columns(of: index, on: connection)
        guard let place = wanted.firstIndex(where: { !$0.isKey && $0.columns == columns }) else {
          throw Catalog.damaged(at: connection.path)
        }
        try rename(index, to: wanted.remove(at: place).name, sql: .null, on: connection)
      }
      try rename(table, as: sql, on: connection)
    }
    return true
  }

  // MARK: Definitions

  private typealias Index = (name: String, isKey: Bool, columns: String)

  /// The indexes that SQLite made for constraints of a table.
  private static func automaticIndexes(
    of table: String,
    on connection: Connection
  ) throws -> [Index] {
    try connection.all(
      """
      SELECT list.name, list.origin = 'pk' FROM pragma_index_list(?1) AS list
        JOIN sqlite_schema AS object ON object.name = list.name
        WHERE object.type = 'index' AND object.sql IS NULL
      """,
      values: [.text(table)]
    ) {
      (name: $0.string(at: 0), isKey: $0.int64(at: 1) == 1, columns: "")
    }.map { index in
      var index = index
      index.columns = try columns(of: index.name, on: connection)
      return index
    }
  }

  /// The columns of an index, as CREATE INDEX names them.
  private static func columns(of index: String, on connection: Connection) throws -> String {
    try connection.all(
      "SELECT name, coll, \"desc\" FROM pragma_index_xinfo(?1) WHERE key ORDER BY seqno",
      values: [.text(index)]
    ) {
      "\(quoted($0.string(at: 0))) COLLATE \(quoted($0.string(at: 1)))"
        + ($0.int64(at: 2) == 1 ? " DESC" : "")
    }.joined(separator: ", ")
  }

  private static func isViolated(
    _ index: String,
    of table: String,
    on connection: Connection
  ) throws -> Bool {
    let names = try connection.all(
      "SELECT name, coll FROM pragma_index_xinfo(?1) WHERE key ORDER BY seqno",
      values: [.text(index)]
    ) { (quoted($0.string(at: 0)), quoted($0.string(at: 1))) }
    let present = names.map { "\($0.0) IS NOT NULL" }.joined(separator: " AND ")
    let groups = names.map { "\($0.0) COLLATE \($0.1)" }.joined(separator: ", ")
    return try connection.hasRow(
      "SELECT 1 FROM \(quoted(table)) WHERE \(present) GROUP BY \(groups) HAVING count(*) > 1"
    )
  }

  private static func definition(of table: String, on connection: Connection) throws -> String? {
    try connection.first(
      "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1",
      values: [.text(table)]
    ) { $0.string(at: 0) }
  }

  private static func rename(
    _ table: String,
    as sql: String,
    on connection: Connection
  ) throws {
    try connection.run(
      "UPDATE sqlite_schema SET sql = ?2 WHERE type = 'table' AND name = ?1",
      values: [.text(table), .text(sql)]
    )
  }

  private static func rename(
    _ index: String,
    to name: String,
    sql: Value,
    on connection: Connection
  ) throws {
    try connection.run(
      "UPDATE sqlite_schema SET name = ?2, sql = ?3 WHERE type = 'index' AND name = ?1",
      values: [.text(index), .text(name), sql]
    )
  }
}
