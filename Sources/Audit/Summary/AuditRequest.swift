package struct AuditRequest: Sendable {
  package var filter = AuditFilter()
  package var clock = WallClock()
  /// The minimum number of changes with which a transaction becomes a finding.
  package var bulk: Int64 = 1000

  package init() {}
}
