import Adoption
import Format
import SQLite

extension KnownObjects {
  /// Notes a change that was made after the earlier state.
  ///
  /// Changes must be noted from the oldest to the newest. The rows of an adopted file are not copied
  /// when its history begins. So an earlier state is built from the present state and the values
  /// before the later changes: of each value, only its first change counts.
  fileprivate func note(_ change: Change, place: PastTables.Place) throws {
    let key = RowKey(entity: EntityIndex(place.table), id: change.id)
    // Whether the row exists now depends only on its newest change.
    let isNow = change.kind != .delete
    let known = try row(of: key) { row -> KnownObject? in
      let isPartial = row.int64(at: 0) == KnownObject.State.partial.rawValue
      let isSame = (row.int64(at: 4) != 0) == isNow
      // Most changes add nothing, so their values are not read.
      if isSame, !isPartial || place.keys == nil && change.updates(onlyKeysOf: row.bytes(at: 1)) {
        return nil
      }
      return Self.object(at: row, from: 0)
    }
    let new = KnownObject(state: change.kind == .insert ? .deleted : .partial, values: [:])
    // A row to which the change adds nothing is nil.
    guard var object = known ?? new else { return }
    if object.state == .partial, change.kind != .insert {
      object.values.merge(place.translated(change.valuesByKey(.before))) { first, _ in first }
    }
    // A deletion has all values, and no later change has a value of the same row.
    if object.state == .partial, change.kind != .update { object.state = .whole }
    try set(key, object: object, isNow: isNow)
  }

  /// The earlier state of a row that exists now; nil if the row has not changed since.
  fileprivate func take(_ key: RowKey) throws -> KnownObject? {
    guard let object = try self[key] else { return nil }
    try use(key)
    return object
  }
}

extension Change {
  /// Whether this is an update of properties that an object has.
  fileprivate func updates(onlyKeysOf object: UnsafeRawBufferPointer) -> Bool {
    var result = kind == .update
    forEachMember(of: before) { key, _ in
      if result { result = memberValue(of: Array(key), in: object) != nil }
    }
    return result
  }
}

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

  private func earlierRows(
    _ transaction: Int64,
    _ schema: CatalogSchema
  ) throws -> KnownObjects {
    let earlier = try KnownObjects()
    let past = try PastTables(on: connection, to: schema)
    let changes = try connection.query(
      """
      SELECT kind, sequence, entity, object, changed, before, after, special, large,
        transaction_id, leaf
        FROM \(connection.tables.change) WHERE transaction_id > ?1 AND transaction_id <= ?2
        ORDER BY id
      """,
      values: [.integer(transaction), .integer(try history.range().head.transaction)]
    )
    while try changes.step() {
      let change = try history.change(at: changes)
      guard let place = past.place(of: change, in: changes.int64(at: 9)) else { continue }
      try earlier.note(change, place: place)
    }
    try forEachWaitingChange(isOldestFirst: true) { change in
      guard let place = past.place(of: change, in: .max) else { return }
      try earlier.note(change, place: place)
    }
    return earlier
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

  /// The number of rows in ``adoptedSnapshot(at:_:_:)``.
  func adoptedSnapshotCount(at transaction: Int64) throws -> Int64 {
    guard let schema = try adoptedSchema(after: transaction) else { return 0 }
    let rows = try earlierRows(transaction, schema)
    earlier = (transaction, rows)
    var count = try rows.difference()
    for (table, _) in try presentTables(since: schema).values {
      count += try connection.integer("SELECT count(*) FROM \(table.layout.table)") ?? 0
    }
    return count
  }

  /// Calls the closure with every row of the state after a transaction, each as an insertion.
  ///
  /// The rows have the names of the tables and columns after that transaction.
  func adoptedSnapshot(
    at transaction: Int64,
    _ passing: PassingValues,
    _ body: (Change) throws -> Void
  ) throws {
    guard let schema = try adoptedSchema(after: transaction) else { return }
    let layouts = try schema.schema.layouts()
    let counted = earlier.flatMap { $0.transaction == transaction ? $0.rows : nil }
    let earlier = try counted ?? earlierRows(transaction, schema)
    self.earlier = nil
    let present = try presentTables(since: schema)
    var text = ChangeText()
    var sequence: Int64 = 0
    func emit(_ id: ObjectID, of table: Table) throws {
      let entity = table.encoder.name
      try text.withChange(.insert, sequence: sequence, entity: entity, id: id, body)
      text.removeAll()
      try passing.removeAll()
      sequence += 1
    }
    for layout in layouts {
      let table = Table(connection, layout: layout, layouts: layouts)
      let now = present[layout.entity.name]
      let places = layout.columns.map { column in
        now?.columns[column.property].flatMap { now?.table.layout.column(of: $0) }
      }
      let rows = try now?.table.rows()
      while let now, let rows, try rows.step() {
        let (name, values) = try now.table.row(at: rows)
        let before = try earlier.take(RowKey(entity: layout.index, id: ObjectID(name)))
        guard before?.state != .deleted else { continue }
        for (index, place) in places.enumerated() {
          let column = ColumnIndex(index)
          let key = table.encoder.key(column)
          if let earlier = before?.values[Array(key)] {
            text.after.append(key, value: earlier)
          } else {
            // If a column was removed, history has each of its values, except NULL.
            try text.after.append(
              place.map { values[$0] } ?? .null,
              at: column,
              encoder: table.encoder,
              blobs: passing.blobs
            )
          }
        }
        try emit(ObjectID(name), of: table)
      }
      let gone = try earlier.gone(of: layout.index)
      while try gone.step() {
        guard let object = KnownObjects.object(at: gone, from: 1) else { continue }
        for index in layout.columns.indices {
          let key = table.encoder.key(ColumnIndex(index))
          text.after.append(key, value: object.values[Array(key)] ?? .null)
        }
        try emit(KnownObjects.id(at: gone), of: table)
      }
    }
  }
}
