import Format
import SQLite

package struct CatalogSchema: Sendable {
  /// The id in the catalog, which is higher for a later schema.
  package let id: Int64
  /// The SHA-256 of the schema's JSON; transactions contain this digest.
  package let digest: String
  package let schema: StoreSchema
}

/// The schemas in a store's catalog, from the oldest to the present one.
func catalogSchemas(on connection: Connection) throws -> [CatalogSchema] {
  let rows = try connection.prepare(
    "SELECT id, digest, json FROM \(connection.tables.schema) ORDER BY id"
  )
  var result: [CatalogSchema] = []
  while try rows.step() {
    let schema: StoreSchema
    do {
      schema = try StoreSchema(json: rows.data(at: 2))
    } catch {
      throw Catalog.damaged(at: connection.path, cause: error)
    }
    result.append(
      CatalogSchema(id: rows.int64(at: 0), digest: rows.string(at: 1), schema: schema)
    )
  }
  return result
}
