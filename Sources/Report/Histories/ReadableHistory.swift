import Audit
import Pipeline

/// A history, or its part before a damaged log.
struct ReadableHistory {
  let index: Int
  let history: History
  let filter: AuditFilter
}

/// Returns the histories that a report lists, each up to the first damage that the report found.
func readable(
  _ histories: [History],
  filter: AuditFilter,
  of report: AuditReport? = nil
) throws -> [ReadableHistory] {
  let filters = try filter.resolved(for: histories)
  return try histories.enumerated().prefix(AuditReport.historyLimit).compactMap { index, history in
    var history = history
    if let report, report.hasDamage(in: index) {
      let entry = report.histories[index]
      guard let last = entry.lastTransaction, entry.head <= history.last else { return nil }
      history = try History(
        name: history.name,
        source: history.source,
        at: .transaction(min(last, entry.head))
      )
    }
    return ReadableHistory(index: index, history: history, filter: filters[index])
  }
}

extension AuditReport {
  fileprivate func hasDamage(in history: Int) -> Bool {
    findings.contains { finding in
      finding.finding == .damage && finding.items.contains { $0.history == history }
    }
  }
}
