import ChangeLog
import Changes

/// Verifies the filtered logs of a store, which are in a folder for each filter.
///
/// The filtered logs are compared with the logs without a filter, whose results are `whole`.
func verifyFilteredLogs(
  of store: String,
  request: VerifyRequest,
  whole: [Verification],
  progress: inout Progress,
  tick: Tick
) throws -> [Verification] {
  var all: [Verification] = []
  for name in try request.logs.partials(of: store) {
    let logs = request.logs.partial(named: name)
    var results: [Verification] = []
    var isPositionFound = false
    for lineage in try logs.lineages(of: store) {
      let other = whole.first { $0.lineage == lineage && $0.findings.isEmpty }
      var run = try FilteredVerification(
        request,
        logs: logs,
        store: store,
        lineage: lineage,
        whole: other
      )
      try run.verify(progress: &progress, tick: tick)
      isPositionFound = isPositionFound || run.isPositionFound
      try compare(&run.result, with: other, start: run.filterMark?.after, logs: request.logs)
      results.append(run.result)
    }
    try checkToken(&results, logs: logs, name: name, request: request)
    if let after = request.after, let last = results.indices.last, !isPositionFound {
      results[last].findings.append(
        Finding(.positionIsMissing(after), transaction: after.transaction)
      )
    }
    try addStrays(to: &results, store: store, folder: logs)
    all += results
  }
  return all
}

/// Compares the beginning and the end of filtered logs with the logs without a filter.
private func compare(
  _ result: inout Verification,
  with other: Verification?,
  start: Int64?,
  logs: LogFolder
) throws {
  guard result.findings.isEmpty else { return }
  let beginning = TransactionDigest.beginning(ofStore: result.store, lineage: result.lineage)
  if result.from.digest != beginning, result.from.transaction != start,
    result.from.transaction != other?.from.transaction
  {
    result.except.add(.missing, result.from.transaction, count: 0)
  }
  guard let other, other.from.transaction < result.to.transaction,
    result.to.transaction < other.to.transaction
  else { return }
  let chain = try LogChain(logs, store: result.store, lineage: result.lineage)
  let end = TrustedPosition(transaction: result.to.transaction, digest: result.to.digest)
  guard try !chain.has(end) else { return }
  result.findings.append(Finding(.filteredIsOther, transaction: result.to.transaction))
}

/// Compares the end of filtered logs with the token of the folder.
private func checkToken(
  _ results: inout [Verification],
  logs: LogFolder,
  name: String,
  request: VerifyRequest
) throws {
  guard let last = results.indices.last, results[last].findings.isEmpty else { return }
  let store = results[last].store
  let path = request.token ?? logs.token(of: store)
  do {
    let end = results[last].to
    guard let point = try readToken(path)?.points["\(store)/partial=\(name)"],
      (point.lineage, point.transaction) > (end.lineage, end.transaction)
    else { return }
    results[last].findings.append(
      Finding(.tokenIsAhead(end: end.transaction), path: path, transaction: point.transaction)
    )
  } catch  where isDamagedToken(error) {
    results[last].findings.append(Finding(.tokenIsDamaged(error), path: path))
  }
}

private struct FilteredVerification {
  private let request: VerifyRequest
  private let logs: LogFolder
  private let chain: LogChain
  private let heads: Set<Digest>
  private var checkpoints: CheckpointComparison
  private var checked: Set<String> = []
  /// The end of the logs without a filter; nil if they are missing or damaged.
  private let end: HistoryPoint?
  private(set) var isPositionFound = false
  /// The last transaction that proves the description of the filter, and the transaction after
  /// which it says that the logs begin.
  private(set) var filterMark: (transaction: Int64, after: Int64)?
  var result: Verification

  init(
    _ request: VerifyRequest,
    logs: LogFolder,
    store: String,
    lineage: Int64,
    whole: Verification?
  ) throws {
    self.request = request
    self.logs = logs
    heads = Set(request.heads)
    end = whole?.to
    checkpoints = CheckpointComparison(request.checkpoints)
    let none = Erasures(store: store, lineage: lineage)
    chain = try LogChain(logs, store: store, lineage: lineage, erasures: none)
    result = Verification(
      store: store,
      lineage: lineage,
      from: chain.beginning,
      to: chain.beginning
    )
    result.filterName = logs.partial
  }

  mutating func verify(progress: inout Progress, tick: Tick) throws {
    var point: HistoryPoint?
    for (index, file) in chain.files.enumerated() {
      do {
        if index == 0, try chain.beginsLineage() { point = chain.beginning }
        let start = point
        // A log after a damaged log is verified from its own beginning.
        point = nil
        let reader = try chain.open(file, after: start)
        guard logs.partial == LogFolder.partialName(reader.header.partial) else {
          throw misplaced(reader.header, path: file.path)
        }
        result.words = reader.header.partial
        if index == 0 {
          (result.from, result.to) = (reader.end, reader.end)
          note(reader.end)
        }
        try chain.readToEnd(
          reader,
          file: file,
          change: { try take($0, of: $1) },
          omission: { omission in
            if let lines = omission.lines {
              result.except.add(.omittedChanges, omission.transaction, count: Int64(lines.count))
            } else {
              result.except.add(.omitted, omission.transaction)
              note(reader.end, of: reader.end.digest)
            }
          },
          first: file.checkDay
        ) { transaction in
          result.transactions += 1
          if let after = transaction.start(ofFilter: result.words), after != filterMark?.after {
            filterMark = (transaction.id, after)
          }
          result.to = transaction.point(inLineage: chain.lineage) ?? result.to
          note(result.to, of: transaction.digest)
          try progress.countTransaction(tick)
        }
        point = reader.end
        result.to = reader.end
        result.files += 1
        result.checkpoints = checkpoints.found
      } catch let error as LogError {
        guard let finding = Finding(error) else { throw error }
        result.findings.append(finding)
      }
    }
    guard result.files > 0 else { return }
    let last = result.proven?.transaction ?? .max
    if filterMark.map({ $0.transaction > last }) ?? true {
      filterMark = nil
      result.except.add(.filter, result.to.transaction)
    }
  }

  private mutating func take(_ change: Change, of transaction: Int64) throws {
    for value in change.largeReferences where checked.insert(value.digest).inserted {
      try logs.blobs.check(value.digest, size: value.size)
    }
    result.changes += 1
    if change.isHidden { result.except.add(.hidden, transaction, change: change.sequence) }
  }

  /// Records a point of the chain, if it was given.
  private mutating func note(_ point: HistoryPoint, of transaction: Digest? = nil) {
    if checkpoints.take(transaction) { result.prove(point, by: .checkpoint) }
    if let after = request.after, after.transaction == point.transaction,
      after.digest == point.digest
    {
      isPositionFound = true
    }
    if point.transaction == end?.transaction, point != end {
      result.findings.append(Finding(.filteredIsOther, transaction: point.transaction))
    }
    guard heads.contains(point.digest), result.heads.last != point else { return }
    result.heads.append(point)
    result.prove(point, by: .head)
  }
}
