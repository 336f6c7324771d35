import Format
import FoundationEssentials
import SQLite

/// The format, the identity and the schema of a store.
struct Catalog {
  /// The application ID in the header of a store, `TRLG`, which the `file` command shows.
  static let applicationID: Int32 = 0x5452_4c47
  /// The format that this library writes.
  ///
  /// A store with a higher format is refused.
  static let format: Int32 = 1

  var identifier: String
  var lineage: Int64
  var schemaID: Int64
  var schema: StoreSchema
  var isReplica: Bool
  /// Whether the store is the history file of a database that is only read.
  var followsDatabase: Bool
  /// Whether triggers capture changes of other programs, which are then sealed.
  var capturesChanges: Bool { !isReplica && !followsDatabase }

  /// The tables that every store has, in addition to the tables of its schema.
  ///
  /// The CHECK constraints use OR instead of IN. For `IN` with more than two values, SQLite builds
  /// a table on each write, which takes ten times as long as writing the row.
  static func statements(_ tables: HistoryTables) -> String {
    // An adopted file must be readable by every version of SQLite that its program may use, so the
    // file has no STRICT tables. The file has no AUTOINCREMENT either, because AUTOINCREMENT would
    // add a table without a prefix.
    let isOurs = tables.prefix == nil
    let strict = isOurs ? " STRICT" : ""
    let any = isOurs ? " ANY" : ""
    return """
      CREATE TABLE "\(tables.catalog)" (
        "key" TEXT NOT NULL PRIMARY KEY,
        "value"\(any) NOT NULL
      )\(isOurs ? " STRICT," : "") WITHOUT ROWID;
      CREATE TABLE "\(tables.schema)" (
        "id" INTEGER PRIMARY KEY,
        "version" TEXT NOT NULL,
        "digest" TEXT NOT NULL UNIQUE,
        "json" TEXT NOT NULL
      )\(strict);
      CREATE TABLE "\(tables.blob)" (
        "sha256" TEXT NOT NULL PRIMARY KEY,
        "size" INTEGER NOT NULL,
        "rows" INTEGER NOT NULL CHECK ("rows" >= 0),
        "history" INTEGER NOT NULL CHECK ("history" >= 0),
        "content" BLOB
      )\(isOurs ? " STRICT," : "") WITHOUT ROWID;
      CREATE INDEX "\(tables.blob)_unused" ON "\(tables.blob)" ("sha256")
        WHERE "rows" = 0 AND "history" = 0;
      CREATE TABLE "\(tables.transaction)" (
        "id" INTEGER PRIMARY KEY\(isOurs ? " AUTOINCREMENT" : ""),
        "time" TEXT NOT NULL,
        "op" TEXT NOT NULL CHECK (
          "op" = 'recorded' OR "op" = 'foreign' OR "op" = 'snapshot' OR "op" = 'gap'
          OR "op" = 'prune' OR "op" = 'mark' OR "op" = 'erase'
          OR "op" = 'migration'\(isOurs ? "" : " OR \"op\" = 'adopt'") OR "op" = 'difference'),
        "author" TEXT,
        "reason" TEXT,
        "request" TEXT,
        "process" TEXT NOT NULL,
        "process_id" INTEGER NOT NULL,
        "host" TEXT NOT NULL,
        "bundle" TEXT,
        "schema" INTEGER NOT NULL REFERENCES "\(tables.schema)"("id"),
        "first_change" INTEGER NOT NULL,
        "changes" INTEGER NOT NULL,
        "seed" BLOB NOT NULL,
        "digest" BLOB CHECK ("digest" IS NULL OR length("digest") = 32),
        "state" TEXT NOT NULL DEFAULT 'whole' CHECK (
          "state" = 'whole' OR "state" = 'erased' OR "state" = 'deleted'),
        "details" TEXT
      )\(strict);
      CREATE TABLE "\(tables.change)" (
        "id" INTEGER PRIMARY KEY,
        "transaction_id" INTEGER NOT NULL,
        "sequence" INTEGER NOT NULL,
        "kind" TEXT NOT NULL CHECK ("kind" = 'insert' OR "kind" = 'update' OR "kind" = 'delete'),
        "entity" TEXT NOT NULL,
        "object" \(isOurs ? "INTEGER " : "")NOT NULL,
        "changed" TEXT,
        "before" TEXT,
        "after" TEXT,
        "special" TEXT,
        "large" TEXT,
        "leaf" TEXT
      )\(strict);
      """
  }

  /// Adds a schema to the store's catalog unless the catalog contains it, and returns its id.
  static func add(_ schema: StoreSchema, on connection: Connection) throws -> Int64 {
    let json = try schema.json()
    let digest = SHA256.digest(of: Array(json.utf8)).description
    let find = "SELECT id FROM \(connection.tables.schema) WHERE digest = ?1"
    if let known = try connection.integer(find, values: [.text(digest)]) { return known }
    try connection.run(
      "INSERT INTO \(connection.tables.schema) (version, digest, json) VALUES (?1, ?2, ?3)",
      values: [.text(schema.version), .text(digest), .text(json)]
    )
    return connection.lastInsertedID
  }

  static func set(_ key: String, value: Value, on connection: Connection) throws {
    try connection.run(
      "INSERT INTO \(connection.tables.catalog) (key, value) VALUES (?1, ?2)"
        + " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      values: [.text(key), value]
    )
  }

  static func remove(_ key: String, on connection: Connection) throws {
    try connection.run(
      "DELETE FROM \(connection.tables.catalog) WHERE key = ?1",
      values: [.text(key)]
    )
  }

  static func value(_ key: String, on connection: Connection) throws -> Value {
    try connection.first(
      "SELECT value FROM \(connection.tables.catalog) WHERE key = ?1",
      values: [.text(key)]
    ) {
      $0.value(at: 0)
    } ?? .null
  }

  /// Reads the catalog of a store whose format has been checked.
  init(on connection: Connection) throws {
    guard case .text(let identifier) = try Self.value("identifier", on: connection),
      case .integer(let lineage) = try Self.value("lineage", on: connection),
      case .integer(let schemaID) = try Self.value("schema", on: connection)
    else { throw Self.damaged("identifier", at: connection.path) }
    // The identifier must be a UUID, because it becomes part of the name of a folder.
    guard UUID(uuidString: identifier) != nil else {
      throw Self.damaged("identifier", at: connection.path)
    }
    let find = "SELECT json FROM \(connection.tables.schema) WHERE id = ?1"
    guard
      let json = try connection.first(find, values: [.integer(schemaID)], read: { $0.data(at: 0) })
    else { throw Self.damaged(at: connection.path) }
    do {
      schema = try StoreSchema(json: json)
    } catch {
      throw Self.damaged(at: connection.path, cause: error)
    }
    self.identifier = identifier
    self.lineage = lineage
    self.schemaID = schemaID
    isReplica = try Self.value("replica", on: connection) == .integer(1)
    followsDatabase = try ReadDatabase.isThere(on: connection)
    if schema.encoding != TextEncoding(rawValue: connection.encoding) {
      let path = connection.path
      throw StoreError(.schemaMismatch, at: path) {
        "The texts of \(path) are in \(connection.encoding), but its history was recorded in"
          + " \(schema.encoding?.rawValue ?? "UTF-8")."
          + "\nTo begin a new history: travelog adopt --detach --discard-history \(path) &&"
          + " travelog adopt \(path)"
      }
    }
  }

  static func damaged(
    _ part: String = "schema",
    at path: String,
    cause: (any Error)? = nil
  ) -> StoreError {
    StoreError(.damaged, at: path, cause: cause) {
      "The catalog of the store \(path) is damaged: its \(part) is missing or invalid."
    }
  }
}
