import Adoption
import Format
import SQLite

extension Reader {
  /// An export of an adopted file begins with the state after this transaction: the adoption, or
  /// the last transaction that recorded tables again whose earlier rows are not known.
  ///
  /// The result is nil in a store of the library.
  package func adoptedStart() throws -> Int64? {
    guard connection.tables.prefix != nil else { return nil }
    let schemas = try catalogSchemas(on: connection)
    let last = schemas.indices.dropFirst().last { index in
      schemas[index].schema.loses(rowsOf: schemas[index - 1].schema)
    }
    let start = try connection.integer(
      "SELECT max(id) FROM \(connection.tables.transaction) WHERE op = 'adopt'"
    )
    let again = try last.flatMap { index in
      try connection.integer(
        """
        SELECT min(id) FROM \(connection.tables.transaction)
          WHERE schema = ?1 AND op IN ('difference', 'migration')
        """,
        values: [.integer(schemas[index].id)]
      )
    }
    return try max(historyRange().base.transaction, start ?? 0, again ?? 0)
  }

  /// The last transaction before the first one whose changes history has.
  package func knownStart() throws -> Int64 {
    try max(lastMissingTransaction(), adoptedStart() ?? 0)
  }

  /// The highest ids that SQLite gave to rows of an adopted file's tables with AUTOINCREMENT.
  package func sequences() throws -> [TableSequence] {
    guard connection.tables.prefix != nil else { return [] }
    let names = Set(layouts.map { Array($0.entity.name.utf8) })
    return try readSequences(connection).filter { names.contains(Array($0.table.utf8)) }
  }

  /// Whether history contains changes in transactions before a transaction.
  package func hasChanges(before transaction: Int64) throws -> Bool {
    try connection.hasRow(
      "SELECT 1 FROM \(connection.tables.transaction) WHERE id < ?1 AND changes > 0",
      values: [.integer(transaction)]
    )
  }

  /// The schema of an adopted file after a transaction; nil for a store of the library.
  package func adoptedSchema(after transaction: Int64) throws -> CatalogSchema? {
    guard connection.tables.prefix != nil else { return nil }
    let schemas = try catalogSchemas(on: connection)
    let table = connection.tables.transaction
    let own = try connection.integer(
      "SELECT schema FROM \(table) WHERE id = ?1",
      values: [.integer(transaction)]
    )
    if let own { return schemas.first { $0.id == own } }
    // The transaction was deleted. The next transaction has the same schema, unless it is the first
    // one with its schema.
    let next = try connection.first(
      "SELECT schema, op FROM \(table) WHERE id > ?1 ORDER BY id LIMIT 1",
      values: [.integer(transaction)]
    ) { (schema: $0.int64(at: 0), operation: TransactionOperation(rawValue: $0.string(at: 1))) }
    guard let next, let index = schemas.firstIndex(where: { $0.id == next.schema }) else {
      let present = try Catalog(on: connection).schemaID
      return schemas.first { $0.id == present }
    }
    let isFirst = next.operation == .migration || next.operation == .difference
    return schemas[isFirst && index > 0 ? index - 1 : index]
  }

  /// The present tables that continue the tables of an earlier schema, by the earlier names.
  func presentTables(
    since schema: CatalogSchema
  ) throws -> [String: (table: Table, columns: [String: String])] {
    var succession = TableSuccession(schema.schema)
    for later in try catalogSchemas(on: connection) where later.id > schema.id {
      succession.follow(to: later.schema)
    }
    return succession.tables.compactMapValues { successor in
      layouts.first { $0.entity.name == successor.table }.map {
        (Table(connection, layout: $0, layouts: layouts), successor.columns)
      }
    }
  }
}
