/// One or more days, and the number of changes in them.
package struct Period: Hashable, Sendable {
  /// The first day.
  package var from: String
  /// The last day.
  package var to: String
  package var changes: Int64

  package init(from: String, to: String, changes: Int64) {
    self.from = from
    self.to = to
    self.changes = changes
  }

  package var name: String { from == to ? from : "\(from) to \(to)" }
}

extension AuditSummary {
  /// The time from the first day with a change to the last, in periods of equal length, including
  /// those without changes.
  package func periods(atMost most: Int) -> [Period] {
    // A forged store can have an invalid day.
    let counts = days.compactMap { group in
      group.name.flatMap { day(named: $0) }.map { (day: $0, changes: group.counts.all) }
    }
    guard let first = counts.map(\.day).min(), let last = counts.map(\.day).max() else { return [] }
    let length = (last - first) / most + 1
    var periods = stride(from: first, through: last, by: length).map {
      Period(from: text(ofDay: $0), to: text(ofDay: min($0 + length - 1, last)), changes: 0)
    }
    for count in counts { periods[(count.day - first) / length].changes += count.changes }
    return periods
  }
}

/// The days since 1970 of a date such as `2026-11-03`; nil for another text.
private func day(named name: String) -> Int? {
  let parts = name.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
  guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2],
    (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day)
  else { return nil }
  return days(year, month: month, day: day)
}
