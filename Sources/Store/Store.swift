import Changes
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
  package let schema: StoreSchema
  package let layouts: [EntityLayout]
  package let options: Options

  let lock = RecursiveLock()
  private let readers = ReaderPool()
  let writerConnection: Connection?
  private let writer: Writer?
  private var replayer: Replayer?
  private var isWriting = false
  private var hasWriteAheadLog = true
  private var nextExpiry: ContinuousClock.Instant?
  private let file: StoreFile
  private let schemaCheck: SchemaCheck

  /// Prepares SQLite for a process that uses SQLite only through stores, before the first store is
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
    try describingErrors(at: location.path, timeout: options.busyTimeout) {
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
    layouts = try catalog.schema.layouts()
    schemaCheck = SchemaCheck(schemaID: catalog.schemaID, schema: catalog.schema)
    self.file = file
    if options.isReadOnly {
      writerConnection = nil
      writer = nil
      readers.giveBack(makeReader(on: connection))
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

  private var isInMemory: Bool {
    if case .memory = location { true } else { false }
  }

  /// Calls the closure with a reader, which sees one state of the store.
  package func read<Result>(_ body: (Reader) throws -> Result) throws -> Result {
    func run() throws -> Result {
      let reader = try takeReader()
      do {
        let result = try describingErrorsOfFiles { try body(reader) }
        giveBack(reader)
        return result
      } catch {
        giveBack(reader)
        throw error
      }
    }
    return try isInMemory ? lock.withLock(run) : run()
  }

  /// The first bytes of a file, which can be an open store.
  ///
  /// The first bytes of the file are read through SQLite, because closing any other descriptor of
  /// the file would release all locks that this process has on it.
  package static func firstBytes(of path: String, count: Int) throws -> [UInt8] {
    try describingErrors(at: path) {
      try Connection(path: path, mode: .readOnly).firstBytes(count)
    }
  }

  /// Lends a reader, which sees one state of the store until it is returned.
  ///
  /// Until the reader is returned, the write-ahead log can't be emptied, and grows. A reader of a
  /// store in memory sees later writes.
  package func takeReader() throws -> Reader {
    try describingErrors(at: location.path) {
      let reader = try readers.take() ?? makeReader(on: connectionForReading())
      try reader.begin()
      do {
        try schemaCheck.run(on: reader.connection)
      } catch {
        giveBack(reader)
        throw error
      }
      return reader
    }
  }

  /// Lends a reader with a companion, which is a second reader of the same state.
  ///
  /// The reader does not have a companion if the store is in memory, or if another program writes
  /// again and again.
  package func takeReaderWithCompanion() throws -> Reader {
    let reader = try takeReader()
    guard !reader.isShared else { return reader }
    do {
      for _ in 0..<3 {
        let version = try reader.version()
        let companion = try takeReader()
        // A commit happened between the two snapshots, so the reader takes a newer one.
        try reader.refresh()
        if try reader.version() == version {
          reader.companion = companion
          return reader
        }
        giveBack(companion)
      }
    } catch {
      giveBack(reader)
      throw error
    }
    giveBack(reader)
    return try takeReader()
  }

  package func watch() throws -> CommitWatch {
    try describingErrors(at: location.path) {
      CommitWatch(self, connection: isInMemory ? nil : try file.connectReader())
    }
  }

  package func giveBack(_ reader: Reader) {
    if let companion = reader.companion {
      reader.companion = nil
      giveBack(companion)
    }
    do {
      try reader.end()
      readers.giveBack(reader)
    } catch {
      // If the reader can't end its snapshot, it is closed instead.
    }
  }

  private func connectionForReading() throws -> Connection {
    if isInMemory, let writerConnection { return writerConnection }
    return try file.connectReader()
  }

  private func makeReader(on connection: Connection) -> Reader {
    Reader(
      connection: connection,
      layouts: layouts,
      isShared: isInMemory,
      blobFolder: location.blobFolder,
      configure: options.configure,
      isLast: { [weak self] in try self?.isLast($0) ?? false }
    )
  }

  /// Whether the transaction of a captured row is complete: it is sealed, or no program is writing.
  private func isLast(_ place: CapturedRow.Place) throws -> Bool {
    guard writer != nil else { return try file.isLast(place) }
    let isLast = try lock.withLockIfFree {
      try sealIfNobodyWrites { try CapturedRows.isLast(place, at: nil, on: $0) }
    }
    return (isLast ?? nil) ?? false
  }

  /// Seals foreign changes without waiting, unless another program is writing.
  ///
  /// The closure is called first, while the write lock is held. The function returns nil if another
  /// program is writing.
  private func sealIfNobodyWrites<Result>(
    before: (Connection) throws -> Result
  ) throws -> Result? {
    guard let writer, let connection = writerConnection, !isWriting, !isReplica,
      !connection.isInTransaction
    else { return nil }
    connection.setBusyTimeout(.zero)
    defer { connection.setBusyTimeout(options.busyTimeout) }
    do {
      try connection.execute("BEGIN IMMEDIATE")
    } catch SQLiteError.busy {
      return nil
    }
    do {
      let result = try before(connection)
      try writer.seal()
      try connection.execute("COMMIT")
      writer.committed()
      return result
    } catch {
      writer.abandon()
      connection.rollBack()
      throw error
    }
  }

  /// Runs a function with the writer in one transaction, which is rolled back if the function
  /// throws.
  ///
  /// `committed` is called after the commit with the new transaction of history; nil if nothing
  /// changed.
  @discardableResult
  package func write<Result>(
    _ author: Author,
    committed: (Int64?) -> Void = { _ in },
    _ body: (Writer) throws -> Result
  ) throws -> Result {
    let result = try lock.withLock {
      let result = try inTransaction { writer, _ in
        guard !isReplica else { throw replicaError }
        try refuseIfAdopted(.writing)
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

  /// Runs a function that replays transactions of another store into this replica, in one
  /// transaction, which is rolled back if the function throws.
  ///
  /// - Parameters:
  /// - content: Returns the bytes of a large value by its SHA-256.
  /// - body: Replays any number of whole transactions.
  /// - Returns: The result of the body.
  /// - Throws: ``StoreError``, with ``StoreError/Code/replayMismatch`` if the replica's rows are
  ///   not those that the transactions expect.
  @discardableResult
  package func replay<Result>(
    content: @escaping (String) throws -> LargeValue,
    _ body: (Replayer) throws -> Result
  ) throws -> Result {
    try lock.withLock {
      guard isReplica else { throw ReplayFailure.notAReplica.at(location.path) }
      // A foreign writer can have left dangling links in the origin. Such links are replayed
      // unchanged.
      try writerConnection?.setForeignKeys(enforced: false)
      defer {
        do {
          try writerConnection?.setForeignKeys(enforced: true)
        } catch {
          // The call can't fail on an open connection, and a caller could not handle the error.
        }
      }
      return try inTransaction { writer, _ in
        let replayer = try self.replayer ?? Replayer(writer)
        self.replayer = replayer
        return try replayer.run(content: content, body)
      }
    }
  }

  /// Chooses whether a replay uses a write-ahead log, or writes directly to the file.
  ///
  /// With a write-ahead log, the pages of a large transaction are written twice: to the log, and
  /// later to the file. Without a log, the pages are written once. Commits are as durable, because
  /// a journal keeps the old pages. But readers and writers must wait for each other, so only new
  /// replicas are written without a log. The next opening for writing turns the log on again.
  /// Nothing changes if the store is open elsewhere.
  @discardableResult
  package func setWriteAheadLog(isUsed: Bool) throws -> Bool {
    try lock.withLock {
      guard isReplica, isUsed != hasWriteAheadLog, let connection = writerConnection else {
        return isUsed == hasWriteAheadLog
      }
      connection.setBusyTimeout(.zero)
      defer { connection.setBusyTimeout(options.busyTimeout) }
      try describingErrors(at: location.path) {
        do {
          try connection.execute("PRAGMA journal_mode = \(isUsed ? "WAL" : "TRUNCATE")")
          hasWriteAheadLog = isUsed
        } catch SQLiteError.busy {
          // Another program has the store open, so the log remains in use. The replay is only
          // slower.
        }
      }
      return isUsed == hasWriteAheadLog
    }
  }

  /// Seals foreign changes, if there are any.
  ///
  /// The function does not wait for another writer, because every writer of Travelog seals captured
  /// changes itself. The function returns false if nothing could be sealed, because the store is a
  /// replica, is open for reading, or is being written.
  @discardableResult
  package func sealForeignChanges() throws -> Bool {
    guard case .unsealed = try read({ $0.head }) else { return true }
    return try describingErrors(at: location.path) {
      try lock.withLock { try sealIfNobodyWrites { _ in } != nil }
    }
  }

  /// Runs a function with the writer in a transaction that changes no row of an entity.
  func maintain<Result>(_ body: (Writer) throws -> Result) throws -> Result {
    try inTransaction { writer, _ in
      guard !isReplica else { throw replicaError }
      try writer.seal()
      return try body(writer)
    }
  }

  private var replicaError: StoreError {
    ReplayFailure.replica.at(location.path)
  }

  /// Runs a function with the writer in a transaction of SQLite.
  func inTransaction<Result>(
    _ body: (Writer, Connection) throws -> Result
  ) throws -> Result {
    try lock.withLock {
      guard let writer, let connection = writerConnection else {
        throw FileFailure.openedForReading.at(location.path)
      }
      guard !isWriting else { throw FileFailure.nestedWrite.at(location.path) }
      isWriting = true
      defer { isWriting = false }
      return try describingErrors(at: location.path, timeout: options.busyTimeout) {
        try connection.cached("BEGIN IMMEDIATE").run()
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
