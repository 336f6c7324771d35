import Changes
import SQLite

/// The readers of a store that nobody uses at the moment.
///
/// Readers are not `Sendable`; the pool hands each to one user at a time, which the lock around
/// the list makes sure of.
final class ReaderPool: @unchecked Sendable {
  private static let keptAtMost = 8
  private let lock = RecursiveLock()
  private var idle: [Reader] = []

  func take() -> Reader? {
    lock.withLock { idle.popLast() }
  }

  func giveBack(_ reader: Reader) {
    lock.withLock {
      if idle.count < Self.keptAtMost { idle.append(reader) }
    }
  }
}
