/// The progress of a long command.
package struct Progress: Hashable, Sendable {
  /// The number of transactions that are finished.
  package var transactions: Int64 = 0
  /// The number of changes in the finished transactions.
  package var changes: Int64 = 0
  /// The number of bytes in the lines of the finished changes.
  package var bytes: Int64 = 0
  /// The total number of transactions; nil if this number is not known.
  package var total: Int64?

  /// Creates the progress of a command that has not begun.
  package init(total: Int64? = nil) { self.total = total }

  /// Counts a change, and calls the closure after every 4096th change.
  package mutating func countChange(_ tick: Tick) throws {
    changes += 1
    if changes & 0xfff == 0 { try tick(self) }
  }

  package mutating func countTransaction(_ tick: Tick) throws {
    transactions += 1
    try tick(self)
  }
}

/// A closure that is called regularly with the progress.
///
/// If the closure for the progress throws, the command stops safely.
package typealias Tick = (Progress) throws -> Void
