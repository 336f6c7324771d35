package struct AuditRequest: Sendable {
  package var filter = AuditFilter()
  package var clock = WallClock()
  /// A transaction with at least this many changes is a finding.
  package var bulk: Int64 = 1000

  package init() {}
}
