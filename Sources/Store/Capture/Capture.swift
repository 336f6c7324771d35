import Adoption
import Format
import SQLite
import Stopping

/// Functions for the tables and triggers that capture the changes of other programs, in every store.
enum Capture {
  /// The key of the catalog entry with SQLite's schema version at the last comparison of the
  /// tables.
  static let version = "schema_version"

  static func schemaVersion(on connection: Connection) throws -> Int64 {
    try connection.first("PRAGMA schema_version") { $0.int64(at: 0) } ?? 0
  }

  /// Records SQLite's schema version.
  ///
  /// The caller must have compared the tables.
  static func noteVersion(on connection: Connection) throws {
    try Catalog.set(version, value: .integer(schemaVersion(on: connection)), on: connection)
  }

  /// Whether SQLite's schema version equals the recorded version.
  ///
  /// If SQLite's schema version equals the recorded version, no table has changed.
  static func isCurrent(on connection: Connection) throws -> Bool {
    try Catalog.value(version, on: connection) == .integer(schemaVersion(on: connection))
  }

  /// What is left out since a schema, also under other names that it may have now.
  static func leftOut(
    since schema: StoreSchema,
    names: CaptureNames,
    on connection: Connection
  ) throws -> [LeftOut] {
    guard let parts = schema.leftOut else { return [] }
    let tables = try triggerTables(on: connection)
    var renamed: [String: String] = [:]
    for (number, entity) in schema.entities.enumerated() {
      renamed[entity.name] = tables["\(names.prefix)after_insert_\(number)"]
    }
    return try parts.following(
      readTables(connection, without: names),
      since: schema,
      renamed: renamed
    )
  }

  /// The names of the tables with triggers, by the names of the triggers.
  static func triggerTables(on connection: Connection) throws -> [String: String] {
    let triggers = try connection.all(
      "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'trigger'"
    ) { ($0.string(at: 0), $0.string(at: 1)) }
    return Dictionary(triggers) { first, _ in first }
  }
}

/// Sealing.
extension Capture {
  /// The key of the catalog entry with the clock up to which captured rows are sealed; the entry
  /// exists while captured rows are deleted.
  static let sealed = "sealed"

  static func sealedClock(on connection: Connection) throws -> Int64 {
    guard case .integer(let clock) = try Catalog.value(sealed, on: connection) else { return 0 }
    return clock
  }

  static func clock(names: CaptureNames, on connection: Connection) throws -> Int64 {
    let statement = try connection.cached("SELECT clock FROM \(names.context)")
    defer { statement.reset() }
    return try statement.step() ? statement.int64(at: 0) : 0
  }

  /// Waits until no other process is sealing.
  ///
  /// - Throws: ``StoreError/Code/locked`` if another process is sealing until the deadline.
  static func waitForSeal(
    until deadline: ContinuousClock.Instant,
    on connection: Connection
  ) throws {
    while let mark = try SealingMark(on: connection), mark.isAlive {
      guard ContinuousClock.now < deadline, !StopRequest.isMade else {
        throw sealing(by: mark.process, at: connection.path)
      }
      sleepBriefly()
    }
  }

  /// Takes the write lock of a file when no other process is sealing.
  static func begin(waiting timeout: Duration, on connection: Connection) throws {
    let deadline = ContinuousClock.now + min(timeout, longestTimeout)
    while true {
      try connection.cached("BEGIN IMMEDIATE").run()
      // Only an adopted file is sealed in several transactions.
      guard connection.tablePrefix != nil else { return }
      guard try SealingMark(on: connection)?.isAlive == true else { return }
      try connection.execute("ROLLBACK")
      try waitForSeal(until: deadline, on: connection)
    }
  }

  /// Removes the entries about sealing, when all captured rows up to a clock are deleted.
  static func forgetSealing(
    through clock: Int64,
    names: CaptureNames,
    on connection: Connection
  ) throws {
    try connection.run(
      "DELETE FROM \(names.bracket) WHERE clock <= ?1",
      values: [.integer(clock)]
    )
    try Catalog.remove(sealed, on: connection)
    try SealingMark.remove(on: connection)
  }

  /// Deletes some changes that belong to no transaction; false if there are none.
  static func removeUnfinished(blobs: Blobs, on connection: Connection) throws -> Bool {
    let tables = connection.tables
    let found = try connection.all(
      """
      SELECT id, large FROM \(tables.change)
        WHERE transaction_id > (SELECT max(id) FROM \(tables.transaction)) ORDER BY id DESC LIMIT 256
      """
    ) { (id: $0.int64(at: 0), large: $0.isNull(at: 1) ? [] : digests(in: $0.bytes(at: 1))) }
    guard let first = found.last?.id else { return false }
    for digest in found.flatMap(\.large) { try blobs.count(digest, history: -1) }
    try connection.run("DELETE FROM \(tables.change) WHERE id >= ?1", values: [.integer(first)])
    return true
  }

  /// Creates a recorder for changes that other programs made.
  static func recorder(
    _ schema: StoreSchema,
    id: Int64,
    blobs: Blobs,
    on connection: Connection
  ) throws -> ChangeRecorder {
    try ChangeRecorder(
      connection,
      schema: schema,
      schemaID: id,
      blobs: blobs,
      provenance: .system
    )
  }

  /// Seals everything that was captured, with the schema of the catalog, in the open SQL transaction
  /// of the caller.
  static func sealAll(_ names: CaptureNames, blobs: Blobs, on connection: Connection) throws {
    let catalog = try Catalog(on: connection)
    let recorder = try recorder(catalog.schema, id: catalog.schemaID, blobs: blobs, on: connection)
    try sealAll(names, schema: catalog.schema, recorder: recorder, blobs: blobs, on: connection)
  }

  /// Seals everything that was captured in the open SQL transaction of the caller, and returns the
  /// last transaction; nil if nothing changed.
  ///
  /// `own` is the author of an undo, whose changes become one transaction.
  @discardableResult
  static func sealAll(
    _ names: CaptureNames,
    schema: StoreSchema,
    recorder: ChangeRecorder,
    blobs: Blobs,
    own: Author? = nil,
    on connection: Connection
  ) throws -> Int64? {
    let mark = try SealingMark(on: connection)
    if let mark {
      if mark.isAlive { throw sealing(by: mark.process, at: connection.path) }
      while try removeUnfinished(blobs: blobs, on: connection) {}
    }
    guard try unsealedCount(on: connection) > 0 || hasBrackets(names, on: connection) else {
      return nil
    }
    let scan = try CapturedScan(connection, names: names, schema: schema)
    guard let result = try scan.advance() else { return nil }
    let seal = try Seal(
      scan,
      result: result,
      connection: connection,
      history: scan.history(of: schema, result, recorder: recorder, blobs: blobs),
      own: own,
      isContinued: mark != nil
    )
    try seal.run()
    seal.closeReading()
    _ = try CapturedTables(scan.tables, names: names).delete(through: result.end, on: connection)
    try forgetSealing(through: result.end, names: names, on: connection)
    return seal.last
  }

  static func hasBrackets(_ names: CaptureNames, on connection: Connection) throws -> Bool {
    try connection.hasRow("SELECT 1 FROM \(names.bracket) LIMIT 1")
  }

  /// The number of captured rows that are not sealed yet.
  static func unsealedCount(on connection: Connection) throws -> Int64 {
    let names = connection.captureNames
    guard try !ReadDatabase.isThere(on: connection) else { return 0 }
    guard try connection.tablePrefix != nil || StoreCapture.isAnythingWaiting(on: connection) else {
      return 0
    }
    let layouts = try Catalog(on: connection).schema.fileSchema.layouts()
    let tables = layouts.map { Table(connection, layout: $0, layouts: layouts) }
    return try CapturedTables(tables, names: names)
      .count(after: sealedClock(on: connection), on: connection)
  }
}

extension Connection {
  /// The names of the tables and triggers that capture the changes of other programs.
  var captureNames: CaptureNames {
    CaptureNames(prefix: tablePrefix ?? CaptureNames.usualPrefix)
  }
}
