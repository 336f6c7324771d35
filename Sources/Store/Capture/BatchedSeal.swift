import Adoption
import Format
import Glibc
import SQLite
import Stopping

/// Seals captured changes in batches, and gives the write lock to other programs between two of
/// them.
///
/// A batch can end inside a transaction of the program. The changes that are already written have
/// the id of the coming transaction, and no reader sees them before the transaction is closed. If
/// the process ends before that, the next one deletes them and begins the transaction again.
final class BatchedSeal {
  /// The time after which a batch ends.
  private static let duration = Duration.milliseconds(25)
  /// The part of this time in which history is written; captured rows are deleted in the rest.
  private static let writing = Duration.milliseconds(15)

  private let connection: Connection
  private let names: CaptureNames
  private let blobs: Blobs
  private var mark = SealingMark()
  private var begin = ContinuousClock.now
  private var seal: Seal?
  private var captured: CapturedTables?
  /// The first captured row that the last scan did not find, and the clock at which it began.
  private var missed: (start: Int64, first: Int64?)?
  /// Whether an earlier seal was interrupted.
  private var isContinued = false

  init(_ connection: Connection, names: CaptureNames, blobFolder: BlobFolder?) {
    self.connection = connection
    self.names = names
    blobs = Blobs(connection, folder: blobFolder)
  }

  /// Seals everything that is captured now.
  ///
  /// - Throws: ``StoreError/Code/locked`` if another process is sealing until the deadline.
  func run(until deadline: ContinuousClock.Instant) throws {
    repeat {
      try Capture.waitForSeal(until: deadline, on: connection)
    } while try !sealScanned()
  }

  /// Scans and seals; false if another process has sealed scanned rows meanwhile or is sealing, so
  /// that they must be scanned again.
  private func sealScanned() throws -> Bool {
    let catalog = try Catalog(on: connection)
    let (scan, result) = try scan(catalog.schema)
    let captured = CapturedTables(scan.tables, names: names)
    self.captured = captured
    return try withLock {
      if let earlier = try SealingMark(on: connection), !earlier.isSame(as: mark) {
        guard !earlier.isAlive else { return false }
        isContinued = true
        while try Capture.removeUnfinished(blobs: blobs, on: connection) { try pauseIfDue() }
      }
      guard try Catalog(on: connection).schemaID == catalog.schemaID,
        try Capture.sealedClock(on: connection) == scan.start
      else { return false }
      let first = try captured.first(after: scan.start, on: connection)
      guard first == scan.first else {
        // The next scan finds rows that were captured meanwhile.
        guard let missed, missed == (scan.start, first) else {
          missed = (scan.start, first)
          return false
        }
        throw damagedHistory(
          "a captured row is not in the order in which triggers write rows",
          at: connection.path
        )
      }
      let seal = try Seal(
        scan,
        result: result,
        connection: connection,
        history: scan.history(
          of: catalog.schema,
          result,
          recorder: Capture.recorder(
            catalog.schema,
            id: catalog.schemaID,
            blobs: blobs,
            on: connection
          ),
          blobs: blobs
        ),
        isContinued: isContinued,
        pause: { [unowned self] in try pauseIfDue() }
      )
      self.seal = seal
      try seal.run()
      seal.closeReading()
      while try !captured.delete(
        through: seal.sealed,
        until: begin + Self.duration,
        on: connection
      ) { try pause() }
      try Capture.forgetSealing(through: result.end, names: names, on: connection)
      return true
    }
  }

  /// Scans in short read transactions, because a reader of a file with a rollback journal prevents
  /// commits.
  private func scan(_ schema: StoreSchema) throws -> (CapturedScan, CapturedScan.Result) {
    var scan: CapturedScan?
    while true {
      begin = .now
      try connection.execute("BEGIN")
      do {
        // If the program has changed its tables since the last part, the rows of the tables must be
        // read in another way.
        if try scan?.isCurrent() != true {
          scan = try CapturedScan(connection, names: names, schema: schema)
        }
        let result = try scan?.advance(until: begin + Self.duration)
        try connection.execute("COMMIT")
        if let scan, let result { return (scan, result) }
      } catch {
        connection.rollBack()
        throw error
      }
      try wait()
    }
  }

  private func withLock<Result>(_ body: () throws -> Result) throws -> Result {
    try connection.execute("BEGIN IMMEDIATE")
    begin = .now
    do {
      let result = try body()
      try blobs.prepareToCommit()
      try connection.execute("COMMIT")
      blobs.committed()
      return result
    } catch {
      seal?.closeReading()
      blobs.abandon()
      connection.rollBack()
      throw error
    }
  }

  private func pauseIfDue() throws {
    if ContinuousClock.now >= begin + Self.writing { try pause() }
  }

  /// Commits, waits, and takes the write lock again.
  private func pause() throws {
    seal?.closeReading()
    mark.time = currentMilliseconds()
    try mark.write(on: connection)
    if let seal {
      try Catalog.set(Capture.sealed, value: .integer(seal.sealed), on: connection)
      // The rows that can't be deleted now are deleted at the end.
      _ = try captured?.delete(
        through: seal.sealed,
        until: begin + Self.duration,
        on: connection
      )
    }
    try blobs.prepareToCommit()
    try connection.execute("COMMIT")
    blobs.committed()
    try wait()
    try connection.execute("BEGIN IMMEDIATE")
    begin = .now
    // If this process did not run for a long time, another one has continued its work.
    let found = try SealingMark(on: connection)
    guard mark.isSame(as: found) else {
      throw sealing(by: found?.process, at: connection.path)
    }
  }

  /// Waits at least as long as the last batch took, if other processes may use the file.
  private func wait() throws {
    guard try connection.mayBeShared else { return }
    let taken = max(ContinuousClock.now - begin, .milliseconds(1))
    let microseconds =
      taken.components.seconds * 1_000_000
      + taken.components.attoseconds / 1_000_000_000_000
    usleep(UInt32(clamping: microseconds))
  }
}
