import Format
import FoundationEssentials
import SQLite

/// A store: rows with their history, in a file or in memory.
///
/// A store can be used from any thread. Writers wait for each other; readers of a file never wait.
/// Connections are not `Sendable`, so a lock protects the writer's connection, and only one thread
/// at a time uses a reader.
package final class Store: @unchecked Sendable {
  package let location: Location
  /// The UUID of the store.
  package let identifier: String
  /// The number of the lineage, which rises when the store is restored from an older copy.
  package let lineage: Int64
  /// Whether the store is a replica, which only accepts replayed history.
  package let isReplica: Bool
  /// Whether the store is the history file of a database that is only read.
  package let followsDatabase: Bool
  package let schema: StoreSchema
  package let layouts: [EntityLayout]
  package let options: Options

  let lock = RecursiveLock()
  let readers = ReaderPool()
  let writerConnection: Connection?
  let writer: Writer?
  var replayer: Replayer?
  var isWriting = false
  var hasWriteAheadLog = true
  private var nextExpiry: ContinuousClock.Instant?
  let file: StoreFile
  let schemaCheck: SchemaCheck

  /// Prepares SQLite for a process that uses it only through stores; call this before a store is
  /// opened.
  package static func prepareProcess() {
    Connection.skipMemoryStatistics()
    Connection.returnLargeMemory()
  }

  /// Opens a store, and creates a missing store if a schema is given.
  ///
  /// If no schema is given, the store is opened with its own schema.
  ///
  /// - Throws: ``StoreError``, with ``StoreError/Code/schemaMismatch`` if the store has a schema
  ///   with other tables.
  package static func open(
    _ location: Location,
    schema: StoreSchema? = nil,
    options: Options = Options()
  ) throws -> Store {
    if case .file = location {
      if schema == nil, let history = try appleHistory(of: location.path) {
        return try open(.file(URL(fileURLWithPath: history)), options: options)
      }
      guard try schema == nil || !isOfApple(location.path) else {
        throw appleStore(at: location.path)
      }
    }
    return try describingErrors(at: location.path, timeout: options.busyTimeout) {
      try Store(location, schema: schema, options: options)
    }
  }

  private init(_ location: Location, schema: StoreSchema?, options: Options) throws {
    var file = StoreFile(location: location, options: options)
    let (connection, catalog) = try file.open(schema: schema)
    file.prefix = connection.tablePrefix
    self.location = location
    self.options = options
    self.schema = catalog.schema
    identifier = catalog.identifier
    lineage = catalog.lineage
    isReplica = catalog.isReplica
    followsDatabase = catalog.followsDatabase
    layouts = try catalog.schema.layouts()
    schemaCheck = SchemaCheck(schemaID: catalog.schemaID, schema: catalog.schema)
    self.file = file
    if options.isReadOnly {
      writerConnection = nil
      writer = nil
      readers.giveBack(makeReader(on: connection, point: options.point))
    } else {
      writerConnection = connection
      let writer = try Writer(
        connection,
        catalog: catalog,
        location: location,
        provenance: options.provenance
      )
      try writer.blobs.removeLeftovers()
      writer.committed()
      self.writer = writer
      expireHistory()
    }
  }

  /// Whether triggers capture changes of other programs.
  package var capturesChanges: Bool { !isReplica && !followsDatabase }

  var isInMemory: Bool {
    if case .memory = location { true } else { false }
  }

  /// Runs a function with the writer in one transaction, which is rolled back if the function
  /// throws.
  ///
  /// `committed` is called after the commit, with the new transaction of history, or with nil if
  /// nothing changed.
  @discardableResult
  package func write<Result>(
    _ author: Author,
    committed: (Int64?) -> Void = { _ in },
    _ body: (Writer) throws -> Result
  ) throws -> Result {
    let result = try lock.withLock {
      let result = try inTransaction { writer, _ in
        guard !isReplica else { throw replicaRefusal(at: location.path) }
        try refuseIfAdopted()
        guard !followsDatabase else { throw followerRefusal(at: location.path) }
        try writer.begin(author)
        let result = try body(writer)
        try writer.finish()
        return result
      }
      committed(writer?.transaction)
      return result
    }
    expireHistory()
    return result
  }

  /// Deletes expired history, at most once a minute.
  private func expireHistory() {
    guard let time = options.historyTimeToLive, !isReplica else { return }
    let now = ContinuousClock.now
    let isDue = lock.withLock {
      guard nextExpiry.map({ now >= $0 }) ?? true else { return false }
      nextExpiry = now + .seconds(60)
      return true
    }
    guard isDue else { return }
    let (seconds, attoseconds) = time.components
    let age = Double(seconds) + Double(attoseconds) / 1e18
    // The write succeeded, so an error is not reported; the deletion is tried again a minute later.
    _ = try? deleteHistory(before: Date().addingTimeInterval(-age))
  }

  /// Runs a function with the writer in a transaction that changes no row of an entity.
  func maintain<Result>(_ body: (Writer) throws -> Result) throws -> Result {
    try inTransaction { writer, _ in
      guard !isReplica else { throw replicaRefusal(at: location.path) }
      try writer.seal()
      return try body(writer)
    }
  }

  func inTransaction<Result>(
    _ body: (Writer, Connection) throws -> Result
  ) throws -> Result {
    try lock.withLock {
      guard let writer, let connection = writerConnection else {
        throw StoreError(.readOnly, at: location.path) {
          "The store \(location.path) was opened for reading only.\nOpen the store for writing."
        }
      }
      guard !isWriting else {
        throw StoreError(.misuse, at: location.path) {
          "A write to the store \(location.path) can't begin inside another write."
        }
      }
      isWriting = true
      defer { isWriting = false }
      return try describingErrors(at: location.path, timeout: options.busyTimeout) {
        try Capture.begin(waiting: options.busyTimeout, on: connection)
        do {
          try schemaCheck.run(on: connection)
          let result = try body(writer, connection)
          do {
            try connection.cached("COMMIT").run()
          } catch SQLiteError.constraintForeignKey {
            throw try writer.missingReference()
          }
          writer.committed()
          return result
        } catch {
          writer.abandon()
          connection.rollBack()
          throw error
        }
      }
    }
  }
}

func replicaRefusal(at path: String) -> StoreError {
  StoreError(.replica, at: path) {
    "The store \(path) is a replica, which accepts only changes of its origin."
      + "\nTo make the replica independent: travelog promote \(path)"
  }
}
