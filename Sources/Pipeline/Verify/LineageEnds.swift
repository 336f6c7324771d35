import ChangeLog
import Changes

/// Compares the end of each lineage with the head that the next lineage names.
func checkLineageEnds(_ results: inout [Verification], named: [HistoryPoint?]) {
  for (index, head) in named.enumerated() where results[index].lineage > 0 {
    let lineage = results[index].lineage
    guard let head else {
      // This is not a finding in two cases: damage is already reported, or the logs begin with a
      // snapshot, and so lack the transaction that names the head.
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
      results[old].addEnd(otherEnd(results[old], head: head, next: lineage))
    }
  }
}

/// Creates the finding that a lineage does not end at the point that the next lineage names.
private func otherEnd(_ result: Verification, head: HistoryPoint, next: Int64) -> Finding {
  let (lineage, end) = (result.lineage, result.to)
  return Finding(
    head.transaction > end.transaction
      ? .endIsMissing(lineage: lineage, end: end.transaction, next: next)
      : .endIsOther(lineage: lineage, head, end: end, next: next),
    transaction: head.transaction
  )
}

extension Verification {
  /// Adds a finding about the end of the logs; earlier findings of this kind about the transaction
  /// are removed.
  fileprivate mutating func addEnd(_ finding: Finding) {
    findings.removeAll { $0.kind == finding.kind && $0.transaction == finding.transaction }
    findings.append(finding)
  }
}

/// Records that earlier lineages are proven.
///
/// The first transaction of a proven lineage names the head of the previous lineage, and so proves
/// that lineage.
func proveEarlier(_ results: inout [Verification], named: [HistoryPoint?]) {
  for index in results.indices.reversed() {
    guard results[index].proven != nil, index < named.count, let head = named[index],
      let old = results.firstIndex(where: { $0.lineage == head.lineage && $0.to == head })
    else { continue }
    results[old].prove(head, by: .lineage(results[index].lineage))
  }
}

/// Adds a finding for each given digest that the logs do not contain.
///
/// A given digest that the logs contain proves the logs up to the transaction with this digest.
func checkGiven(_ request: VerifyRequest, _ results: inout [Verification]) {
  for index in results.indices {
    guard let digest = results[index].erasures, request.erasures.contains(digest) else { continue }
    for part in results[index].except.indices
    where results[index].except[part].kind == .unanchored {
      results[index].except[part].isProven = true
    }
  }
  guard !results.contains(where: \.isUnfinished),
    let last = results.lastIndex(where: { $0.filterName == nil }) ?? results.indices.last
  else { return }
  let end = results[last].to
  let heads = Set(results.flatMap(\.heads).map(\.digest))
  results[last].findings += request.heads.filter { !heads.contains($0) }.map {
    Finding(.headIsMissing($0, end: end), transaction: end.transaction)
  }
  let erasures = Set(results.compactMap(\.erasures))
  results[last].findings += request.erasures.filter { !erasures.contains($0) }
    .map { Finding(.erasuresAreOther($0)) }
}

/// Whether the logs are sound up to a point, but have another digest at that point.
private func isOther(
  _ point: HistoryPoint,
  result: Verification,
  request: VerifyRequest
) throws -> Bool {
  guard result.findings.isEmpty, point.lineage == result.lineage,
    point.transaction >= result.from.transaction, point.transaction < result.to.transaction
  else { return false }
  guard point.transaction > result.from.transaction else { return point != result.from }
  let history = try FolderHistory(request.logs, store: result.store, lineage: result.lineage)
  var digest: Digest?
  try history.read(
    point.transaction...point.transaction,
    wants: { _ in false },
    change: { _, _ in },
    transaction: { if $0.id == point.transaction { digest = $0.chainDigest } }
  )
  return digest != nil && digest != point.digest
}

/// Compares the end of the logs with the token, with the given digests, and with the store.
func checkEnd(_ result: inout Verification, request: VerifyRequest) throws {
  let path = request.token ?? request.logs.token(of: result.store)
  do {
    if let point = try readToken(path)?.points[result.store] {
      if point == result.to {
        result.end = .token
      } else if (point.lineage, point.transaction)
        > (result.to.lineage, result.to.transaction)
      {
        result.addEnd(
          Finding(
            .tokenIsAhead(end: result.to.transaction),
            path: path,
            transaction: point.transaction
          )
        )
      } else if try isOther(point, result: result, request: request)
        || (point.lineage, point.transaction) == (result.to.lineage, result.to.transaction)
      {
        result.findings.append(
          Finding(.tokenIsOther, path: path, transaction: point.transaction)
        )
      }
    }
  } catch  where isDamagedToken(error) {
    result.findings.append(
      Finding(.tokenIsDamaged(error), path: path)
    )
  }
  if result.heads.contains(result.to) { result.end = .head }
}
