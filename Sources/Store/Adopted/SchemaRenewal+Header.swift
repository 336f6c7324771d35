import Adoption
import Format
import SQLite

/// The numbers that a program keeps in the header of its file.
///
/// A program can change these numbers without changing a table. SQLite's schema version then stays
/// the same.
extension SchemaRenewal {
  /// The schema with the present numbers; nil if the catalog has the same numbers.
  static func schemaWithNewHeader(
    _ catalog: Catalog,
    on connection: Connection
  ) throws -> StoreSchema? {
    // The tables of the catalog may have new names, which must not be applied once more.
    var schema = catalog.schema.withoutOrigins
    try schema.readHeader(connection)
    // The highest ids change with each inserted row, so they alone give no new schema.
    let isSame =
      schema.userVersion == catalog.schema.userVersion
      && schema.applicationID == catalog.schema.applicationID
    return isSame ? nil : schema
  }

  /// If the program changed a number, records the schema with the new number, and a transaction
  /// without changes, so that logs get the new schema.
  func renewHeader() throws {
    guard var schema = try Self.schemaWithNewHeader(catalog, on: connection) else { return }
    schema.version = version(after: 1)
    schema.replaced = nil
    let schemaID = try Catalog.add(schema, on: connection)
    try Catalog.set("schema", value: .integer(schemaID), on: connection)
    let recorder = try Capture.recorder(schema, id: schemaID, blobs: blobs, on: connection)
    try recorder.begin()
    try recorder.close(
      Author(process: ""),
      operation: .foreign,
      details: #"{"boundary":"proven","user_version":\#(schema.userVersion ?? 0),"#
        + #""application_id":\#(schema.applicationID ?? 0)}"#
    )
  }
}
