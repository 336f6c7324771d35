import Changes
import Store

/// What tells where the lineages of a store end: each later one names the head of the one before.
func checkLineageEnds(_ results: inout [Verification], named: [HistoryPoint?]) {
  for (index, head) in named.enumerated() where results[index].lineage > 0 {
    let lineage = results[index].lineage
    guard let head else {
      // Where its first log is not sound, that was said; where the logs begin with a snapshot, they
      // don't have the first transaction.
      let isFromBeginning =
        results[index].from.digest
        == TransactionDigest.beginning(ofStore: results[index].store, lineage: lineage)
      guard results[index].findings.isEmpty, isFromBeginning else { continue }
      results[index].findings.append(Finding(.hasNoParent(lineage: lineage)))
      continue
    }
    guard let old = results.firstIndex(where: { $0.lineage == head.lineage }) else {
      results[index].notices.append(.parentIsMissing(head, lineage: lineage))
      continue
    }
    if head == results[old].to {
      results[old].end = .lineage
    } else {
      results[old].findings.append(otherEnd(results[old], head: head, next: lineage))
    }
  }
}

/// The finding that a lineage does not end where the next one says.
private func otherEnd(_ result: Verification, head: HistoryPoint, next: Int64) -> Finding {
  let (lineage, end) = (result.lineage, result.to)
  return Finding(
    head.transaction > end.transaction
      ? .endIsMissing(lineage: lineage, end: end.transaction, next: next)
      : .endIsOther(lineage: lineage, head, end: end, next: next),
    transaction: head.transaction
  )
}
