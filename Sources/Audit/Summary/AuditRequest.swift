import Format

package struct AuditRequest: Sendable {
  package var filter = AuditFilter()
  package var clock = WallClock()
  /// The minimum number of changes with which a transaction becomes a finding.
  package var bulk: Int64 = 1000
  /// Trusted digests; the chain of a history must contain all of them.
  package var heads: [Digest] = []
  /// Trusted checkpoints; a history must begin with the transactions of each of them.
  package var checkpoints: [Checkpoint] = []
  /// The path of a store whose rows must equal the rows of a replay; nil for no comparison.
  package var against: String?

  package init() {}
}
