import Adoption
import Changes
import SQLite

/// The tables of a replica of an adopted file: those of the program, without its triggers, whose
/// effects are in the logs.
enum AdoptedReplica {
  /// Creates the program's tables, and our own under a prefix that no other table has.
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

  private static func create(_ objects: [SchemaObject], on connection: Connection) throws {
    for type in ["table", "index", "view"] {
      for object in objects where object.type == type {
        do {
          // A forged log could have any statement here, and `prepare` accepts only one.
          guard isCreation(object.sql) else {
            throw AdoptionFailure.notACreation(object.name).at(connection.path)
          }
          try connection.prepare(object.sql).run()
        } catch SQLiteError.error where type == "index" {
          // An index can need a function that only the program has; rows do not depend on it.
        }
      }
    }
  }

  /// Gives a replica the tables of the next schema of its origin.
  ///
  /// Tables that are recorded again become empty, and all others keep their rows.
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
    // A view or an index can name a table that changes, so they are created again.
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
