import ChangeLog
import Changes
import Store

/// Compares each later lineage with the lineages that it continues.
///
/// The first transaction of a later lineage is a snapshot. It names the head of the lineage before,
/// and its state is the parent's state after the transaction with the same id.
func checkLineages(_ results: inout [Verification], request: VerifyRequest, tick: Tick) throws {
  for index in results.indices where results[index].lineage > 0 {
    let lineage = results[index].lineage
    guard let origin = results[index].origin, origin.head.lineage == lineage - 1,
      0...origin.head.lineage ~= origin.parent
    else {
      // This is not a finding in two cases: damage is already reported, or the logs begin with a
      // snapshot, and so lack the transaction that names the head.
      let isFromBeginning =
        results[index].from.digest
        == TransactionDigest.beginning(ofStore: results[index].store, lineage: lineage)
      guard results[index].findings.isEmpty, isFromBeginning else { continue }
      results[index].findings.append(Finding(.hasNoParent(lineage: lineage)))
      continue
    }
    if let old = results.firstIndex(where: { $0.lineage == origin.head.lineage }) {
      if origin.head == results[old].to {
        results[old].end = .lineage
      } else {
        results[old].addEnd(otherEnd(results[old], head: origin.head, next: lineage))
      }
    }
    if let parent = results.first(where: { $0.lineage == origin.parent }) {
      try checkStart(&results[index], origin: origin, parent: parent, request: request, tick: tick)
    }
    for missing in Set([origin.head.lineage, origin.parent]).sorted()
    where !results.contains(where: { $0.lineage == missing }) {
      results[index].isStartUnknown = true
      results[index].notices.append(.lineageIsMissing(missing, next: lineage))
    }
  }
}

/// Compares the state with which a lineage begins with the state that a replay of its parent gives.
private func checkStart(
  _ result: inout Verification,
  origin: LineageOrigin,
  parent: Verification,
  request: VerifyRequest,
  tick: Tick
) throws {
  guard result.findings.isEmpty, parent.findings.isEmpty, parent.after == nil else { return }
  let first = result.from.transaction + 1
  let common = origin.common ?? first
  guard common <= min(first, parent.to.transaction) else {
    result.findings.append(
      Finding(
        .startIsNotInParent(lineage: result.lineage, parent: parent.lineage, end: parent.to),
        transaction: common
      )
    )
    return
  }
  guard origin.common == nil, first >= parent.from.transaction else {
    result.isStartUnknown = true
    return
  }
  let folder = try TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  func state(lineage: Int64) throws -> Store {
    let path = "\(folder.path)/\(lineage).store"
    return try replayed(
      request,
      of: result.store,
      lineage: lineage,
      to: first,
      in: path,
      tick: tick
    )
  }
  do {
    let before = try state(lineage: parent.lineage)
    let after = try state(lineage: result.lineage)
    result.findings += try differences(of: after, from: before, in: .lineage(result.lineage), first)
  } catch let error as PipelineError {
    // The parent has no state after this transaction, for example because a gap contains it.
    result.findings.append(Finding(.isOtherHistory(error), transaction: first))
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

/// Records which lineages are proven, and which parts of them are not.
///
/// The first transaction of a proven lineage names the head of the previous lineage, and so proves
/// that lineage.
func proveLineages(_ results: inout [Verification]) {
  for index in results.indices.reversed() {
    guard results[index].proven != nil, let head = results[index].origin?.head,
      let old = results.firstIndex(where: { $0.lineage == head.lineage && $0.to == head })
    else { continue }
    results[old].prove(head, by: .lineage(results[index].lineage))
  }
  for index in results.indices where results[index].proven == nil && results[index].isStartUnknown {
    results[index].except.add(.start, results[index].from.transaction + 1)
  }
  // Somebody who can write the folder can add a lineage, which would be restored instead of the
  // proven lineage.
  if let last = results.indices.last, results[last].proven == nil,
    results.contains(where: { $0.proven != nil })
  {
    results[last].except.add(.lineage, results[last].to.transaction)
    for index in results.indices where results[index].end == .lineage { results[index].end = .none }
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
  let checkpoints = results.reduce(into: Set()) { $0.formUnion($1.checkpoints) }
  results[last].findings += request.checkpoints.filter { !checkpoints.contains($0) }.map {
    Finding(.checkpointIsMissing($0, end: end), transaction: end.transaction)
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
  if result.proven == result.to { result.end = .head }
}
