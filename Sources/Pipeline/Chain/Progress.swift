/// How far a long command has got.
package struct Progress: Hashable, Sendable {
  /// The transactions that were handled.
  package var transactions: Int64 = 0
  /// Their changes.
  package var changes: Int64 = 0
  /// The bytes of their lines.
  package var bytes: Int64 = 0
  /// The transactions that there are to handle; nil if nobody knows.
  package var total: Int64?

  /// Makes the beginning.
  package init(total: Int64? = nil) { self.total = total }

  /// Counts a change, and calls after every 4096th.
  package mutating func countChange(_ tick: Tick) throws {
    changes += 1
    if changes & 0xfff == 0 { try tick(self) }
  }

  package mutating func countTransaction(_ tick: Tick) throws {
    transactions += 1
    try tick(self)
  }
}

/// Called every so often; what it throws ends the command in order.
package typealias Tick = (Progress) throws -> Void
