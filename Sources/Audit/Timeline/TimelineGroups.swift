import Format
import Pipeline

package enum TimelineGrouping: String, CaseIterable, Sendable {
  case author
  /// Transactions of one day in UTC form a group.
  case day
}

/// The transactions of one author or of one day.
package struct TimelineGroup: Hashable, Sendable {
  /// The author or the day; nil for transactions without an author.
  package var name: String?
  /// The number of transactions; snapshots are not counted.
  package var transactions: Int64 = 0
  package var counts = ChangeCounts()
  /// The number of objects in snapshots, which are not counted as changes.
  package var snapshotObjects: Int64 = 0
  /// The first transaction of the group, and its time.
  package var first: Int64 = 0
  package var firstTime = ""
  package var last: Int64 = 0
  package var lastTime = ""

  mutating func add(_ transaction: Transaction, counts: ChangeCounts) {
    if firstTime.isEmpty { (first, firstTime) = (transaction.id, transaction.time) }
    (last, lastTime) = (transaction.id, transaction.time)
    guard transaction.operation != .snapshot else {
      snapshotObjects += counts.all
      return
    }
    transactions += 1
    self.counts += counts
  }
}

/// Groups the transactions of a history.
///
/// Groups of authors are sorted by the number of their changes. Groups of days are sorted by date,
/// with the newest day first.
package func groupTimeline(
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
    wants: { filter.mayMatch($0) },
    change: { change, opening in
      if filter.matches(change, transaction: opening) { counts.count(change.kind) }
      try progress.countChange(tick)
    },
    transaction: { transaction in
      try progress.countTransaction(tick)
      defer { counts = ChangeCounts() }
      guard filter.matches(transaction), counts.all > 0 || !filter.isAboutChanges else { return }
      let name = grouping == .author ? transaction.author : String(transaction.time.prefix(10))
      groups[name, default: TimelineGroup(name: name)].add(transaction, counts: counts)
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
