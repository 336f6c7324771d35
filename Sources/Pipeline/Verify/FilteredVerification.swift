import ChangeLog
import Format

/// Reads the filtered logs of a store, which are in a folder for each filter.
///
/// The facts about the logs without a filter are `whole`.
func readFilteredLogs(
  of store: String,
  request: VerifyRequest,
  whole: [LogFacts],
  arrow: ArrowFile?,
  progress: inout Progress,
  tick: Tick
) throws -> [StoreFacts] {
  try request.logs.partials(of: store).map { name in
    let logs = request.logs.partial(named: name)
    var lineages: [LogFacts] = []
    for lineage in try logs.lineages(of: store) {
      let end = whole.first { $0.lineage == lineage && $0.findings.isEmpty }?.to
      var run = try FilteredVerification(
        request,
        logs: logs,
        store: store,
        lineage: lineage,
        end: end?.transaction
      )
      try run.read(arrow: arrow, progress: &progress, tick: tick)
      lineages.append(run.facts)
    }
    return try StoreFacts(lineages, of: store, logs: logs, token: request.token)
  }
}

private struct FilteredVerification {
  private let request: VerifyRequest
  private let logs: LogFolder
  private let chain: LogChain
  private let heads: Set<Digest>
  private var checkpoints: CheckpointComparison
  private var checked: Set<String> = []
  private var gaps: [Mark] = []
  /// The first transactions that prove gaps.
  private var marks: [Mark: Int64] = [:]
  /// The last transaction of the logs without a filter; nil if they are missing or damaged.
  private let end: Int64?
  private(set) var facts: LogFacts

  init(
    _ request: VerifyRequest,
    logs: LogFolder,
    store: String,
    lineage: Int64,
    end: Int64?
  ) throws {
    self.request = request
    self.logs = logs
    heads = Set(request.heads)
    self.end = end
    checkpoints = CheckpointComparison(request.checkpoints)
    let none = Erasures(store: store, lineage: lineage)
    chain = try LogChain(logs, store: store, lineage: lineage, erasures: none)
    facts = LogFacts(
      store: store,
      lineage: lineage,
      filterName: logs.partial,
      from: chain.beginning,
      to: chain.beginning
    )
  }

  mutating func read(arrow: ArrowFile?, progress: inout Progress, tick: Tick) throws {
    var point: HistoryPoint?
    for (index, file) in chain.files.enumerated() {
      do {
        if index == 0, try chain.beginsLineage() { point = chain.beginning }
        let start = point
        // A log after a damaged log is verified from its own beginning.
        point = nil
        let reader = try chain.open(file, after: start)
        if let arrow { try reader.write(to: arrow, after: nil, isSnapshot: false) }
        guard logs.partial == LogFolder.partialName(reader.header.partial) else {
          throw misplaced(reader.header, path: file.path)
        }
        facts.words = reader.header.partial
        if index == 0 {
          (facts.from, facts.to) = (reader.end, reader.end)
          note(reader.end)
        }
        try chain.readToEnd(
          reader,
          file: file,
          change: { try take($0, of: $1) },
          omission: { omission in
            if let lines = omission.lines {
              facts.except.add(.omittedChanges, omission.transaction, count: Int64(lines.count))
            } else {
              facts.except.add(.omitted, omission.transaction)
              note(reader.end, of: reader.end.digest)
            }
          },
          first: file.checkDay
        ) { transaction in
          facts.transactions += 1
          if let mark = transaction.mark { marks[mark] = marks[mark] ?? transaction.id }
          if transaction.operation == .gap, let digest = transaction.digest {
            gaps.append(Mark(.gap, transaction: transaction.id, digest: digest))
          }
          if let after = transaction.start(ofFilter: facts.words),
            after != facts.filterMark?.after
          {
            facts.filterMark = (transaction.id, after)
          }
          facts.to = transaction.point(inLineage: chain.lineage) ?? facts.to
          note(facts.to, of: transaction.digest)
          try progress.countTransaction(tick)
        }
        point = reader.end
        facts.to = reader.end
        facts.files += 1
        facts.checkpoints = checkpoints.found
      } catch let error as LogError {
        guard let finding = Finding(error) else { throw error }
        facts.findings.append(finding)
      }
    }
    facts.marked = gaps.map { MarkedPart(mark: $0, isBase: false, by: marks[$0]) }
  }

  private mutating func take(_ change: Change, of transaction: Int64) throws {
    for value in change.largeReferences where checked.insert(value.digest).inserted {
      try logs.blobs.check(value.digest, size: value.size)
    }
    facts.changes += 1
    if change.isHidden { facts.except.add(.hidden, transaction, change: change.sequence) }
  }

  /// Records a point of the chain, if it was given.
  private mutating func note(_ point: HistoryPoint, of transaction: Digest? = nil) {
    if checkpoints.take(transaction) { facts.confirmed.append((point, .checkpoint)) }
    if let after = request.after, after.transaction == point.transaction,
      after.digest == point.digest
    {
      facts.hasPosition = true
    }
    if point.transaction == end { facts.pointAtWholeEnd = point }
    guard heads.contains(point.digest), facts.heads.last != point else { return }
    facts.confirmed.append((point, .head))
  }
}
