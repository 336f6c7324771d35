import Changes
import FoundationEssentials
import SQLite

/// A store: rows with their history, in a file or in memory.
///
/// It may be used from any thread. Writing takes turns; reading a file waits for nobody.
///
/// Connections are not `Sendable`. The one that writes is used with the lock held, and each that
/// reads by one user at a time.
package final class Store: @unchecked Sendable {
  /// Where it is kept.
  package let location: Location
  /// The store's own name, a UUID.
  package let identifier: String
  /// The lineage, which goes up when a store was restored from an older copy.
  package let lineage: Int64
  /// Whether it takes nothing but what is replayed from another store's history.
  package let isReplica: Bool
  /// What is in it.
  package let schema: StoreSchema
  /// How the entities lie in their tables, in the order of ``StoreSchema/entities``.
  package let layouts: [EntityLayout]
  /// How it was opened.
  package let options: Options

  private let lock = RecursiveLock()
  private let readers = ReaderPool()
  private let writerConnection: Connection?
  private let writer: Writer?
  private var replayer: Replayer?
  private var isWriting = false
  private var hasWriteAheadLog = true
  private var nextExpiry: ContinuousClock.Instant?
  private let file: StoreFile
  private let schemaCheck: SchemaCheck

  /// Makes the process one that has nothing else to do with SQLite, before it opens its first store.
  package static func prepareProcess() {
    Connection.skipMemoryStatistics()
    Connection.returnLargeMemory()
  }

  /// Opens a store, and makes it where there is none.
  ///
  /// - Throws: ``StoreError``, with ``StoreError/Code/schemaMismatch`` where the store was made
  ///   with a schema that needs other tables.
  package static func open(
    _ location: Location,
    schema: StoreSchema,
    options: Options = Options()
  ) throws -> Store {
    try describingErrors(at: location.path) {
      try Store(location, schema: schema, options: options)
    }
  }

  /// Opens a store that is there, with the schema that it carries.
  package static func open(_ location: Location, options: Options = Options()) throws -> Store {
    try describingErrors(at: location.path) {
      try Store(location, schema: nil, options: options)
    }
  }

  private init(_ location: Location, schema: StoreSchema?, options: Options) throws {
    let file = StoreFile(location: location, options: options)
    let (connection, catalog) = try file.open(schema: schema)
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
        connection: connection,
        catalog: catalog,
        layouts: layouts,
        blobFolder: location.blobFolder,
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

  /// Calls with a reader that sees one state of the store.
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

  /// The first bytes of a file, which may be that of a store that is open.
  ///
  /// Whoever opens and closes such a file by other means than SQLite's lets go of all locks that this
  /// process has on it.
  package static func firstBytes(of path: String, count: Int) throws -> [UInt8] {
    try describingErrors(at: path) {
      try Connection(path: path, mode: .readOnly).firstBytes(count)
    }
  }

  /// Hands out a reader that sees one state of the store until it is given back.
  ///
  /// While it is held, the write-ahead log of the file can't be taken back into it beyond that
  /// state. A reader of a store in memory sees what is written meanwhile.
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

  /// Hands out a reader with a companion, which sees the same state.
  ///
  /// It has none where the store is in memory, or somebody writes all the time.
  package func takeReaderWithCompanion() throws -> Reader {
    let reader = try takeReader()
    guard !reader.isShared else { return reader }
    do {
      for _ in 0..<3 {
        let version = try reader.version()
        let companion = try takeReader()
        // What was committed while the companion took its snapshot shows in the next one.
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

  /// Makes a watch, which tells of commits without reading anything.
  package func watch() throws -> CommitWatch {
    try describingErrors(at: location.path) {
      CommitWatch(self, connection: isInMemory ? nil : try file.connectReader())
    }
  }

  /// Takes a reader back.
  package func giveBack(_ reader: Reader) {
    if let companion = reader.companion {
      reader.companion = nil
      giveBack(companion)
    }
    do {
      try reader.end()
      readers.giveBack(reader)
    } catch {
      // A reader that can't end what it reads is closed instead of kept, which ends it.
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

  /// Tells of a row that was caught whether nothing can join its transaction any more, because it
  /// is sealed now or because nobody writes.
  private func isLast(_ place: CapturedRow.Place) throws -> Bool {
    guard writer != nil else { return try file.isLast(place) }
    let isLast = try lock.withLockIfFree {
      try sealIfNobodyWrites { try CapturedRows.isLast(place, at: nil, on: $0) }
    }
    return (isLast ?? nil) ?? false
  }

  /// Seals what writers did that are not ours, unless somebody writes, who is not waited for.
  ///
  /// Before anything is sealed it calls with the lock for writing held; nil if somebody writes.
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

  /// Calls with the writer, inside one transaction; anything thrown takes all of it back.
  ///
  /// `committed` is called after the commit, with the transaction of history that it made; nil if
  /// nothing had changed.
  @discardableResult
  package func write<Result>(
    _ author: Author,
    committed: (Int64?) -> Void = { _ in },
    _ body: (Writer) throws -> Result
  ) throws -> Result {
    let result = try lock.withLock {
      let result = try inTransaction { writer, _ in
        guard !isReplica else { throw replicaError }
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

  /// Deletes what is older than history is to be, once a minute at most.
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
    // The write is done; what can't be deleted now is old a minute later too.
    _ = try? deleteHistory(before: Date().addingTimeInterval(-age))
  }

  /// Calls with what replays transactions of another store into this replica, inside one
  /// transaction; anything thrown takes all of it back.
  ///
  /// - Parameters:
  ///   - content: Gives the bytes of a value that is too large for a line, by its SHA-256.
  ///   - body: Replays any number of whole transactions.
  /// - Returns: What the body returns.
  /// - Throws: ``StoreError``, with ``StoreError/Code/replayMismatch`` where the replica's rows are
  ///   not as the transactions expect.
  @discardableResult
  package func replay<Result>(
    content: @escaping (String) throws -> LargeValue,
    _ body: (Replayer) throws -> Result
  ) throws -> Result {
    try lock.withLock {
      guard isReplica else { throw ReplayFailure.notAReplica.at(location.path) }
      // A writer that is not ours may have left links to nothing, which are replayed as they are.
      try writerConnection?.setForeignKeys(enforced: false)
      defer {
        do {
          try writerConnection?.setForeignKeys(enforced: true)
        } catch {
          // It can't fail on an open connection; a caller could do nothing about it.
        }
      }
      return try inTransaction { writer, _ in
        let replayer = try self.replayer ?? Replayer(writer)
        self.replayer = replayer
        return try replayer.run(content: content, body)
      }
    }
  }

  /// Lets what is replayed go into the file itself, or into a write-ahead log beside it as before.
  ///
  /// A transaction that is larger than the cache writes a page twice into the log, reads it, and
  /// writes it into the file; without the log it is written once. Nothing is less durable, because a
  /// journal has what was overwritten; but whoever reads the store waits for whoever writes, so
  /// that this is for a replica that is being made. Whoever opens a store for writing gives it its
  /// log again. A store that somebody else has open stays as it is.
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
          // Somebody else has it open, and it is as good with the log as without.
        }
      }
      return isUsed == hasWriteAheadLog
    }
  }

  /// Gives the changes of writers that are not ours their places in history, if there are any.
  ///
  /// Another program that is writing is not waited for: if it is one of ours, it seals them with
  /// what it writes. False is returned where it is left to somebody else, because the store is a
  /// replica, was opened for reading only, or is being written.
  @discardableResult
  package func sealForeignChanges() throws -> Bool {
    guard case .unsealed = try read({ $0.head }) else { return true }
    return try describingErrors(at: location.path) {
      try lock.withLock { try sealIfNobodyWrites { _ in } != nil }
    }
  }

  /// Calls with the writer inside a transaction that changes no row of an entity.
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

  /// Calls with the writer inside a transaction of the database, which is committed at the end.
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
      return try describingErrors(at: location.path) {
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
