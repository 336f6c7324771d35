import Format
import FoundationEssentials
import Glibc
import Pages
import SQLite
import Stopping

/// Reads a database into its history file again and again, so that each commit is read while the
/// write-ahead log still has it.
///
/// The watch reads the log itself, and takes no lock. If it pins the commits, it also keeps a read
/// transaction, so that no checkpoint overwrites what was not read yet.
package struct DatabaseWatch {
  private static let pause: UInt32 = 50_000

  /// The path of the history file.
  package let history: String
  /// Whether a read transaction keeps the commits until they are read.
  package var isPinned = false
  /// The shortest time between two comparisons of a database without a write-ahead log.
  package var interval: Duration = .seconds(10)

  package init(history: String) { self.history = history }

  /// Reads until the process is asked to end.
  ///
  /// - Throws: ``StoreError``; what was read before remains.
  package func run() throws {
    let location = Location.file(URL(fileURLWithPath: history))
    try describingErrors(at: history) {
      let connection = try StoreFile(location: location, options: Options()).connectReading()
      guard var known = try ReadDatabase(on: connection) else {
        throw notAHistoryFile(history)
      }
      var reading = DatabaseReading(connection: connection, location: location)
      let path = known.path
      var pin: Pin?
      var compared: ContinuousClock.Instant?
      while !StopRequest.isMade {
        // These files must stay open as long as the pin: closing them would release its locks.
        let files = try DatabaseFiles(path, sharing: reading.kept)
        if let kept = reading.kept, !kept.stamp.isSameFile(as: files.stamp) { pin = nil }
        files.hasConnection = pin != nil
        reading.kept = files
        let found = try files.describingErrors {
          (usesLog: files.usesLog, isNew: try !files.isUnchanged(since: known))
        }
        if let found {
          let isDue = found.usesLog || compared.map { ContinuousClock.now >= $0 + interval } ?? true
          // The next pin begins before the last one ends.
          let next = isPinned && found.usesLog ? try Pin(path) : nil
          files.hasConnection = pin != nil || next != nil
          if found.isNew, isDue {
            try read(reading, connection, &known)
            compared = .now
          }
          pin = next
        }
        usleep(Self.pause)
      }
      withExtendedLifetime(pin) {}
    }
  }

  /// Reads what is new; if the database changes too often, it is read again later.
  private func read(
    _ reading: DatabaseReading,
    _ connection: Connection,
    _ known: inout ReadDatabase
  ) throws {
    do {
      try reading.run()
      known = try ReadDatabase(on: connection) ?? known
    } catch let error as StoreError where error.code == .locked {
      return
    } catch SQLiteError.busy {
      // A command reads the same database.
      return
    }
  }
}

/// A read transaction of SQLite on a database, which keeps the commits of its write-ahead log that it
/// does not see.
private final class Pin {
  private let connection: Connection

  init(_ path: String) throws {
    connection = try Connection(path: path, mode: .readOnly)
    connection.setBusyTimeout(.seconds(1))
    try connection.execute("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1")
  }
}
