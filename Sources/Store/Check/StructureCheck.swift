import Format
import SQLite

/// Compares the tables, views, indexes and triggers of a store with those of a new store.
struct StructureCheck {
  private struct Item: Hashable {
    let type: String
    let name: String
    let table: String
    let sql: String
  }

  private let connection: Connection
  private let schema: StoreSchema

  init(_ connection: Connection, schema: StoreSchema) {
    self.connection = connection
    self.schema = schema
  }

  func run(_ body: (CheckFinding) throws -> Void) throws {
    try IntegrityCheck(connection).run(body)
    let references = try connection.prepare("PRAGMA foreign_key_check")
    while try references.step() {
      try body(
        .danglingReference(
          table: references.string(at: 0),
          row: references.isNull(at: 1) ? nil : references.int64(at: 1),
          destination: references.string(at: 2)
        )
      )
    }
    let fresh = try Connection(path: "", mode: .memory)
    try Catalog.create(schema, on: fresh, provenance: .system)
    let expected = try items(of: fresh)
    let found = try items(of: connection)
    for item in expected {
      let mine = found.first { $0.name == item.name && $0.type == item.type }
      guard mine.map(\.sql).map(Self.normal) != Self.normal(item.sql) else { continue }
      try body(.structure(type: item.type, name: item.name, expected: item.sql, found: mine?.sql))
    }
    // Tables, views and indexes of other programs are allowed. Triggers of other programs are
    // findings, because the changes that the triggers make are not captured.
    let tables = Set(expected.map(\.table))
    for item in found where item.type == "trigger" && tables.contains(item.table) {
      if !expected.contains(where: { $0.name == item.name && $0.type == item.type }) {
        try body(.structure(type: item.type, name: item.name, expected: nil, found: item.sql))
      }
    }
  }

  private func items(of connection: Connection) throws -> [Item] {
    try connection.all(
      """
      SELECT type, name, tbl_name, sql FROM sqlite_schema
        WHERE name NOT GLOB 'sqlite_*' AND sql IS NOT NULL ORDER BY type DESC, name
      """
    ) {
      Item(
        type: $0.string(at: 0),
        name: $0.string(at: 1),
        table: $0.string(at: 2),
        sql: $0.string(at: 3)
      )
    }
  }

  /// The parts of a statement in a form that does not depend on the order of added columns.
  private static func normal(_ sql: String) -> [String] {
    guard sql.hasPrefix("CREATE TABLE") else { return [sql] }
    // Older stores have no transactions of this kind.
    return sql.replacing(" OR \"op\" = 'difference'", with: "")
      .replacing(") STRICT", with: ",").replacing(" (\n", with: ",")
      .filter { !$0.isWhitespace }.split(separator: ",").map(String.init).sorted()
  }
}
