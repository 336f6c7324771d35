import Format
import FoundationEssentials
import Glibc

/// The sources of a new store's identity and of each transaction's time, process, host and seed.
///
/// A program that must write the same store on each run gives its own sources.
package struct Provenance: Sendable {
  package struct Birth: Sendable {
    /// The identifier of the store, a UUID.
    package var identifier: String
    package var time: String

    package init(identifier: String, time: String) {
      self.identifier = identifier
      self.time = time
    }
  }

  /// The facts that history records about a transaction, besides its author and its changes.
  package struct Stamp: Sendable {
    /// The time in UTC, as RFC 3339 defines it, with six digits after the second.
    package var time: String
    package var process: String
    package var processID: Int64
    package var host: String
    /// Random bytes that nobody can predict.
    package var seed: Seed

    package init(time: String, process: String, processID: Int64, host: String, seed: Seed) {
      self.time = time
      self.process = process
      self.processID = processID
      self.host = host
      self.seed = seed
    }
  }

  package var birth: @Sendable () -> Birth
  /// Called once for each transaction, in the order of the transactions, with the transaction's
  /// author and the number of its changes.
  package var stamp: @Sendable (Author, Int64) -> Stamp

  package init(
    birth: @escaping @Sendable () -> Birth,
    stamp: @escaping @Sendable (Author, Int64) -> Stamp
  ) {
    self.birth = birth
    self.stamp = stamp
  }

  package static let system = Provenance(
    birth: { Birth(identifier: UUID().uuidString, time: currentTime()) },
    stamp: { author, _ in
      return Stamp(
        time: currentTime(),
        process: author.process,
        processID: Int64(getpid()),
        host: hostName,
        seed: .random()
      )
    }
  )
}
