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
      results[index].findings.append(
        Finding(
          .damaged,
          "The first transaction of lineage \(lineage) does not name the head of the lineage before,"
            + " as one does. Compare its first log with other copies."
        )
      )
      continue
    }
    guard let old = results.firstIndex(where: { $0.lineage == head.lineage }) else {
      results[index].notices.append(
        "Lineage \(lineage) followed on transaction \(head.transaction) of lineage \(head.lineage),"
          + " whose logs are not here."
      )
      continue
    }
    if head == results[old].to {
      results[old].end = .lineage
    } else {
      results[old].findings.append(otherEnd(results[old], head, lineage))
    }
  }
}

/// The finding that a lineage does not end where the next one says.
private func otherEnd(_ result: Verification, _ head: HistoryPoint, _ next: Int64) -> Finding {
  let last = result.to.transaction
  if head.transaction > last {
    return Finding(
      .endMissing,
      "Lineage \(next) says that lineage \(result.lineage) ended with transaction"
        + " \(head.transaction), and the sound logs end at transaction \(last). Bring the missing logs"
        + " back.",
      transaction: head.transaction
    )
  }
  let what =
    head.transaction == last
    ? "lineage \(result.lineage) had the digest \(head.digest) at its end, transaction \(last), and"
      + " its logs say \(result.to.digest)"
    : "lineage \(result.lineage) ended with transaction \(head.transaction), and its logs go on to"
      + " transaction \(last)"
  return Finding(
    .damaged,
    "Lineage \(next) says that \(what). One of the two was altered; compare them with other copies.",
    transaction: head.transaction
  )
}
