package struct AuditRequest: Sendable {
  package var filter = AuditFilter()
  package var clock = WallClock()
  /// The number of changes of a transaction that is reported.
  package var bulk: Int64 = 1000

  package init() {}
}
