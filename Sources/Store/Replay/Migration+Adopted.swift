import Format
import SQLite

extension Migration {
  /// Replays transactions of an adopted file that were recorded under `schema`, its next schema.
  static func replayAdopted<Result>(
    _ connection: Connection,
    _ catalog: Catalog,
    to schema: StoreSchema,
    options: Options,
    location: Location,
    content: @escaping (String) throws -> LargeValue,
    _ body: (Replayer) throws -> Result
  ) throws -> Result {
    // A program may have left dangling references, which are replayed unchanged.
    try connection.setForeignKeys(enforced: false)
    var writer: Writer?
    return try inTransaction(on: connection) {
      try AdoptedReplica.migrate(from: catalog.schema, to: schema, on: connection)
      let made = try Writer(
        connection,
        catalog: Catalog(on: connection),
        location: location,
        provenance: options.provenance
      )
      writer = made
      try UnknownValues(connection, layouts: made.layouts).rename { table, column in
        guard let successor = schema.successor(of: table),
          let present = successor.attributes.first(where: { $0.source == column })
        else { return nil }
        return (successor.name, present.name)
      }
      return try Replayer(made).run(content: content, body)
    } committed: {
      writer?.committed()
    } abandoned: {
      writer?.abandon()
    }
  }
}
