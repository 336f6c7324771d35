import ChangeLog
import Changes
import Glibc
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
  if request.after != nil, stores.count > 1 {
    throw PipelineError(.severalStores(stores, choice: .identifier), logs: request.logs.path)
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
  var result: [Verification] = []
  /// The results to record: the last lineage of each store without findings.
  var sound: [Verification] = []
  var progress = Progress()
  for store in stores {
    var lineages: [Verification] = []
    var namedHeads: [HistoryPoint?] = []
    let numbers = try request.logs.lineages(of: store)
    let start = try request.after.map { try lineage(with: $0, of: store, in: request.logs) }
    for lineage in numbers where lineage >= start ?? 0 {
      let run = try LineageVerification(
        request,
        store: store,
        lineage: lineage,
        after: lineage == start ? request.after : nil,
        observer: observer,
        progress: progress
      )
      lineages.append(try run.verify(tick))
      namedHeads.append(run.namedHead)
      progress = run.progress
    }
    // During an erasure, the end of the logs is not known.
    guard !lineages.contains(where: \.isUnfinished) else {
      result += lineages
      continue
    }
    checkLineageEnds(&lineages, named: namedHeads)
    if let last = lineages.indices.last {
      try checkEnd(&lineages[last], request: request)
      if let path = request.against {
        try compare(&lineages[last], path: path, request: request, tick: tick)
      }
    }
    proveEarlier(&lineages, named: namedHeads)
    let heads = Dictionary(
      lineages.compactMap { found in found.proven.map { (found.lineage, $0.transaction) } },
      uniquingKeysWith: max
    )
    for index in lineages.indices {
      try replaySnapshots(&lineages[index], request: request, tick: tick)
      lineages[index].exceptMarked(heads)
    }
    noteWhole(&lineages, logs: request.logs)
    try addStrays(to: &lineages, store: store, folder: request.logs)
    if let last = lineages.last, lineages.allSatisfy(\.findings.isEmpty) { sound.append(last) }
    result += lineages
    for name in try request.includesFiltered ? request.logs.partials(of: store) : [] {
      let folder = request.logs.partial(named: name)
      var results = try folder.lineages(of: store).map {
        try verifyFiltered(folder, store: store, lineage: $0, progress: &progress, tick: tick)
      }
      try addStrays(to: &results, store: store, folder: folder)
      result += results
    }
  }
  let findings = result.lazy.map(\.findings.count).reduce(0, +)
  try add(request.failures + request.logs.strays(), to: &result)
  guard !result.isEmpty else {
    throw PipelineError(
      request.store.map { .noLogsOfStore($0, others: []) } ?? .noLogs,
      logs: request.logs.path
    )
  }
  checkGiven(request, &result)
  // A finding that is not about the logs of one store can be about any store.
  if result.lazy.map(\.findings.count).reduce(0, +) == findings {
    for last in sound { try record(last, request: request) }
  }
  return result
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

/// Adds findings for the stray files in a store's folder.
private func addStrays(
  to results: inout [Verification],
  store: String,
  folder: LogFolder
) throws {
  let findings = try folder.strays(of: store).compactMap { Finding(stray: $0) }
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

/// Records that the logs are sound, if a file can be written to the folder.
private func record(_ result: Verification, request: VerifyRequest) throws {
  guard request.isRecorded, request.after == nil,
    access(request.logs.storeFolder(result.store), W_OK) == 0
  else {
    return
  }
  try VerificationRecord(result, at: currentTime()).write(request.logs, store: result.store)
}

extension VerificationRecord {
  init(_ verification: Verification, at time: String) {
    self.time = time
    lineage = verification.lineage
    transaction = verification.to.transaction
    digest = verification.to.digest.description
  }
}
