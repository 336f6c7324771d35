import Format
import SQLite

/// Writes the rows of a save or an undo, and records their history.
///
/// A store has one writer, which ``Store/write(_:committed:_:)`` passes to its closure while the
/// transaction is open. Code that writes to a store file without a ``Store``, such as the migration
/// of a replica, creates its own.
package final class Writer {
  package let layouts: [EntityLayout]
  let connection: Connection
  /// The deleted objects, including those that delete rules deleted.
  package internal(set) var deleted: [RowKey] = []
  /// The recorded transaction; nil if nothing changed.
  private(set) var transaction: Int64?
  /// The objects that lost references or links in this transaction because their targets were
  /// deleted.
  package internal(set) var updated: [RowKey] = []

  let tables: [Table]
  let joins: [JoinStatements]
  let recorder: ChangeRecorder
  let blobs: Blobs
  let references: [[IncomingReference]]
  let indexes: [String: EntityIndex]
  var pointers: [PointerCheck] = []
  var denied: [DeniedTargets] = []
  var parked = ParkedRows()
  private var author = Author()
  let schema: StoreSchema
  let schemaID: Int64
  /// The number of the clock up to which captured changes are sealed; nil before the first write.
  package private(set) var clock: Int64?
  /// SQLite's schema version at the last check of the tables; nil before the first check.
  private var tablesVersion: Int64?

  init(
    _ connection: Connection,
    catalog: Catalog,
    location: Location,
    provenance: Provenance
  ) throws {
    self.connection = connection
    layouts = try catalog.schema.layouts()
    schema = catalog.schema
    schemaID = catalog.schemaID
    let texts = TextRoom()
    tables = layouts.map { [layouts] in
      Table(connection, layout: $0, layouts: layouts, texts: texts)
    }
    joins = joinTables(among: layouts).map { JoinStatements(connection, table: $0) }
    blobs = Blobs(connection, folder: location.blobFolder)
    recorder = try ChangeRecorder(
      connection,
      schema: catalog.schema,
      schemaID: catalog.schemaID,
      blobs: blobs,
      provenance: provenance
    )
    references = incomingReferences(layouts)
    indexes = Dictionary(uniqueKeysWithValues: layouts.map { ($0.entity.name, $0.index) })
  }

  func begin(_ author: Author) throws {
    try beginRows()
    try sealCaptured()
    self.author = author
    try recorder.begin()
  }

  /// Seals foreign changes without writing anything else.
  func seal() throws {
    try checkTables()
    try sealCaptured()
    try blobs.prepareToCommit()
  }

  private func sealCaptured() throws {
    if AdoptedFile.names(on: connection) != nil {
      return try AdoptedFile.seal(
        on: connection,
        blobs: blobs,
        recorder: recorder,
        schema: schema
      )
    }
    let now = try Capture.clock(names: StoreCapture.names, on: connection)
    guard now != clock else { return }
    try StoreCapture.seal(on: connection, blobs: blobs, besides: recorder)
    clock = now
  }

  /// Starts to write rows; the caller decides how their history is recorded.
  func beginRows() throws {
    try checkTables()
    deleted.removeAll()
    updated.removeAll()
    pointers.removeAll()
    denied.removeAll()
    parked.removeAll()
    recorder.forget()
  }

  /// Throws if another process changed the tables, and installs missing triggers.
  private func checkTables() throws {
    guard let version = try connection.integer("PRAGMA schema_version"),
      version != tablesVersion
    else { return }
    let stored = try Catalog(on: connection).schema
    guard schema.differences(fromStored: stored).isEmpty else {
      throw migratedByOthers(from: schema, to: stored, at: connection.path)
    }
    // Another process may have changed the history mode.
    try recorder.refresh()
    guard let capture = try StoreCapture.of(schema) else { return }
    if try !capture.isInstalled(on: connection) {
      try capture.install(on: connection)
      // The installation changed the version in SQLite, so `version` is not remembered.
      return
    }
    if try !Capture.isCurrent(on: connection) { try Capture.noteVersion(on: connection) }
    tablesVersion = version
  }

  func finish() throws {
    try putParkedRowsBack()
    try checkDeletions()
    let changes = try recorder.finish(author) { try current($0) }
    transaction = changes > 0 ? recorder.transaction : nil
    try blobs.prepareToCommit()
  }

  func committed() {
    blobs.committed()
    recorder.committed()
  }

  func abandon() {
    clock = nil
    recorder.abandon()
    blobs.abandon()
  }

  /// Reserves unused ids of a table, and returns the first of them.
  package func reserveIDs(_ table: String, count: Int) throws -> Int64 {
    // The highest id in the table counts too, because a foreign writer can have reset the sequence.
    let sequence = try connection.integer(
      "SELECT seq FROM sqlite_sequence WHERE name = ?1",
      values: [.text(table)]
    )
    let highestRow = try connection.integer("SELECT max(\"id\") FROM \(quoted(table))") ?? 0
    let last = max(sequence ?? 0, highestRow)
    let (highest, isTooHigh) = last.addingReportingOverflow(Int64(count))
    guard !isTooHigh else {
      throw StoreError(.invalidValue, at: connection.path) {
        "The table \(table) has no ids left: another program gave a row the id \(last)."
          + "\nGive this row a smaller id with the sqlite3 shell, and set the table's seq in"
          + " sqlite_sequence to the highest id."
      }
    }
    try connection.run(
      sequence == nil
        ? "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)"
        : "UPDATE sqlite_sequence SET seq = ?2 WHERE name = ?1",
      values: [.text(table), .integer(highest)]
    )
    return last + 1
  }

  /// Makes the next id of a table higher than all ids up to one.
  func raiseSequence(_ entity: EntityIndex, to highest: Int64) throws {
    let table: [Value] = [.text(layouts[entity].entity.table), .integer(highest)]
    try connection.run(
      "UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1",
      values: table
    )
    guard connection.changes == 0 else { return }
    try connection.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)", values: table)
  }

  /// Inserts an object.
  ///
  /// The values are in the order of ``EntityLayout/columns``. A value of an external attribute is a
  /// blob of any size.
  package func insert(_ entity: EntityIndex, id: Int64, values: [Value]) throws {
    let key = RowKey(entity: entity, id: ObjectID(id))
    let values = try movedOut(values, of: entity)
    do {
      try put(key, values: values)
    } catch let error as SQLiteError {
      throw refusal(error, key: key)
    }
    try recorder.insert(key, values: values)
  }

  /// Sets some values of an object, by their positions in ``EntityLayout/columns``.
  ///
  /// - Returns: False if there is no such object. Nothing is recorded if no value changes.
  @discardableResult
  package func update(
    _ entity: EntityIndex,
    id: Int64,
    columns: [ColumnIndex],
    values: [Value]
  ) throws -> Bool {
    let key = RowKey(entity: entity, id: ObjectID(id))
    guard !columns.isEmpty else { return try tables[entity].find(key.id) != nil }
    // History lists changed columns in the order of the schema, so they are sorted.
    if zip(columns, columns.dropFirst()).contains(where: { $0 >= $1 }) {
      let sorted = Dictionary(zip(columns, values), uniquingKeysWith: { $1 })
        .sorted { $0.key < $1.key }
      return try update(entity, id: id, columns: sorted.map(\.key), values: sorted.map(\.value))
    }
    guard let before = try current(key, columns: columns) else { return false }
    let values = try movedOut(values, before: before, columns: columns, of: entity)
    guard zip(before, values).contains(where: { !$0.isSame(as: $1) }) else { return true }
    do {
      try put(key, columns: columns, values: values)
    } catch let error as SQLiteError {
      throw refusal(error, key: key)
    }
    try recorder.update(key, columns: columns, before: before, after: values)
    return true
  }

  /// The id of the object with these values; nil if there is none.
  package func find(_ entity: EntityIndex, unique: [String], values: [Value]) throws -> Int64? {
    let layout = layouts[entity]
    let columns = try unique.map { name in
      guard let column = layout.column(of: name) else {
        throw StoreError(.misuse) { "\(layout.entity.name).\(name) is not stored in a column." }
      }
      return column
    }
    // NULLs do not conflict in a unique index, so no object is found.
    guard !values.contains(.null) else { return nil }
    for (key, row) in parked.rows where layout.family.contains(key.entity) {
      let own = unique.compactMap { layouts[key.entity].column(of: $0) }
      if zip(own, values).allSatisfy({ row[$0].isSame(as: $1) }) { return key.id.integer }
    }
    return try tables[entity].find(columns, values: values)
  }

  /// The values of an object in the order of ``EntityLayout/columns``; nil if there is no such
  /// object.
  ///
  /// For a value in a blob file, the result contains the text of its digest.
  package func row(_ entity: EntityIndex, id: Int64) throws -> [Value]? {
    try current(RowKey(entity: entity, id: ObjectID(id)))
  }

  /// The values of an object.
  ///
  /// A parked row has the values that it will have when the transaction ends.
  func current(_ key: RowKey) throws -> [Value]? {
    try parked[key] ?? tables[key.entity].find(key.id)
  }

  private func current(_ key: RowKey, columns: [ColumnIndex]) throws -> [Value]? {
    if let row = parked[key] { return columns.map { row[$0] } }
    return try tables[key.entity].values(key.id, columns: columns)
  }

  private func refusal(_ error: SQLiteError, key: RowKey) -> any Error {
    let layout = layouts[key.entity]
    let object = name(of: key)
    switch error.code {
    case SQLiteError.constraintNotNull:
      let properties = failedColumns(error, layout: layout).map { layout.columns[$0].property }
      return StoreError(.missingValue, cause: error) {
        "\(object) can't be saved because \(properties.joined(separator: " and ")) must have a"
          + " value."
      }
    case SQLiteError.constraintCheck, SQLiteError.constraintDataType:
      return StoreError(.invalidValue, cause: error) {
        "\(object) can't be saved because a value does not have the type of the property:"
          + " \(error.message)."
      }
    case SQLiteError.constraintPrimaryKey, SQLiteError.constraintRowID:
      return StoreError(.duplicate, items: [object], cause: error) {
        "\(object) can't be inserted because an object with this id exists."
      }
    default: return error
    }
  }

  func name(of key: RowKey) -> ObjectName {
    ObjectName(layouts[key.entity].entity.name, id: key.id.integer)
  }
}
