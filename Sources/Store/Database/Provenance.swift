import Changes
import FoundationEssentials
import Glibc

/// Where the identity of a new store, and the time, place and salt of transactions come from.
///
/// They are the system's, unless a generator wants the same store each time it runs.
package struct Provenance: Sendable {
  /// What a new store is told of itself.
  package struct Birth: Sendable {
    /// Its name, a UUID.
    package var identifier: String
    /// When it was made, as ``Stamp/time``.
    package var time: String

    /// Makes a birth.
    package init(identifier: String, time: String) {
      self.identifier = identifier
      self.time = time
    }
  }

  /// What history keeps of a transaction besides its author and its changes.
  package struct Stamp: Sendable {
    /// When it was, in RFC 3339, UTC, always with six digits of a second.
    package var time: String
    /// The name of the program.
    package var process: String
    /// The number that the program ran under.
    package var processID: Int64
    /// The name of the machine.
    package var host: String
    /// Sixteen bytes that nobody can guess.
    package var salt: [UInt8]

    /// Makes a stamp.
    package init(time: String, process: String, processID: Int64, host: String, salt: [UInt8]) {
      self.time = time
      self.process = process
      self.processID = processID
      self.host = host
      self.salt = salt
    }
  }

  /// Called when a store is made.
  package var birth: @Sendable () -> Birth
  /// Called once for each transaction that is written, in the order in which they are, with its
  /// author and the number of its changes.
  package var stamp: @Sendable (Author, Int64) -> Stamp

  /// Makes a provenance of its two sources.
  package init(
    birth: @escaping @Sendable () -> Birth,
    stamp: @escaping @Sendable (Author, Int64) -> Stamp
  ) {
    self.birth = birth
    self.stamp = stamp
  }

  /// The clock, the machine and the random numbers of the system.
  package static let system = Provenance(
    birth: { Birth(identifier: UUID().uuidString, time: currentTime()) },
    stamp: { author, _ in
      var random = SystemRandomNumberGenerator()
      let salt = (0..<2).flatMap { _ in
        withUnsafeBytes(of: random.next() as UInt64) { Array($0) }
      }
      return Stamp(
        time: currentTime(),
        process: author.process,
        processID: Int64(getpid()),
        host: hostName,
        salt: salt
      )
    }
  )
}
