import Adoption
import Format
import SQLite

/// Changes of a database's tables.
extension DatabaseReading {
  func differs(_ schema: StoreSchema, from known: StoreSchema) -> Bool {
    schema.entities != known.withoutOrigins.entities || schema.adopted != known.adopted
      || schema.leftOut != known.leftOut || schema.userVersion != known.userVersion
      || schema.applicationID != known.applicationID
  }

  /// Gives the history file the definitions of the present state, and records the differences.
  ///
  /// - Returns: Whether the rows were compared too; they are not if each table has the definition that
  ///   it had before.
  func change(
    _ catalog: Catalog,
    to program: ProgramSchema,
    states: DatabaseStates,
    since reading: Reading
  ) throws -> Bool {
    let (old, new) = (catalog.schema, program.schema)
    let blobs = Blobs(connection, folder: location.blobFolder)
    var renewal = SchemaRenewal(
      connection: connection,
      names: names,
      catalog: catalog,
      blobs: blobs,
      reading: reading
    )
    if new.entities == old.withoutOrigins.entities, new.leftOut == old.leftOut,
      new.definitionsOfTables == old.definitionsOfTables
    {
      try AdoptedReplica.migrate(from: old, to: new, on: connection)
      try renewal.recordDefinitions(new)
      return false
    }
    // The rows are copied to a temporary file, so that they can be compared with the new ones.
    renewal.earlier = try EarlierTables(of: old, on: connection)
    for type in ["view", "index", "table"] {
      for object in old.adopted ?? [] where object.type == type {
        try connection.execute("DROP \(type) IF EXISTS \(quoted(object.name))")
      }
    }
    try Self.createTables(new, of: states.database, on: connection)
    connection.removeCachedStatements()
    try renewal.record(new)
    try blobs.prepareToCommit()
    try LeafDigests(connection).removeAll()
    return true
  }

  /// Creates the tables of a database in its history file, with their rows.
  static func createTables(
    _ schema: StoreSchema,
    of database: Connection,
    on connection: Connection
  ) throws {
    let objects = schema.adopted ?? []
    try AdoptedReplica.create(objects, types: ["table"], on: connection)
    let layouts = try schema.layouts()
    for layout in layouts {
      let table = Table(connection, layout: layout, layouts: layouts)
      let rows = try Table(database, layout: layout, layouts: layouts).rows()
      while try rows.step() {
        let id = try table.id(at: rows)
        try table.insert(id, table.values(at: rows))
      }
    }
    try AdoptedReplica.create(objects, types: ["index", "view"], on: connection)
    let names = connection.captureNames
    try AdoptedFile.createRowidIndexes(schema, names: names, on: connection)
    try AdoptedReplica.installGuards(schema, on: connection)
    try AdoptedReplica.setHeader(schema, on: connection)
    try rebuildFullText(of: schema, on: connection)
  }
}

extension StoreSchema {
  fileprivate var definitionsOfTables: [SchemaObject] {
    (adopted ?? []).filter { $0.type == "table" }
  }
}
