import SQLite

/// Writes rows, and with each its history: the one place where a store changes.
///
/// There is one for each store, handed out by ``Store/write(_:_:)`` while its transaction is open
/// and not to be used after that.
public final class Writer {
  /// How the entities lie in their tables, in the order of ``StoreSchema/entities``.
  public let layouts: [EntityLayout]
  /// The connection, for reading what was written so far; writing through it escapes history.
  public let connection: Connection
  /// The rows deleted so far in this transaction, those included that delete rules took along.
  public internal(set) var deleted: [RowKey] = []
  /// The rows that delete rules changed so far in this transaction.
  public internal(set) var updated: [RowKey] = []

  let tables: [EntityTable]
  let joins: [JoinStatements]
  let recorder: ChangeRecorder
  let references: [[IncomingReference]]
  let indexes: [String: Int]
  var pointers: [PointerCheck] = []
  private var author = Author()

  init(connection: Connection, catalog: Catalog, layouts: [EntityLayout]) throws {
    self.connection = connection
    self.layouts = layouts
    tables = layouts.map { EntityTable(connection, $0) }
    let joinTables = catalog.schema.joinTables(layouts)
    joins = joinTables.map { JoinStatements(connection, $0) }
    recorder = try ChangeRecorder(
      connection,
      layouts,
      joinTables,
      schemaID: catalog.schemaID
    )
    references = incomingReferences(layouts)
    indexes = Dictionary(uniqueKeysWithValues: layouts.map { ($0.entity.name, $0.index) })
  }

  func begin(_ author: Author) throws {
    self.author = author
    deleted.removeAll()
    updated.removeAll()
    pointers.removeAll()
    try recorder.begin()
  }

  func finish() throws {
    try checkPointers()
    _ = try recorder.finish(author) { try tables[$0.entity].row(id: $0.id) }
  }

  func committed() {}

  func abandon() { recorder.forget() }

  /// Reserves ids in the table of an entity, none of which was ever used, and returns the first.
  public func reserveIDs(_ table: String, count: Int) throws -> Int64 {
    let reading = try connection.cached("SELECT seq FROM sqlite_sequence WHERE name = ?1")
    try reading.bind(1, table)
    let last = try reading.step() ? reading.int64(at: 0) : nil
    reading.reset()
    let writing = try connection.cached(
      last == nil
        ? "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)"
        : "UPDATE sqlite_sequence SET seq = ?2 WHERE name = ?1"
    )
    try writing.bind(1, table)
    try writing.bind(2, (last ?? 0) + Int64(count))
    try writing.run()
    return (last ?? 0) + 1
  }

  /// Inserts an object; the values are in the order of ``EntityLayout/columns``.
  public func insert(_ entity: Int, id: Int64, values: [Value]) throws {
    try tables[entity].insert(id: id, values)
    try recorder.insert(RowKey(entity: entity, id: id), values)
  }

  /// Sets some values of an object, by their indexes in ``EntityLayout/columns``.
  ///
  /// - Returns: False where there is no such object. Where all values are as they were, nothing is
  ///   written and no change is recorded.
  @discardableResult
  public func update(
    _ entity: Int,
    id: Int64,
    columns: [Int],
    values: [Value]
  ) throws -> Bool {
    guard !columns.isEmpty else { return try tables[entity].row(id: id) != nil }
    let plan = try tables[entity].plan(columns)
    try plan.reading.bind(1, id)
    guard try plan.reading.step() else {
      plan.reading.reset()
      return false
    }
    let before = columns.indices.map { plan.reading.value(at: Int32(truncatingIfNeeded: $0)) }
    plan.reading.reset()
    guard zip(before, values).contains(where: { !$0.isSame(as: $1) }) else { return true }
    try plan.writing.bind(1, id)
    for index in values.indices {
      try plan.writing.bind(Int32(truncatingIfNeeded: index) + 2, values[index])
    }
    try plan.writing.run()
    try recorder.update(
      RowKey(entity: entity, id: id),
      columns,
      before: before,
      after: values
    )
    return true
  }

  /// The id of the object whose properties have these values; nil where there is none.
  public func find(_ entity: Int, unique: [String], values: [Value]) throws -> Int64? {
    let layout = layouts[entity]
    let columns = try unique.map { name in
      guard let column = layout.column(of: name) else {
        throw StoreError(
          .misuse,
          "\(layout.entity.name) has no property \(name) with a column to look for.",
          entity: layout.entity.name
        )
      }
      return column
    }
    // Null is unlike everything, as it is for a unique index.
    guard !values.contains(.null) else { return nil }
    return try tables[entity].find(columns, values)
  }

  /// The values of an object in the order of ``EntityLayout/columns``; nil where there is none.
  public func row(_ entity: Int, id: Int64) throws -> [Value]? {
    try tables[entity].row(id: id)
  }
}
