import ChangeLog
import Format
import Store

/// Recomputes every digest from the files, and returns the findings.
///
/// Reading produces facts, and a judgement without files turns the facts into verdicts. `arrow` gets
/// the lines as they are read; only the caller can finish the file, if nothing is wrong.
///
/// - Throws: ``PipelineError`` if there are no logs, and ``LogError`` if the disk fails. If the
///   logs are damaged, the result contains the damage.
package func verify(
  _ request: VerifyRequest,
  observer: (any VerificationObserver)? = nil,
  arrow: ArrowFile? = nil,
  tick: Tick = { _ in }
) throws -> [Verification] {
  guard request.logs.exists else {
    throw missingFolder(request.logs)
  }
  let stores = try storesToVerify(request)
  if let against = request.against {
    try useAppleHistory(of: against, in: request.logs)
    for store in stores where try request.logs.lineages(of: store).isEmpty {
      guard let filtered = try FilteredLogs.all(of: store, in: request.logs).first else { continue }
      let path = filtered.folder.storeFolder(store)
      throw filteredHistory(filtered.words, of: request.logs.path, path: path)
    }
  }
  if request.after != nil, stores.count > 1 {
    throw severalStores(stores, in: request.logs)
  }
  return try readingSettled(request.logs, of: stores) { results in
    results.allSatisfy { $0.findings.isEmpty || $0.isUnfinished }
  } _: {
    try verifyOnce(request, stores: stores, observer: observer, arrow: arrow, tick: tick)
  }
}

private func verifyOnce(
  _ request: VerifyRequest,
  stores: [String],
  observer: (any VerificationObserver)?,
  arrow: ArrowFile?,
  tick: Tick
) throws -> [Verification] {
  observer?.restart()
  try arrow?.restart()
  var progress = Progress()
  var results: [Verification] = []
  for store in stores {
    let facts = try readLogs(
      of: store,
      request: request,
      observer: observer,
      arrow: arrow,
      progress: &progress,
      tick: tick
    )
    results += try verdicts(on: facts, request: request, tick: tick)
  }
  // If none of the errors is about a damaged log, the first error is thrown.
  if results.isEmpty, let first = request.failures.first,
    !request.failures.contains(where: { [.damaged, .incomplete].contains($0.code) })
  {
    throw first
  }
  let all = judge(
    results,
    strays: try request.logs.strays().map { Finding(stray: $0) },
    request: request
  )
  guard !all.isEmpty else {
    guard let wanted = stores.first else { throw noLogs(request.logs.path) }
    let others = try request.logs.storeNames().filter { $0 != wanted }
    throw noLogs(of: "the store \(wanted)", in: request.logs, others: others)
  }
  return all
}

/// Judges a store, and finds out what its judgement asks.
private func verdicts(
  on facts: StoreFacts,
  request: VerifyRequest,
  tick: Tick
) throws -> [Verification] {
  let investigation = Investigation(request, store: facts.store)
  var answers: [Question: Answer] = [:]
  while true {
    do throws(Question) {
      return try judge(facts, answers: answers, request: request)
    } catch {
      answers[error] = try investigation.answer(error, tick: tick)
    }
  }
}

/// Reads all lineages of a store, and the filtered logs if they are wanted.
private func readLogs(
  of store: String,
  request: VerifyRequest,
  observer: (any VerificationObserver)?,
  arrow: ArrowFile?,
  progress: inout Progress,
  tick: Tick
) throws -> StoreFacts {
  var lineages: [LogFacts] = []
  let start = try request.after.map { try lineage(with: $0, of: store, in: request.logs) }
  for lineage in try request.logs.lineages(of: store) where lineage >= start ?? 0 {
    let run = try LineageVerification(
      request,
      store: store,
      lineage: lineage,
      after: lineage == start ? request.after : nil,
      observer: observer,
      arrow: arrow,
      progress: progress
    )
    lineages.append(try run.read(tick))
    progress = run.progress
  }
  lineages += try missingLineages(of: store, found: lineages, request: request)
  var facts = try StoreFacts(
    lineages.sorted { $0.lineage < $1.lineage },
    of: store,
    logs: request.logs,
    token: request.token
  )
  if request.includesFiltered, !facts.isUnfinished {
    facts.filtered = try readFilteredLogs(
      of: store,
      request: request,
      whole: facts.lineages,
      arrow: arrow,
      progress: &progress,
      tick: tick
    )
  }
  return facts
}

extension StoreFacts {
  /// Reads the token and the names of stray files of a store, whose lineages are read already.
  init(_ lineages: [LogFacts], of store: String, logs: LogFolder, token: String?) throws {
    (self.store, self.logs, self.lineages) = (store, logs, lineages)
    self.token = TokenFacts(path: token ?? logs.token(of: store))
    strays = []
    // During an erasure, the end of the logs is not known.
    guard !isUnfinished else { return }
    strays = try logs.strays(of: store).map { Finding(stray: $0) }
    guard !lineages.isEmpty else { return }
    do {
      let name = logs.partial.map { "\(store)/partial=\($0)" } ?? store
      self.token.point = try readToken(self.token.path)?.points[name]
    } catch  where isDamagedToken(error) {
      self.token.finding = Finding(.tokenIsDamaged(error), path: self.token.path)
    }
  }
}

/// The lineages that have a tree or are named by the token, although the folder has none of their
/// logs.
private func missingLineages(
  of store: String,
  found: [LogFacts],
  request: VerifyRequest
) throws -> [LogFacts] {
  guard request.after == nil, !found.contains(where: \.isUnfinished) else { return [] }
  func missing(_ lineage: Int64, _ finding: Finding) -> LogFacts {
    LogFacts(store: store, lineage: lineage, [finding])
  }
  var results: [LogFacts] = []
  for lineage in try request.logs.lineagesWithoutLogs(of: store) {
    do {
      guard let tree = try LineageTree(request.logs, store: store, lineage: lineage) else {
        continue
      }
      let last = tree.last.transaction
      results.append(
        missing(lineage, Finding(.treeIsAhead(end: 0), path: tree.path, transaction: last))
      )
    } catch let error as LogError {
      guard let finding = Finding(error) else { throw error }
      results.append(missing(lineage, finding))
    }
  }
  // The verification of the last lineage compares its end with the token.
  let path = request.token ?? request.logs.token(of: store)
  if found.isEmpty, results.isEmpty, try !request.logs.partials(of: store).isEmpty,
    let point = try readToken(path)?.points[store]
  {
    results.append(
      missing(
        point.lineage,
        Finding(.tokenIsAhead(end: 0), path: path, transaction: point.transaction)
      )
    )
  }
  return results
}

/// The lineage that contains a trusted position; the latest lineage if none contains it.
private func lineage(
  with position: TrustedPosition,
  of store: String,
  in logs: LogFolder
) throws -> Int64 {
  let numbers = try logs.lineages(of: store)
  return try numbers.last {
    do {
      return try LogChain(logs, store: store, lineage: $0).has(position)
    } catch is LogError {
      // The error is ignored, because another lineage may contain the position. If this lineage is
      // chosen, its verification reports the error.
      return false
    }
  } ?? numbers.last ?? 0
}

/// The stores whose logs are verified.
///
/// If the logs are compared with a given store, only the logs of this store are verified.
private func storesToVerify(_ request: VerifyRequest) throws -> [String] {
  if let path = request.against {
    let store = try readableStore(path)
    return [store.identifier]
  }
  return try request.store.map { [$0] } ?? request.logs.storeNames()
}
