import Audit
import Pipeline

/// A history, or its parts that damage left readable.
struct ReadableHistory {
  let index: Int
  /// The parts in ascending order, with an unreadable range between two of them.
  let parts: [History]
  let unreadable: [UnreadableRange]
  let isDamaged: Bool
  let filter: AuditFilter
}

/// Returns the histories that a report lists, without what the report found to be unreadable.
func readable(
  _ histories: [History],
  filter: AuditFilter,
  of report: AuditReport? = nil
) throws -> [ReadableHistory] {
  let filters = try filter.resolved(for: histories)
  return histories.enumerated().prefix(AuditReport.historyLimit).map { index, history in
    let unreadable = report?.histories[index].unreadable ?? []
    let starts = [history.outline.base] + unreadable.map(\.last)
    let ends = unreadable.map { $0.first - 1 } + [history.last]
    return ReadableHistory(
      index: index,
      parts: zip(starts, ends).map { History(history, after: $0, through: $1) },
      unreadable: unreadable,
      isDamaged: report?.hasDamage(in: index) ?? false,
      filter: filters[index]
    )
  }
}

extension AuditReport {
  /// Whether a line of any history may be damaged.
  var hasDamage: Bool { findings.contains { $0.finding == .damage } }

  fileprivate func hasDamage(in history: Int) -> Bool {
    findings.contains { finding in
      finding.finding == .damage && finding.items.contains { $0.history == history }
    }
  }
}
