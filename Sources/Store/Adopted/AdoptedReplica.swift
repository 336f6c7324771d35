import Adoption
import Changes
import SQLite

/// Creates and migrates the tables in a replica of an adopted file.
///
/// The replica has the tables of the program but not the program's triggers, because the logs
/// contain the changes that the triggers made.
enum AdoptedReplica {
  /// Creates the program's tables, and Travelog's tables with a prefix that no table of the program
  /// has.
  static func create(
    _ schema: StoreSchema,
    on connection: Connection,
    provenance: Provenance
  ) throws {
    let objects = schema.adopted ?? []
    var prefix = CaptureNames.usualPrefix
    while objects.contains(where: { CaptureNames(prefix: prefix).own($0.name) }) { prefix += "_" }
    connection.tablePrefix = prefix
    try connection.execute(Catalog.statements(connection.tables))
    try create(objects, on: connection)
    let schemaID = try Catalog.add(schema, on: connection)
    let birth = provenance.birth()
    try Catalog.set(AdoptedFile.mark, value: .text(prefix), on: connection)
    try Catalog.set("format", value: .integer(Int64(Catalog.format)), on: connection)
    try Catalog.set("identifier", value: .text(birth.identifier), on: connection)
    try Catalog.set("lineage", value: .integer(0), on: connection)
    try Catalog.set("schema", value: .integer(schemaID), on: connection)
    try Catalog.set("created", value: .text(birth.time), on: connection)
  }

  /// Creates the program's triggers in a replica that the program will write to.
  static func createTriggers(_ schema: StoreSchema, on connection: Connection) throws {
    try create(schema.adopted ?? [], types: ["trigger"], on: connection)
  }

  private static func create(
    _ objects: [SchemaObject],
    types: [String] = ["table", "index", "view"],
    on connection: Connection
  ) throws {
    for type in types {
      for object in objects where object.type == type {
        do {
          // A forged log can contain any text here, so the text must begin with CREATE. `prepare`
          // ensures that the text is a single statement.
          guard isCreation(object.sql) else {
            throw AdoptionFailure.notACreation(object.name).at(connection.path)
          }
          try connection.prepare(object.sql).run()
        } catch SQLiteError.error where type == "index" {
          // An index can need a function that only the program has. Such an index is left out,
          // because the replica works without it.
        }
      }
    }
  }

  /// Changes the tables of a replica when the schema of its origin changes.
  ///
  /// Tables whose rows will be recorded again become empty. All other tables keep their rows.
  static func migrate(
    from old: StoreSchema,
    to new: StoreSchema,
    on connection: Connection
  ) throws {
    let oldObjects = old.adopted ?? []
    let newObjects = new.adopted ?? []
    let replaced = Set(new.replaced ?? [])
    func isKept(_ object: SchemaObject) -> Bool {
      object.type == "table" && newObjects.contains(object) && !replaced.contains(object.name)
        && !isFullText(object.sql)
    }
    // A view or an index can refer to a changed table, so views and indexes are created again.
    for type in ["view", "index", "table"] {
      for object in oldObjects where object.type == type && !isKept(object) {
        try connection.execute("DROP \(type) IF EXISTS \(quoted(object.name))")
      }
    }
    try create(newObjects.filter { !isKept($0) || !oldObjects.contains($0) }, on: connection)
    let schemaID = try Catalog.add(new, on: connection)
    try Catalog.set("schema", value: .integer(schemaID), on: connection)
    connection.removeCachedStatements()
  }
}
