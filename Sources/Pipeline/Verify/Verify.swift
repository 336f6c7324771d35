import ChangeLog
import Changes
import Store

/// Recomputes every digest from the files, and returns the findings.
///
/// - Throws: ``PipelineError`` if there are no logs, and ``LogError`` if the disk fails. If the
///   logs are damaged, the result contains the damage.
package func verify(
  _ request: VerifyRequest,
  observer: (any VerificationObserver)? = nil,
  tick: Tick = { _ in }
) throws -> [Verification] {
  guard request.logs.exists else {
    throw missingFolder(request.logs)
  }
  let stores = try storesToVerify(request)
  if request.against != nil {
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
    try verifyOnce(request, stores: stores, observer: observer, tick: tick)
  }
}

private func verifyOnce(
  _ request: VerifyRequest,
  stores: [String],
  observer: (any VerificationObserver)?,
  tick: Tick
) throws -> [Verification] {
  observer?.restart()
  var results: [Verification] = []
  var progress = Progress()
  for store in stores {
    let lineages = try verifyLineages(
      of: store,
      request: request,
      observer: observer,
      progress: &progress,
      tick: tick
    )
    results += lineages
    guard !lineages.contains(where: \.isUnfinished) else { continue }
    guard request.includesFiltered else { continue }
    results += try verifyFilteredLogs(
      of: store,
      request: request,
      whole: lineages,
      progress: &progress,
      tick: tick
    )
  }
  try checkFolder(request, &results)
  return results
}

/// Verifies all lineages of a store, and compares their ends.
private func verifyLineages(
  of store: String,
  request: VerifyRequest,
  observer: (any VerificationObserver)?,
  progress: inout Progress,
  tick: Tick
) throws -> [Verification] {
  var results: [Verification] = []
  let start = try request.after.map { try lineage(with: $0, of: store, in: request.logs) }
  for lineage in try request.logs.lineages(of: store) where lineage >= start ?? 0 {
    let run = try LineageVerification(
      request,
      store: store,
      lineage: lineage,
      after: lineage == start ? request.after : nil,
      observer: observer,
      progress: progress
    )
    results.append(try run.verify(tick))
    progress = run.progress
  }
  results = try (results + missingLineages(of: store, found: results, request: request))
    .sorted { $0.lineage < $1.lineage }
  // During an erasure, the end of the logs is not known.
  guard !results.contains(where: \.isUnfinished) else { return results }
  try checkLineages(&results, request: request, tick: tick)
  if let last = results.indices.last {
    try checkEnd(&results[last], request: request)
    if let path = request.against {
      try compare(&results[last], path: path, request: request, tick: tick)
    }
  }
  proveLineages(&results)
  let heads = Dictionary(
    results.compactMap { found in found.proven.map { (found.lineage, $0.transaction) } },
    uniquingKeysWith: max
  )
  for index in results.indices {
    try replaySnapshots(&results[index], request: request, tick: tick)
    results[index].exceptMarked(heads)
  }
  noteWhole(&results, logs: request.logs)
  try addStrays(to: &results, store: store, folder: request.logs)
  return results
}

/// The lineages that have a tree or are named by the token, although the folder has none of their
/// logs.
private func missingLineages(
  of store: String,
  found: [Verification],
  request: VerifyRequest
) throws -> [Verification] {
  guard request.after == nil, !found.contains(where: \.isUnfinished) else { return [] }
  func missing(_ lineage: Int64, _ finding: Finding) -> Verification {
    let beginning = HistoryPoint(
      lineage: lineage,
      transaction: 0,
      digest: TransactionDigest.beginning(ofStore: store, lineage: lineage)
    )
    var result = Verification(store: store, lineage: lineage, from: beginning, to: beginning)
    result.findings = [finding]
    return result
  }
  var results: [Verification] = []
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

/// Adds the findings that are not about the logs of one store.
///
/// - Throws: ``PipelineError`` if there are no logs.
private func checkFolder(_ request: VerifyRequest, _ results: inout [Verification]) throws {
  try add(request.failures, to: &results)
  let strays = try listed(request.logs.strays().map { Finding(stray: $0) }, besides: results)
  if !strays.isEmpty, results.isEmpty {
    results.append(Verification(store: "", filterName: nil))
  }
  if let last = results.indices.last { results[last].findings += strays }
  guard !results.isEmpty else {
    throw request.store.map { noLogs(of: "the store \($0)", in: request.logs) }
      ?? noLogs(request.logs.path)
  }
  checkGiven(request, &results)
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

/// The maximum number of stray files that are listed for one folder.
private let mostStrays = 100

/// Adds findings for the stray files in a store's folder.
func addStrays(
  to results: inout [Verification],
  store: String,
  folder: LogFolder
) throws {
  let findings = try listed(folder.strays(of: store).map { Finding(stray: $0) }, besides: results)
  guard !findings.isEmpty else { return }
  if results.isEmpty { results.append(Verification(store: store, filterName: folder.partial)) }
  results[results.count - 1].findings += findings
}

/// Adds errors that were found before the verification.
///
/// Errors that were found before the verification are added even if no log was verified.
private func add(_ failures: [LogError], to result: inout [Verification]) throws {
  guard let first = failures.first else { return }
  if result.isEmpty {
    // If none of the errors is about a damaged log, the first error is thrown.
    guard failures.contains(where: { [.damaged, .incomplete].contains($0.code) }) else {
      throw first
    }
    result.append(Verification(store: "", filterName: nil))
  }
  result[result.count - 1].findings += failures.compactMap { Finding($0) }
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
