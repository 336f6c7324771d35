public import Pipeline

/// What the transactions of a timeline are put together by.
public enum TimelineGrouping: String, CaseIterable, Sendable {
  /// By who made them.
  case author
  /// By the day in UTC.
  case day
}

/// Transactions that have an author or a day in common.
public struct TimelineGroup: Hashable, Sendable {
  /// The author or the day; nil for transactions without an author.
  public var name: String?
  /// The number of transactions.
  public var transactions: Int64 = 0
  /// Their changes.
  public var counts = ChangeCounts()
  /// The first transaction, and when it was.
  public var first: Int64 = 0
  /// When the first was.
  public var firstTime = ""
  /// The last transaction.
  public var last: Int64 = 0
  /// When the last was.
  public var lastTime = ""
}

/// Puts the transactions of a history together: authors by how much they changed, days with the
/// newest first.
public func groupTimeline(
  of history: History,
  by grouping: TimelineGrouping,
  filter: AuditFilter,
  tick: Tick = { _ in }
) throws -> [TimelineGroup] {
  guard let range = history.range else { return [] }
  var groups: [String?: TimelineGroup] = [:]
  var counts = ChangeCounts()
  var progress = Progress(total: Int64(range.count))
  try history.source.read(
    range,
    wants: { filter.matches($0) },
    change: { change, opening in
      if filter.matches(change, opening) { counts.count(change.kind) }
      progress.changes += 1
      if progress.changes & 0xfff == 0 { try tick(progress) }
    },
    transaction: { transaction in
      progress.transactions += 1
      try tick(progress)
      defer { counts = ChangeCounts() }
      guard filter.matches(transaction), counts.all > 0 || !filter.isAboutChanges else { return }
      let name = grouping == .author ? transaction.author : String(transaction.time.prefix(10))
      var group = groups[name] ?? TimelineGroup(name: name)
      if group.transactions == 0 {
        group.first = transaction.id
        group.firstTime = transaction.time
      }
      group.transactions += 1
      group.counts += counts
      group.last = transaction.id
      group.lastTime = transaction.time
      groups[name] = group
    }
  )
  return groups.values.sorted { left, right in
    switch grouping {
    case .author:
      (right.counts.all, left.name ?? "") < (left.counts.all, right.name ?? "")
    case .day: (left.name ?? "") > (right.name ?? "")
    }
  }
}
