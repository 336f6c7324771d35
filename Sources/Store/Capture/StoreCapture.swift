import Adoption
import Format
import SQLite

/// The tables and triggers that capture foreign changes of a store of the library: changes by the
/// `sqlite3` shell, a script or another library.
///
/// They are those of an adopted file. Travelog's own connections disable triggers, so the triggers
/// do not slow down a save.
struct StoreCapture {
  /// A table, view or trigger in `sqlite_schema`.
  struct Definition: Hashable {
    let type: String
    let name: String
    let sql: String

    /// Whether an earlier version created it.
    var isEarlier: Bool {
      name == "history_foreign" || type == "trigger" && name.hasPrefix("history_")
    }
  }

  static let names = CaptureNames(prefix: CaptureNames.usualPrefix)

  private static let recent = Recent<StoreSchema, StoreCapture> { $0.isCopy(of: $1) }

  /// The capture of a store with this schema; nil for an adopted file, whose tables belong to its
  /// program.
  static func of(_ schema: StoreSchema) throws -> StoreCapture? {
    guard !schema.isAdopted else { return nil }
    return try recent.value(of: schema) { try StoreCapture(schema) }
  }

  /// The tables of the file, as the schema of an adopted file describes them.
  let tables: StoreSchema
  /// In the order in which they are created.
  let definitions: [Definition]
  /// The query that has a row if something is captured.
  private let question: String

  private init(_ schema: StoreSchema) throws {
    let model = try Connection(path: "", mode: .memory)
    for definition in try schema.tables() {
      for statement in [definition.create] + definition.indexes { try model.execute(statement) }
    }
    let program = try ProgramSchema(model, names: Self.names, leavingOut: [], version: "")
    for table in program.tables {
      guard case .refused(.tooWide(let columns)) = table.recording else { continue }
      throw StoreError(.invalidSchema) {
        "An entity and its descendants have \(columns) properties; the limit is \(widestRecorded)."
          + "\nSplit the entity."
      }
    }
    let statements = Self.names.contextStatements + Self.names.statements(for: program.recorded)
    for statement in statements { try model.execute(statement) }
    tables = program.schema
    definitions = try Self.found(on: model)
    question = Self.question(definitions.filter { $0.type == "table" }.map(\.name))
  }

  private static func question(_ tables: [String]) -> String {
    let filled = tables.filter { $0 != names.context }
      .map { "EXISTS (SELECT 1 FROM \(quoted($0)))" }
    return "SELECT 1 WHERE \(filled.joined(separator: " OR "))"
  }

  /// Creates the tables and triggers for capture if they are missing or different.
  ///
  /// The caller must have the write lock.
  ///
  /// Changes that were made while the triggers were missing are not captured;
  /// ``Store/check(recording:)`` finds them.
  func install(on connection: Connection) throws {
    let wanted = Set(definitions)
    for definition in try Self.found(on: connection) where !wanted.contains(definition) {
      try connection.execute("DROP \(definition.type) IF EXISTS \(quoted(definition.name))")
    }
    let found = try Set(Self.found(on: connection))
    for definition in definitions where !found.contains(definition) {
      try connection.execute(definition.sql)
      guard definition.name == Self.names.context else { continue }
      // Captured rows that were not sealed must stay before the next ones.
      let rows =
        definitions.filter { $0.type == "table" && found.contains($0) }
        .map { "SELECT max(clock) AS clock FROM \($0.name)" } + ["SELECT 0 AS clock"]
      try connection.execute(
        "INSERT INTO \(Self.names.context) (id, clock) SELECT 1, max(coalesce(clock, 0))"
          + " FROM (\(rows.joined(separator: " UNION ALL ")))"
      )
    }
    try Capture.noteVersion(on: connection)
  }

  /// Removes the triggers for capture.
  ///
  /// SQLite can't rebuild tables while the triggers exist.
  static func removeTriggers(on connection: Connection) throws {
    for definition in try found(on: connection) where definition.type == "trigger" {
      try connection.execute("DROP TRIGGER \(quoted(definition.name))")
    }
  }

  func isInstalled(on connection: Connection) throws -> Bool {
    try Set(Self.found(on: connection)) == Set(definitions)
  }

  private static func found(on connection: Connection) throws -> [Definition] {
    try connection.all("SELECT type, name, sql FROM sqlite_schema ORDER BY rowid") {
      Definition(type: $0.string(at: 0), name: $0.string(at: 1), sql: $0.string(at: 2))
    }.filter { names.own($0.name) || $0.isEarlier }
  }
}

extension StoreCapture {
  /// Whether there is something to seal.
  static func isAnythingCaptured(_ schema: StoreSchema, on connection: Connection) throws -> Bool {
    do {
      return try of(schema).map { try connection.hasRow($0.question) } ?? false
    } catch SQLiteError.error {
      // Another program dropped a table; the next opening for writing creates it.
      return false
    }
  }

  /// Whether there is something to seal in a store that was opened for one command.
  ///
  /// The file names its tables. To work out the definitions takes milliseconds, which only a writer
  /// needs.
  static func isAnythingWaiting(on connection: Connection) throws -> Bool {
    let tables = try connection.all("SELECT name FROM sqlite_schema WHERE type = 'table'") {
      $0.string(at: 0)
    }.filter { names.own($0) }
    return try tables.count > 1 && connection.hasRow(question(tables))
  }

  /// Seals all captured rows.
  ///
  /// The open transaction must have the write lock. `writing` is the recorder of the writer, if the
  /// transaction belongs to a writer.
  static func seal(
    on connection: Connection,
    blobs: Blobs,
    besides writing: ChangeRecorder? = nil
  ) throws {
    let catalog = try Catalog(on: connection)
    guard try isAnythingCaptured(catalog.schema, on: connection) else { return }
    // The rows were captured under the schema that the store has now, so the recorder uses this
    // schema.
    let recorder = try ChangeRecorder(
      connection,
      schema: catalog.schema,
      schemaID: catalog.schemaID,
      blobs: blobs,
      provenance: .system,
      besides: writing
    )
    try recorder.noteForeignChanges()
    try Capture.sealAll(
      names,
      schema: catalog.schema,
      recorder: recorder,
      blobs: blobs,
      on: connection
    )
  }
}

extension StoreSchema {
  /// The tables of the file with their keys.
  var fileSchema: StoreSchema {
    get throws { try StoreCapture.of(self)?.tables ?? self }
  }
}
