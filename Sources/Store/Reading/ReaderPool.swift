import Format

/// The readers of a store that are not in use.
///
/// A reader is not `Sendable`. The lock ensures that only one thread at a time uses a reader.
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
