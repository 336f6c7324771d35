import Changes
import SQLite

/// The table and the triggers that capture foreign changes: changes by the `sqlite3` shell, a
/// script or another library.
///
/// Travelog's own connections disable the triggers, so the triggers do not slow down a save. A
/// trigger stores the values of a row unchanged, because SQLite's JSON functions lose digits and
/// refuse blobs. ``ForeignTransactions`` turns the captured rows into history.
struct ForeignCapture {
  /// A table or trigger in `sqlite_schema`.
  struct Definition: Hashable {
    let type: String
    let name: String
    let sql: String
  }

  private static let recent = Recent<StoreSchema, ForeignCapture> { $0.isCopy(of: $1) }

  static func of(_ schema: StoreSchema) throws -> ForeignCapture {
    try recent.value(of: schema) { try ForeignCapture(schema) }
  }

  /// The table, its index and the triggers, in the order in which they are created.
  let definitions: [Definition]
  let tables: [ForeignTable]

  private init(_ schema: StoreSchema) throws {
    tables = try schema.foreignTables()
    let width = tables.map(\.columns.count).max() ?? 0
    guard width <= Self.maximumWidth else {
      throw StoreError(SchemaFailure.tooManyProperties(width, limit: Self.maximumWidth))
    }
    definitions =
      [
        Definition(type: "table", name: Self.name, sql: Self.table(width)),
        Definition(type: "index", name: "history_foreign_object", sql: Self.index),
      ] + tables.flatMap { Self.triggers(on: $0) }
  }

  static let name = "history_foreign"
  /// The maximum number of captured columns.
  ///
  /// SQLite allows 2000 columns in a table, and each captured column needs two: one for the value
  /// before the change and one for the value after the change.
  private static let maximumWidth = 990

  private static func table(_ width: Int) -> String {
    let values = (0..<width).map { ",\n  \"b\($0)\" ANY,\n  \"a\($0)\" ANY" }.joined()
    return """
      CREATE TABLE "history_foreign" (
        "id" INTEGER PRIMARY KEY AUTOINCREMENT,
        "time" INTEGER NOT NULL,
        "series" INTEGER NOT NULL,
        "seed" BLOB NOT NULL,
        "kind" TEXT NOT NULL,
        "origin" TEXT NOT NULL,
        "object" INTEGER NOT NULL\(values)
      ) STRICT
      """
  }

  private static let index =
    "CREATE INDEX \"history_foreign_object\" ON \"history_foreign\" (\"origin\", \"object\")"

  // MARK: Triggers

  private static func triggers(on table: ForeignTable) -> [Definition] {
    let isSame = table.key.map { "OLD.\($0) IS NEW.\($0)" }.joined(separator: " AND ")
    let unique = table.uniques.flatMap { $0.columns + ($0.entities == nil ? [] : ["\"_entity\""]) }
    let mayTake = (table.key + unique).reduce(into: [String]()) { columns, column in
      if !columns.contains(column) { columns.append(column) }
    }.map { "OLD.\($0) IS NOT NEW.\($0)" }.joined(separator: " OR ")
    let isOther = "NOT (" + table.key.map { "\($0) IS OLD.\($0)" }.joined(separator: " AND ") + ")"
    func trigger(
      _ name: String,
      event: String,
      condition: String?,
      body: [String]
    )
      -> Definition
    {
      let name = "history_\(name)_\(table.name)"
      return Definition(
        type: "trigger",
        name: name,
        sql: "CREATE TRIGGER \(quoted(name)) \(event) ON \(quoted(table.name))"
          + (condition.map { " WHEN \($0)" } ?? "")
          + " BEGIN\n  \(body.joined(separator: ";\n  "));\nEND"
      )
    }
    let deletion = insertion(of: .delete, table: table, before: "OLD.")
    let arrival = insertion(of: .insert, table: table, after: "NEW.")
    let taken = table.conflict(\.self) { "NEW.\($0)" }
    return [
      trigger(
        "before_insert",
        event: "BEFORE INSERT",
        condition: nil,
        body: [victims(table, condition: taken)]
      ),
      trigger("after_insert", event: "AFTER INSERT", condition: nil, body: [arrival]),
      trigger(
        "before_update",
        event: "BEFORE UPDATE",
        condition: mayTake,
        body: [victims(table, condition: "\(isOther) AND (\(taken))")]
      ),
      trigger(
        "after_update",
        event: "AFTER UPDATE",
        condition: isSame,
        body: [insertion(of: .update, table: table, before: "OLD.", after: "NEW.")]
      ),
      // A row that moves to another key is a deletion and an insertion.
      trigger(
        "after_move",
        event: "AFTER UPDATE",
        condition: "NOT (\(isSame))",
        body: [deletion, arrival]
      ),
      trigger("after_delete", event: "AFTER DELETE", condition: nil, body: [deletion]),
    ]
  }

  /// The columns that each captured row has: the time in milliseconds since 1970, the connection's
  /// count of changes, and bytes that may become a transaction's seed.
  private static let stamp =
    "CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER), total_changes(),"
    + " randomblob(16)"

  private static func names(_ prefix: String, table: ForeignTable) -> [String] {
    table.columns.indices.map { "\"\(prefix)\($0)\"" }
  }

  private static func opening(_ sides: [String]) -> String {
    "INSERT INTO \"history_foreign\" ("
      + (["\"time\"", "\"series\"", "\"seed\"", "\"kind\"", "\"origin\"", "\"object\""] + sides)
      .joined(separator: ", ") + ")"
  }

  private static func insertion(
    of kind: CapturedRow.Kind,
    table: ForeignTable,
    before: String? = nil,
    after: String? = nil
  ) -> String {
    var sides: [String] = []
    var values: [String] = []
    for (name, source) in [("b", before), ("a", after)] {
      guard let source else { continue }
      sides += names(name, table: table)
      values += table.columns.map { source + $0 }
    }
    let object = (after ?? before ?? "") + table.object
    return opening(sides) + "\n    VALUES ("
      + ([stamp, literal(kind.rawValue), literal(table.name), object] + values)
      .joined(separator: ", ") + ")"
  }

  /// Captures the rows that `REPLACE` deletes.
  ///
  /// For rows that `REPLACE` deletes, SQLite runs deletion triggers only if the connection has
  /// turned on recursive triggers.
  private static func victims(_ table: ForeignTable, condition: String) -> String {
    opening(names("b", table: table)) + "\n    SELECT "
      + ([stamp, literal(CapturedRow.Kind.victim.rawValue), literal(table.name), table.object]
      + table.columns).joined(separator: ", ")
      + "\n    FROM \(quoted(table.name)) WHERE \(condition)"
  }
}

extension ForeignCapture {
  /// Creates the table and the triggers for capture if they are missing or different.
  ///
  /// The caller must have the write lock.
  ///
  /// Changes that were made while the triggers were missing are not captured;
  /// ``Store/check(recording:)`` finds them.
  func install(on connection: Connection) throws {
    let found = try Self.found(on: connection)
    for definition in found.values where !definitions.contains(definition) {
      // Dropping the table also drops its index, so the index may be missing here.
      try connection.execute("DROP \(definition.type) IF EXISTS \(quoted(definition.name))")
    }
    let left = try Self.found(on: connection)
    for definition in definitions where left[definition.name] != definition {
      try connection.execute(definition.sql)
    }
  }

  /// Removes the triggers for capture.
  ///
  /// SQLite can't rebuild tables while the triggers exist.
  static func removeTriggers(on connection: Connection) throws {
    for definition in try found(on: connection).values where definition.type == "trigger" {
      try connection.execute("DROP TRIGGER \(quoted(definition.name))")
    }
  }

  func isInstalled(on connection: Connection) throws -> Bool {
    Set(try Self.found(on: connection).values) == Set(definitions)
  }

  /// The tables and triggers for capture that a store contains, by name.
  ///
  /// Triggers of other programs are left out.
  static func found(on connection: Connection) throws -> [String: Definition] {
    let found = try connection.all(
      """
      SELECT type, name, sql FROM sqlite_schema WHERE name LIKE 'history\\_%' ESCAPE '\\'
        AND (type = 'trigger' OR name IN ('history_foreign', 'history_foreign_object'))
      """
    ) { Definition(type: $0.string(at: 0), name: $0.string(at: 1), sql: $0.string(at: 2)) }
    return Dictionary(found.map { ($0.name, $0) }) { $1 }
  }
}
