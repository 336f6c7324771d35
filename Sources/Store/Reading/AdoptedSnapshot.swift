import Adoption
import Changes
import SQLite

/// The earlier state of the rows that changed after a transaction, in a temporary file.
///
/// The rows of an adopted file are not copied when its history begins. So an earlier state is built
/// from the present state and the values before the later changes.
private final class EarlierRows {
  /// The values of a row before it changed.
  struct Row {
    let isThere: Bool
    let values: [[UInt8]: EncodedValue]
  }

  private let connection: Connection
  private let finding: Statement
  private let writing: Statement
  private let marking: Statement
  /// The number of rows that were deleted since the snapshot, minus the number of rows that were
  /// inserted.
  private(set) var difference: Int64 = 0

  init() throws {
    connection = try Connection(path: "", mode: .readWriteCreate)
    try connection.execute(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8192;
      CREATE TABLE earlier (origin INTEGER, name BLOB, there INTEGER, is_now INTEGER, json BLOB,
        special BLOB, large BLOB, used INTEGER DEFAULT 0, PRIMARY KEY (origin, name)) WITHOUT ROWID;
      BEGIN;
      """
    )
    finding = try connection.prepare(
      "SELECT there, json, special, large FROM earlier WHERE origin = ?1 AND name = ?2"
    )
    writing = try connection.prepare(
      """
      INSERT INTO earlier (origin, name, there, is_now, json, special, large)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT (origin, name) DO UPDATE SET there = excluded.there, json = excluded.json,
          special = excluded.special, large = excluded.large
      """
    )
    marking = try connection.prepare(
      "UPDATE earlier SET used = 1 WHERE origin = ?1 AND name = ?2"
    )
  }

  /// Reverts a change.
  ///
  /// Changes must be reverted from the newest to the oldest.
  func takeBack(_ change: Change, place: PastTables.Place, encoder: ObjectEncoder) throws {
    let name = RowName(change.id)
    let table = place.table
    var values: [[UInt8]: EncodedValue] = [:]
    if change.kind == .update, let later = try row(name, table: table) { values = later.values }
    if change.kind != .insert {
      values.merge(place.translated(change.valuesByKey(.before))) { _, earlier in earlier }
    }
    var side = ChangeSide()
    for index in 0..<encoder.count {
      let key = encoder.key(ColumnIndex(index))
      if let value = values[Array(key)] { side.append(key, value: value) }
    }
    side.close()
    try bind(writing, name, table: table)
    try writing.bind(3, Int64(change.kind == .insert ? 0 : 1))
    // Whether the row exists now depends only on its newest change, which is reverted first.
    try writing.bind(4, Int64(change.kind == .delete ? 0 : 1))
    for (place, bytes) in [side.json, side.special, side.large].enumerated() {
      try bytes.withUnsafeBytes { try writing.bind(5 + Int32(place), blob: $0) }
    }
    try writing.run()
  }

  func finish() throws {
    difference =
      try connection.integer("SELECT total(there) - total(is_now) FROM earlier") ?? 0
  }

  private func bind(_ statement: Statement, _ name: RowName, table: Int) throws {
    try statement.bind(1, Int64(table))
    try name.bytes.withUnsafeBytes { try statement.bind(2, blob: $0) }
  }

  private func row(_ name: RowName, table: Int) throws -> Row? {
    try bind(finding, name, table: table)
    defer { finding.reset() }
    guard try finding.step() else { return nil }
    return Row(isThere: finding.int64(at: 0) != 0, values: values(finding, from: 1))
  }

  private func values(_ row: Statement, from index: Int32) -> [[UInt8]: EncodedValue] {
    ChangeNotes(special: Array(row.bytes(at: index + 1)), large: Array(row.bytes(at: index + 2)))
      .valuesByKey(of: CanonicalText(row.bytes(at: index)))
  }

  /// The earlier state of a row; nil if the row has not changed since.
  func take(_ name: RowName, table: Int) throws -> Row? {
    guard let row = try row(name, table: table) else { return nil }
    try bind(marking, name, table: table)
    try marking.run()
    return row
  }

  /// Calls the closure with each row that a table had earlier and does not have now.
  func forEachGone(
    table: Int,
    _ body: (RowName, [[UInt8]: EncodedValue]) throws -> Void
  ) throws {
    let rows = try connection.query(
      """
      SELECT name, json, special, large FROM earlier
        WHERE origin = ?1 AND used = 0 AND there = 1 AND is_now = 0
      """,
      values: [.integer(Int64(table))]
    )
    while try rows.step() {
      guard let name = RowName(canonical: rows.bytes(at: 0)) else { continue }
      try body(name, values(rows, from: 1))
    }
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
    _ schema: CatalogSchema,
    _ layouts: [EntityLayout]
  ) throws -> EarlierRows {
    let earlier = try EarlierRows()
    let encoders = layouts.map { ObjectEncoder($0, layouts: layouts) }
    let past = try PastTables(on: connection, to: schema)
    try forEachWaitingChange { change in
      guard let place = past.place(of: change, in: .max) else { return }
      try earlier.takeBack(change, place: place, encoder: encoders[place.table])
    }
    let changes = try connection.query(
      """
      SELECT kind, sequence, entity, object, changed, before, after, special, large,
        transaction_id, leaf
        FROM \(connection.tables.change) WHERE transaction_id > ?1 AND transaction_id <= ?2
        ORDER BY id DESC
      """,
      values: [.integer(transaction), .integer(try history.range().head.transaction)]
    )
    while try changes.step() {
      let change = try history.change(at: changes)
      guard let place = past.place(of: change, in: changes.int64(at: 9)) else { continue }
      try earlier.takeBack(change, place: place, encoder: encoders[place.table])
    }
    try earlier.finish()
    return earlier
  }

  /// The present tables that continue the tables of an earlier schema, by the earlier names.
  private func presentTables(
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
    var count = try earlierRows(transaction, schema, schema.schema.layouts()).difference
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
    let earlier = try earlierRows(transaction, schema, layouts)
    let present = try presentTables(since: schema)
    var text = ChangeText()
    var sequence: Int64 = 0
    func emit(_ name: RowName, of table: Table) throws {
      try text.withChange(.insert, sequence: sequence, table: table, name: name, body)
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
        let before = try earlier.take(name, table: layout.index.number)
        guard before?.isThere ?? true else { continue }
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
        try emit(name, of: table)
      }
      try earlier.forEachGone(table: layout.index.number) { name, values in
        for index in layout.columns.indices {
          let key = table.encoder.key(ColumnIndex(index))
          text.after.append(key, value: values[Array(key)] ?? .null)
        }
        try emit(name, of: table)
      }
    }
  }
}
