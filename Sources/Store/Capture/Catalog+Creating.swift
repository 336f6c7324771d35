import Changes
import SQLite

extension Catalog {
  /// Writes the tables and the catalog of a new store.
  static func create(
    _ schema: StoreSchema,
    on connection: Connection,
    _ provenance: Provenance
  ) throws {
    let definitions = try schema.tables()
    try connection.execute(tables)
    for definition in definitions {
      try connection.execute(definition.create)
      for statement in definition.indexes + definition.views {
        try connection.execute(statement)
      }
    }
    try ForeignCapture.of(schema).install(on: connection)
    let schemaID = try add(schema, on: connection)
    let birth = provenance.birth()
    try set("identifier", .text(birth.identifier), on: connection)
    try set("lineage", .integer(0), on: connection)
    try set("schema", .integer(schemaID), on: connection)
    try set("created", .text(birth.time), on: connection)
    try connection.execute(
      "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(format)"
    )
  }
}
