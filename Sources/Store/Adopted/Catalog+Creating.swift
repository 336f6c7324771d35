import Format
import SQLite

extension Catalog {
  static func create(
    _ schema: StoreSchema,
    on connection: Connection,
    provenance: Provenance
  ) throws {
    guard let capture = try StoreCapture.of(schema) else {
      return try AdoptedReplica.create(schema, on: connection, provenance: provenance)
    }
    let definitions = try schema.tables()
    try connection.execute(statements(connection.tables))
    for definition in definitions {
      try connection.execute(definition.create)
      for statement in definition.indexes + definition.views {
        try connection.execute(statement)
      }
    }
    try capture.install(on: connection)
    let schemaID = try add(schema, on: connection)
    let birth = provenance.birth()
    try set("identifier", value: .text(birth.identifier), on: connection)
    try set("lineage", value: .integer(0), on: connection)
    try set("schema", value: .integer(schemaID), on: connection)
    try set("created", value: .text(birth.time), on: connection)
    try connection.execute(
      "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(format)"
    )
  }
}
