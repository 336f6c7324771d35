package struct AuditRequest: Sendable {
  package var filter = AuditFilter()
  package var clock = WallClock()
  /// The number of changes from which on a transaction is a finding.
  package var bulk: Int64 = 1000

  package init() {}
}
