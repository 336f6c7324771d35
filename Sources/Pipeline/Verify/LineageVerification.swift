import ChangeLog
import Format

/// Reads the logs of one lineage, recomputes every digest, and collects the facts.
final class LineageVerification {
  private let chain: LogChain
  private var facts: LogFacts
  var progress: Progress
  /// The digests of the large values that were already verified.
  private var checked: Set<String> = []
  /// The transactions that prove snapshots and gaps, by the marks in these transactions.
  private var marks: [Mark: Int64] = [:]
  /// The gaps, sorted as in the chain.
  private var gaps: [Mark] = []
  private let heads: Set<Digest>
  private var checkpoints: CheckpointComparison
  private let after: TrustedPosition?
  private let observer: (any VerificationObserver)?
  private let arrow: ArrowFile?

  init(
    _ request: VerifyRequest,
    store: String,
    lineage: Int64,
    after: TrustedPosition?,
    observer: (any VerificationObserver)? = nil,
    arrow: ArrowFile? = nil,
    progress: Progress
  ) throws {
    self.observer = observer
    self.arrow = arrow
    let folder = request.logs
    heads = Set(request.heads)
    checkpoints = CheckpointComparison(after == nil ? request.checkpoints : [])
    self.after = after
    var erasures = Erasures(store: store, lineage: lineage)
    var finding: Finding?
    do {
      try folder.checkErasing(store)
      let path = folder.erasures(of: store, lineage: lineage)
      erasures = try Erasures(path: path, store: store, lineage: lineage)
    } catch let error as LogError {
      finding = Finding(error)
      guard finding != nil else { throw error }
    }
    chain = try LogChain(folder, store: store, lineage: lineage, erasures: erasures)
    self.progress = progress
    let start =
      after.map { HistoryPoint(lineage: lineage, transaction: $0.transaction, digest: $0.digest) }
      ?? chain.beginning
    facts = LogFacts(store: store, lineage: lineage, from: start, to: start)
    facts.namedEnd = chain.files.last?.range.upperBound ?? 0
    facts.findings += [finding].compactMap { $0 }
    facts.erasures = erasures.count > 0 ? erasures.head : nil
    facts.after = after == nil ? nil : start
  }

  func read(_ tick: Tick) throws -> LogFacts {
    // During an unfinished erasure, logs and records differ although the logs are not damaged.
    guard !facts.isUnfinished else { return facts }
    var snapshots: [Int64: Digest] = [:]
    var marked: [Mark] = []
    let base = after?.transaction ?? 0
    for file in chain.snapshots where file.range.lowerBound > base || after == nil {
      try collect {
        let reader = try chain.open(file, after: nil)
        if let arrow, isBase(file) { try reader.write(to: arrow, after: nil, isSnapshot: true) }
        var digest: Digest?
        try read(reader, file: file, observer: nil, tick: tick) { digest = $0.digest }
        snapshots[file.range.lowerBound] = reader.header.previous
        if let digest {
          marked.append(Mark(.snapshot, transaction: file.range.lowerBound, digest: digest))
        }
        facts.snapshots += 1
      }
    }
    if after == nil { try findOrigin(snapshots) }
    for file in chain.covered where file.range.upperBound > base {
      facts.findings.append(
        Finding(
          .isCovered(folder: chain.folder.path),
          path: file.path,
          transaction: file.range.lowerBound
        )
      )
    }
    // A log after a damaged log is verified from its own beginning.
    var point: HistoryPoint? = facts.from
    var tree = try TreeComparison(chain.folder, store: chain.store, lineage: chain.lineage)
    let files = (chain.files + chain.snapshots).map(\.path)
    facts.notices = permissionNotices([chain.folder.token(of: chain.store)] + files)
    note(facts.from)
    var isReached = after == nil
    observer?.begin(store: chain.store, lineage: chain.lineage)
    for file in chain.files(after: after) {
      let isConnected = point != nil
      let isInside = after != nil && file.range.lowerBound <= base
      var next: HistoryPoint?
      try collect {
        let reader = try chain.open(file, after: isInside ? nil : point)
        if let arrow { try reader.write(to: arrow, after: after?.transaction, isSnapshot: false) }
        // If the log begins directly after the trusted position, `open` has compared it with the
        // digest of this position.
        isReached = isReached || isConnected && file.range.lowerBound == base + 1
        // The transaction of the position is read too, because its digest must be computed from its
        // lines.
        if isInside { _ = reader.goInside(before: base) }
        try read(reader, file: file, observer: observer, tick: tick) { transaction in
          try tree.take(transaction)
          guard let reached = transaction.point(inLineage: chain.lineage) else { return }
          if let expected = snapshots[transaction.id], expected != reached.digest {
            throw LogError(.damaged, file.path, transaction: transaction.id) {
              "Transaction \(transaction.id) has the digest \(expected) in its snapshot, but"
                + " \(reached.digest) in the log \(file.path)."
            }
          }
          next = reached
          if transaction.id == base, after != nil {
            guard reached == facts.from else {
              throw LogError(.damaged, file.path, transaction: base) {
                "Transaction \(base) in the log \(file.path) does not have the given digest"
                  + " \(facts.from.digest): the log belongs to another history."
              }
            }
            isReached = true
          }
          guard isConnected, isReached, transaction.id > base else { return }
          if facts.to == facts.from { facts.origin = transaction.lineageOrigin }
          if let mark = transaction.mark { marks[mark] = marks[mark] ?? transaction.id }
          facts.to = reached
          note(reached)
          if checkpoints.take(transaction.digest) { facts.confirmed.append((reached, .checkpoint)) }
        }
        facts.files += 1
      }
      guard isConnected else { continue }
      point = next?.transaction == file.range.upperBound ? next : nil
    }
    if let after, facts.findings.isEmpty, !isReached {
      facts.findings.append(Finding(.positionIsMissing(after), transaction: base))
    }
    facts.checkpoints = checkpoints.found
    checkRecords()
    facts.marked = (marked + gaps).map { mark in
      let isBase = mark.kind == .snapshot && mark.transaction == facts.from.transaction
      return MarkedPart(mark: mark, isBase: isBase && after == nil, by: marks[mark])
    }
    // The tree says where logs begin that do not begin with their lineage.
    if after == nil, facts.from != chain.beginning, !chain.files.isEmpty {
      let missing = tree.count(through: facts.from.transaction)
      if missing != 0 {
        facts.except.add(.missing, facts.from.transaction, count: missing ?? 0)
      }
    }
    facts.notices += [tree.notice].compactMap { $0 }
    if facts.findings.isEmpty {
      facts.findings += [tree.finding ?? tree.findingAhead(of: facts.to)].compactMap { $0 }
    }
    return facts
  }

  /// Records a point of the chain, if the digest of the point was given.
  private func note(_ point: HistoryPoint) {
    guard heads.contains(point.digest), facts.heads.last != point else { return }
    facts.confirmed.append((point, .head))
  }

  /// Adds a finding for each erasure record whose transaction the logs do not contain.
  private func checkRecords() {
    // If a log is damaged, the part that could not be read may contain the erased transactions.
    guard facts.findings.isEmpty else { return }
    let first = chain.files.first?.range.lowerBound ?? 0
    let last = chain.files.last?.range.upperBound ?? 0
    let places = Set(chain.snapshots.map(\.range.lowerBound))
    for (digest, entry) in chain.erasures.entries
    where !facts.erasedDigests.contains(digest) && isNew(entry.transaction) {
      // The erasure record may be about a snapshot or an old log that was removed from the folder.
      if entry.isSnapshot ? !places.contains(entry.transaction) : entry.transaction < first {
        continue
      }
      let path = chain.folder.erasures(of: chain.store, lineage: chain.lineage)
      if entry.transaction > last {
        facts.notices.append(
          Finding(.recordIsAhead(end: last), path: path, transaction: entry.transaction)
        )
        continue
      }
      facts.findings.append(
        Finding(.isUnknownErasure(digest), path: path, transaction: entry.transaction)
      )
    }
  }

  /// The point at which the first log begins: the beginning, or a snapshot.
  private func findOrigin(_ snapshots: [Int64: Digest]) throws {
    // If the first log can't be opened, the code that reads the log reports the error.
    guard (try? chain.beginsLineage()) == false else { return }
    let first = chain.files.first?.range.lowerBound ?? .max
    let before = snapshots.keys.filter { $0 < first }.max()
    if let before, let digest = snapshots[before] {
      facts.from = HistoryPoint(lineage: chain.lineage, transaction: before, digest: digest)
      facts.to = facts.from
    }
  }

  /// Whether the logs begin with a snapshot, because earlier logs were removed.
  private func isBase(_ snapshot: LogFolder.File) -> Bool {
    let first = chain.files.first?.range.lowerBound
    return after == nil && first.map { $0 == snapshot.range.lowerBound + 1 } ?? true
  }

  private func read(
    _ reader: LogReader,
    file: LogFolder.File,
    observer: (any VerificationObserver)?,
    tick: Tick,
    _ body: (Transaction) throws -> Void
  ) throws {
    var open: Int64?
    var isWanted = false
    try chain.readToEnd(
      reader,
      file: file,
      change: { change, id in
        guard isNew(id) else { return }
        if !change.large.isEmpty { try checkLargeValues(of: change) }
        try progress.countChange(tick)
        guard let observer else { return }
        if open != id {
          open = id
          isWanted = try reader.opening().map(observer.open) ?? false
        }
        if isWanted { try observer.take(change) }
      },
      first: { collectDay(file, $0) }
    ) { transaction in
      try body(transaction)
      if isNew(transaction.id) {
        count(transaction, restatedBy: reader.restatedBy)
        try observer?.close(transaction)
      }
      try progress.countTransaction(tick)
    }
  }

  /// Whether a transaction is after the trusted position; true if no position is given.
  private func isNew(_ transaction: Int64) -> Bool {
    after.map { transaction > $0.transaction } ?? true
  }

  private func count(_ transaction: Transaction, restatedBy point: HistoryPoint?) {
    if transaction.state == .erased, let digest = transaction.digest {
      facts.erasedDigests.insert(digest)
      if let point {
        facts.restated.append(RestatedPart(transaction: transaction.id, by: point))
      } else {
        facts.except.add(.unanchored, transaction.id)
      }
    }
    if let erasure = transaction.erasure {
      facts.recordedErasures.add(erasure, by: transaction.id)
    }
    if transaction.operation == .gap, let digest = transaction.digest {
      gaps.append(Mark(.gap, transaction: transaction.id, digest: digest))
    }
    if transaction.operation == .snapshot {
      facts.snapshotObjects += transaction.count
    } else {
      facts.transactions += 1
      facts.changes += transaction.count
    }
  }

  private func collectDay(_ file: LogFolder.File, _ first: Transaction) {
    do throws(LogError) {
      try file.checkDay(first)
    } catch {
      facts.findings.append(Finding(.misplaced, error))
    }
  }

  private func checkLargeValues(of change: Change) throws {
    for value in change.largeReferences where checked.insert(value.digest).inserted {
      do {
        try chain.folder.blobs.check(value.digest, size: value.size)
      } catch let error as LogError {
        guard Finding(error) != nil else { throw error }
        facts.findings.append(Finding(.value, error))
      }
    }
  }

  /// Calls the closure.
  ///
  /// If the closure throws an error about the logs, the error becomes a finding.
  private func collect(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as LogError {
      guard let finding = Finding(error) else { throw error }
      facts.findings.append(finding)
    }
  }
}
