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
}

/// Called every so often; what it throws ends the command in order.
package typealias Tick = (Progress) throws -> Void
