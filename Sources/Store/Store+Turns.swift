import Glibc
import SQLite

/// Long work in a store that other programs write at the same time.
extension Store {
  /// How long one part of long work may keep other writers waiting.
  static let turn = Duration.milliseconds(25)

  /// Runs a part of some work again and again, until it returns false.
  ///
  /// Each run is one transaction of SQLite, and should take about as long as ``turn``. After each
  /// run, there is a pause of at least the same length, in which other writers get the lock: a
  /// waiting writer tries to get the lock only from time to time.
  func takeTurns(_ body: (Writer) throws -> Bool) throws {
    var hasMore = true
    while hasMore {
      var started: ContinuousClock.Instant?
      hasMore = try maintain { writer in
        started = .now
        return try body(writer)
      }
      guard hasMore, let started else { return }
      let (seconds, attoseconds) = (ContinuousClock.now - started).components
      usleep(UInt32(clamping: max(2000, seconds * 1_000_000 + attoseconds / 1_000_000_000_000)))
    }
  }

  /// Calls the closure with a reader of a state without unsealed changes, also while other programs
  /// write again and again.
  ///
  /// The reader begins its snapshot while this store has the write lock, so no program can write
  /// between the sealing and the snapshot.
  ///
  /// - Throws: ``StoreError/Code/locked`` if other programs prevented this for longer than the busy
  ///   timeout, and the errors of the closure.
  package func readSealed<Result>(_ body: (Reader) throws -> Result) throws -> Result {
    guard !isInMemory else { return try read(body) }
    let deadline = ContinuousClock.now + min(options.busyTimeout, longestTimeout)
    while true {
      if let reader = try readerIfSealed() {
        defer { giveBack(reader) }
        return try describingErrorsOfFiles { try body(reader) }
      }
      guard ContinuousClock.now < deadline else {
        throw unrecordedChange(at: location.path)
      }
    }
  }

  /// Seals all changes, or returns a reader if there is nothing to seal.
  private func readerIfSealed() throws -> Reader? {
    struct NothingToSeal: Error {}
    var reader: Reader?
    do {
      try inTransaction { writer, connection in
        let before = connection.totalChanges
        if !isReplica { try writer.seal() }
        guard connection.totalChanges == before else { return }
        reader = try takeReader()
        // If the file has a rollback journal, no program can commit while the reader reads, so this
        // transaction can't be committed either.
        throw NothingToSeal()
      }
    } catch is NothingToSeal {}
    return reader
  }
}
