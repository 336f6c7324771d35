import Adoption
import Format
import SQLite

/// Changes of a database's tables.
extension DatabaseReading {
  func differs(_ schema: StoreSchema, from known: StoreSchema) throws -> Bool {
    schema.entities != known.withoutOrigins.entities || schema.adopted != known.adopted
      || schema.leftOut != known.leftOut || schema.userVersion != known.userVersion
      || schema.applicationID != known.applicationID
  }

  /// Gives the history file the tables of the present state, and records the differences of the
  /// definitions and of the rows.
  func change(
    _ catalog: Catalog,
    to program: ProgramSchema,
    states: DatabaseStates,
    details: String
  ) throws {
    // The rows are copied to a temporary file, so that they can be compared with the new ones.
    let earlier = try EarlierTables(of: catalog.schema, on: connection)
    for type in ["view", "index", "table"] {
      for object in catalog.schema.adopted ?? [] where object.type == type {
        try connection.execute("DROP \(type) IF EXISTS \(quoted(object.name))")
      }
    }
    try Self.createTables(program.schema, of: states.database, on: connection)
    connection.removeCachedStatements()
    let blobs = Blobs(connection, folder: location.blobFolder)
    try SchemaRenewal(
      connection: connection,
      names: names,
      catalog: catalog,
      blobs: blobs,
      earlier: earlier,
      details: details
    ).record(program.schema)
    try blobs.prepareToCommit()
    try LeafDigests(connection).removeAll()
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
