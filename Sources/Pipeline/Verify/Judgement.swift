import ChangeLog
import Format

/// Turns what was read of a store into verdicts, without reading anything.
///
/// - Throws: The next question whose answer matters. The caller adds the answer, and calls this
///   function again.
func judge(
  _ facts: StoreFacts,
  answers: [Question: Answer] = [:],
  request: VerifyRequest
) throws(Question) -> [Verification] {
  var whole = StoreJudgement(facts, answers: answers, request: request)
  var results = try whole.judgeLineages()
  for filtered in facts.filtered {
    var part = StoreJudgement(filtered, answers: answers, request: request)
    results += try part.judgeFiltered(whole: whole.results)
  }
  return results
}

/// Adds what the whole folder shows to the verdicts on its stores.
///
/// The files that are in no store's folder are `strays`.
func judge(
  _ stores: [Verification],
  strays: [Finding],
  request: VerifyRequest
) -> [Verification] {
  var results = stores
  // Errors that were found before the verification are reported even if no log was verified.
  add(request.failures.compactMap { Finding($0) }, to: &results)
  add(listed(strays, besides: results), to: &results)
  compareWithGiven(request, &results)
  return results
}

/// The verdicts on the lineages of one store, in the logs without a filter or in filtered logs.
private struct StoreJudgement {
  private let facts: StoreFacts
  private let answers: [Question: Answer]
  private let request: VerifyRequest
  private(set) var results: [Verification]

  init(_ facts: StoreFacts, answers: [Question: Answer], request: VerifyRequest) {
    (self.facts, self.answers, self.request) = (facts, answers, request)
    results = facts.lineages.map { Verification($0) }
  }

  mutating func judgeLineages() throws(Question) -> [Verification] {
    // During an erasure, the end of the logs is not known.
    guard !facts.isUnfinished else { return results }
    try compareLineages()
    if !results.isEmpty {
      try compareWithToken()
      try compareWithStore()
    }
    proveEarlierLineages()
    try compareSnapshots()
    exceptParts()
    noteValuesToErase()
    addStrays()
    return results
  }

  mutating func judgeFiltered(whole: [Verification]) throws(Question) -> [Verification] {
    for index in results.indices {
      let lineage = results[index].lineage
      let other = whole.first { $0.lineage == lineage && $0.findings.isEmpty }
      try compareFiltered(at: index, with: other)
    }
    exceptParts()
    if let last = results.indices.last {
      let end = results[last].to
      if results[last].findings.isEmpty {
        if let finding = facts.token.finding ?? facts.token.isAhead(of: end) {
          results[last].findings.append(finding)
        }
      }
      if let after = request.after, !results.contains(where: \.hasPosition) {
        results[last].findings.append(
          Finding(.positionIsMissing(after), transaction: after.transaction)
        )
      }
    }
    addStrays()
    return results
  }

  private func answer(_ question: Question) throws(Question) -> Answer {
    guard let answer = answers[question] else { throw question }
    return answer
  }

  private func digest(at point: HistoryPoint) throws(Question) -> Digest? {
    try answer(.digest(lineage: point.lineage, transaction: point.transaction)).digest
  }

  // MARK: Lineages

  /// Compares each later lineage with the lineages that it continues.
  ///
  /// The first transaction of a later lineage is a snapshot. It names the head of the lineage before,
  /// and its state is the parent's state after the transaction with the same id.
  private mutating func compareLineages() throws(Question) {
    for index in results.indices where results[index].lineage > 0 {
      let lineage = results[index].lineage
      guard let origin = results[index].origin, origin.head.lineage == lineage - 1,
        0...origin.head.lineage ~= origin.parent
      else {
        // This is not a finding in two cases: damage is already reported, or the logs begin with a
        // snapshot, and so lack the transaction that names the head.
        let isFromBeginning =
          results[index].from.digest
          == TransactionDigest.beginning(ofStore: facts.store, lineage: lineage)
        guard results[index].findings.isEmpty, isFromBeginning else { continue }
        results[index].findings.append(Finding(.hasNoParent(lineage: lineage)))
        continue
      }
      if let old = results.firstIndex(where: { $0.lineage == origin.head.lineage }) {
        if origin.head == results[old].to {
          results[old].end = .lineage
        } else {
          results[old].addEnd(
            Finding(
              .otherEnd(results[old].to, named: origin.head, by: lineage),
              transaction: origin.head.transaction
            )
          )
        }
      }
      if let parent = results.first(where: { $0.lineage == origin.parent }) {
        try compareStart(at: index, origin: origin, parent: parent)
      }
      for missing in Set([origin.head.lineage, origin.parent]).sorted()
      where !results.contains(where: { $0.lineage == missing }) {
        results[index].isStartUnknown = true
        results[index].notices.append(Finding(.lineageIsMissing(missing, next: lineage)))
      }
    }
  }

  /// Compares the state with which a lineage begins with the state that a replay of its parent gives.
  private mutating func compareStart(
    at index: Int,
    origin: LineageOrigin,
    parent: Verification
  ) throws(Question) {
    let result = results[index]
    guard result.findings.isEmpty, parent.findings.isEmpty, parent.after == nil else { return }
    let first = result.from.transaction + 1
    let common = origin.common ?? first
    guard common <= min(first, parent.to.transaction) else {
      results[index].findings = [
        Finding(.startIsNotInParent(lineage: result.lineage, end: parent.to), transaction: common)
      ]
      return
    }
    guard origin.common == nil, first >= parent.from.transaction else {
      results[index].isStartUnknown = true
      return
    }
    let answer = try answer(
      .start(lineage: result.lineage, parent: parent.lineage, after: first)
    )
    results[index].findings = answer.findings
    results[index].isStartUnknown = answer.isIncomplete
  }

  /// Records which lineages are proven, and which parts of them are not.
  ///
  /// The first transaction of a proven lineage names the head of the previous lineage, and so proves
  /// that lineage.
  private mutating func proveEarlierLineages() {
    for index in results.indices.reversed() {
      guard results[index].proven != nil, let head = results[index].origin?.head,
        let old = results.firstIndex(where: { $0.lineage == head.lineage && $0.to == head })
      else { continue }
      results[old].prove(head, by: .lineage(results[index].lineage))
    }
    for index in results.indices
    where results[index].proven == nil && results[index].isStartUnknown {
      results[index].except.add(.start, results[index].from.transaction + 1)
    }
    // Somebody who can write the folder can add a lineage, which would be restored instead of the
    // proven lineage.
    if let last = results.indices.last, results[last].proven == nil,
      results.contains(where: { $0.proven != nil })
    {
      results[last].except.add(.lineage, results[last].to.transaction)
      for index in results.indices where results[index].end == .lineage {
        results[index].end = .none
      }
    }
  }

  // MARK: The end of the logs

  private mutating func compareWithToken() throws(Question) {
    let (token, last) = (facts.token, results.count - 1)
    let end = results[last].to
    if let point = token.point {
      if point == end {
        results[last].end = .token
      } else if let finding = token.isAhead(of: end) {
        // If the logs are there, and damage of one of them ends the sound part, none is missing.
        if !results[last].isDamaged(before: point) { results[last].addEnd(finding) }
      } else if try isOther(point, than: results[last]) {
        results[last].findings.append(
          Finding(.tokenIsOther, path: token.path, transaction: point.transaction)
        )
      }
    }
    results[last].findings += [token.finding].compactMap { $0 }
    if results[last].proven == end { results[last].end = .head }
  }

  /// Whether the logs are sound up to a point, but have another digest at that point.
  private func isOther(
    _ point: HistoryPoint,
    than result: Verification
  ) throws(Question) -> Bool {
    guard point.lineage == result.lineage else { return false }
    if point.transaction == result.to.transaction { return point != result.to }
    guard result.findings.isEmpty, point.transaction >= result.from.transaction else {
      return false
    }
    if point.transaction == result.from.transaction { return point != result.from }
    let digest = try digest(at: point)
    return digest != nil && digest != point.digest
  }

  private mutating func compareWithStore() throws(Question) {
    let last = results.count - 1
    // Damaged logs can't be replayed, and their damage is already reported.
    guard let path = request.against, results[last].findings.isEmpty else { return }
    let compared = try answer(.rows(store: path))
    results[last].findings += compared.findings
    guard let rest = compared.unexported else { return }
    results[last].unexported = rest
    let isSame = compared.findings.isEmpty
    if isSame {
      results[last].prove(results[last].to, by: .store)
      // Equal rows also prove the snapshot with which the logs begin, because another snapshot
      // would give other rows.
      for index in results[last].marked.indices where results[last].marked[index].isBase {
        results[last].marked[index].isReplayed = true
      }
    }
    if rest > 0, results[last].end == .none {
      let end = results[last].to.transaction
      results[last].notices.append(Finding(.isUnexported(rest, after: end), path: path))
    }
    // Only a store without differences confirms that no log is missing after the last log.
    if rest == 0, isSame { results[last].end = .store }
  }

  // MARK: Parts

  /// Compares each unproven snapshot with the state that a replay of the logs gives.
  ///
  /// A snapshot with which the logs begin can't be compared, because no logs precede it, and neither
  /// can one after their end.
  private mutating func compareSnapshots() throws(Question) {
    for index in results.indices where results[index].findings.isEmpty {
      let result = results[index]
      guard result.after == nil else { continue }
      for (number, part) in result.marked.enumerated()
      where part.mark.kind == .snapshot && !part.isBase
        && part.mark.transaction > result.from.transaction
        && part.mark.transaction <= result.to.transaction
        && (part.by == nil || request.replaysSnapshots)
      {
        let question = Question.snapshot(
          lineage: result.lineage,
          transaction: part.mark.transaction
        )
        let findings = try answer(question).findings
        results[index].findings += findings
        results[index].marked[number].isReplayed = findings.isEmpty
      }
    }
  }

  /// Adds the snapshots and gaps that nothing proves, and the transactions with erased values.
  private mutating func exceptParts() {
    let heads = Dictionary(
      results.compactMap { result in result.proven.map { (result.lineage, $0.transaction) } },
      uniquingKeysWith: max
    )
    for index in results.indices {
      let proven = results[index].proven
      var parts: [ExceptedPart] = []
      var others: [ExceptedPart] = []
      for part in results[index].marked where part.isUnproven(upTo: proven) {
        parts.add(part.kind, part.mark.transaction)
      }
      for part in results[index].restated {
        // If the transaction that confirms the values is not proven, it could be forged together
        // with the values.
        let isBeyondProof = proven.map { $0.transaction < part.transaction } ?? true
        others.addRestated(
          part.transaction,
          by: part.by.transaction,
          isProven: isBeyondProof
            || heads[part.by.lineage].map { part.by.transaction <= $0 } ?? false
        )
      }
      results[index].except =
        parts.filter { $0.kind != .gap } + others + results[index].except
        + parts.filter { $0.kind == .gap }
    }
  }

  /// Adds a notice if transactions have values that a later transaction records as erased.
  ///
  /// The erasure was recorded, but this folder is a copy from which the values were not removed.
  private mutating func noteValuesToErase() {
    let erasures = results.flatMap { $0.recordedErasures.all }.sorted { $0.value.by < $1.value.by }
    for (details, erasure) in erasures {
      for index in results.indices where results[index].findings.isEmpty {
        let result = results[index]
        let count = erasure.transactions.count {
          $0.lineage == result.lineage && $0.operation != .snapshot
            && result.from.transaction < $0.transaction && $0.transaction <= result.to.transaction
            && !result.erasedDigests.contains($0.digest)
        }
        guard count > 0 else { continue }
        results[index].notices.append(
          Finding(
            .isNotErased(count, by: erasure.by, of: details.object, details.properties),
            path: facts.logs.path
          )
        )
      }
    }
  }

  /// Compares the beginning and the end of filtered logs with the logs without a filter.
  private mutating func compareFiltered(at index: Int, with other: Verification?) throws(Question) {
    let result = results[index]
    let (from, to) = (result.from, result.to)
    if let point = result.pointAtWholeEnd, let other, point != other.to {
      results[index].findings.append(Finding(.filteredIsOther, transaction: point.transaction))
    }
    let last = result.proven?.transaction ?? .max
    let mark = result.filterMark.flatMap { $0.transaction > last ? nil : $0 }
    if result.files > 0, mark == nil { results[index].except.add(.filter, to.transaction) }
    guard results[index].findings.isEmpty else { return }
    let beginning = TransactionDigest.beginning(ofStore: facts.store, lineage: result.lineage)
    if from.digest != beginning, from.transaction != mark?.after,
      from.transaction != other?.from.transaction
    {
      results[index].except.add(.missing, from.transaction, count: 0)
    }
    guard let other, other.from.transaction < to.transaction,
      to.transaction < other.to.transaction
    else { return }
    if try digest(at: to) != to.digest {
      results[index].findings.append(Finding(.filteredIsOther, transaction: to.transaction))
    }
  }

  private mutating func addStrays() {
    let none = LogFacts(store: facts.store, filterName: facts.logs.partial)
    add(listed(facts.strays, besides: results), to: &results, orTo: none)
  }
}

extension StoreFacts {
  var isUnfinished: Bool { lineages.contains(where: \.isUnfinished) }
}

extension TokenFacts {
  /// The finding that the token is after the end of the logs; nil if it is not.
  fileprivate func isAhead(of end: HistoryPoint) -> Finding? {
    guard let point, (point.lineage, point.transaction) > (end.lineage, end.transaction) else {
      return nil
    }
    return Finding(
      .tokenIsAhead(end: end.transaction),
      path: path,
      transaction: point.transaction
    )
  }
}

extension Verification {
  /// Whether damage is the reason why the sound part ends before a point that the logs should have.
  fileprivate func isDamaged(before point: HistoryPoint) -> Bool {
    !findings.isEmpty && point.lineage == facts.lineage && point.transaction <= facts.namedEnd
  }

  /// Adds a finding about the end of the logs; earlier findings of this kind about the transaction
  /// are removed.
  fileprivate mutating func addEnd(_ finding: Finding) {
    findings.removeAll { $0.kind == finding.kind && $0.transaction == finding.transaction }
    findings.append(finding)
  }
}

/// Adds findings that are not about the logs of one lineage to the last result.
private func add(
  _ findings: [Finding],
  to results: inout [Verification],
  orTo none: LogFacts = LogFacts(store: "")
) {
  guard !findings.isEmpty else { return }
  if results.isEmpty { results = [Verification(none)] }
  results[results.count - 1].findings += findings
}

/// The maximum number of stray files that are listed for one folder.
private let mostStrays = 100

/// The first findings about stray files, and one finding that counts the others.
///
/// A link or a pipe about which there is a finding already is left out.
private func listed(_ strays: [Finding], besides results: [Verification]) -> [Finding] {
  let known = Set(results.lazy.flatMap(\.findings).map(\.path))
  // Links and pipes are listed before files that are only in the wrong place.
  let new =
    strays.filter { $0.kind == .damaged && !known.contains($0.path) }
    + strays.filter { $0.kind != .damaged }
  guard new.count > mostStrays else { return new }
  return new.prefix(mostStrays) + [
    Finding(.moreStrays(new.count - mostStrays), path: new[mostStrays].path)
  ]
}

/// Adds a finding for each given digest that the logs do not contain.
///
/// A given digest of erasure records proves the records of its lineage.
private func compareWithGiven(_ request: VerifyRequest, _ results: inout [Verification]) {
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
  let checkpoints = results.reduce(into: Set()) { $0.formUnion($1.checkpoints) }
  let missing =
    request.heads.filter { !heads.contains($0) }.map { Finding.Reason.headIsMissing($0, end: end) }
    + request.checkpoints.filter { !checkpoints.contains($0) }
    .map { .checkpointIsMissing($0, end: end) }
  results[last].findings += missing.map { Finding($0, transaction: end.transaction) }
  results[last].isRefuted = !missing.isEmpty
  let erasures = Set(results.compactMap(\.erasures))
  results[last].findings += request.erasures.filter { !erasures.contains($0) }
    .map { Finding(.erasuresAreOther($0)) }
}
