import ChangeLog
import Changes
import Store

/// Throws if an export could not begin; changes nothing.
package func checkBeginning(_ request: ExportRequest) throws {
  let store = try readableStore(request.store)
  _ = try store.read { try Export(request, store: store, reader: $0) }
}

/// Exports the new transactions of a store's history, and moves the token.
///
/// The token moves last: a log is written, synced and renamed, its folder is synced, and then the
/// token is written. The run after an interrupted run continues with the next transaction.
///
/// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``.
package func export(_ request: ExportRequest, tick: Tick = { _ in }) throws -> ExportResult {
  // Foreign changes are sealed before they are exported.
  if !request.isDryRun { try writableStore(request.store)?.sealForeignChanges() }
  let store = try readableStore(request.store)
  let (result, isForgotten, filter) = try store.read { reader in
    let export = try Export(request, store: store, reader: reader)
    // A log must not contain a state that a power cut could still remove from the store.
    if !request.isDryRun { try reader.sync() }
    let result = try export.run(tick)
    return (result, try export.isForgotten, export.filter)
  }
  // In a rollback journal this process can't commit while it reads.
  if store.schema.isAdopted, isForgotten { try noteExport(of: request.store, filter: filter) }
  return result
}

private func noteExport(of path: String, filter: String?) throws {
  do {
    try writableStore(path, busyTimeout: .seconds(1))?.rememberExport(filter: filter)
  } catch let error as StoreError where error.code == .locked {
    // The store is locked, and an export does not wait. The next export sets the mark, because it
    // finds logs.
  }
}

private final class Export {
  private let request: ExportRequest
  private let store: Store
  private let reader: Reader
  /// Filters the changes; nil if all of them are exported.
  private let filtered: FilteredChanges?
  /// The path of the token; nil if none is used.
  private let token: String?
  private var schemas: [String: StoreSchema]
  private var result: ExportResult
  private var start: ExportStart
  private var progress = Progress()
  private var log: LogWriter?
  private var schema = ""
  /// The lineage's records of erasures; nil until a record is added.
  private var erasures: Erasures?
  /// The records of erased transactions in the open log.
  private var records: [ErasureRecord] = []
  /// The large values of the open log that the stream does not contain yet.
  private var values: [LargeReference] = []
  /// The tree beside the logs; nil for streams and filtered logs.
  private var tree: LineageTreeWriter?
  private var streamed: Set<String> = []
  /// The transaction that proves the snapshot of this run.
  private var marked: Int64?

  init(_ request: ExportRequest, store: Store, reader: Reader) throws {
    let catalog = try reader.schemas()
    var request = request
    if request.filter.isEmpty {
      filtered = nil
    } else {
      try request.filter.check(catalog.map(\.schema), path: request.store)
      request.logs = request.logs.partial(leavingOut: request.filter.words)
      filtered = FilteredChanges(request.filter, schemas: catalog)
    }
    self.request = request
    self.store = store
    self.reader = reader
    token =
      request.token
      ?? (request.stream == nil ? request.logs.token(of: store.identifier) : nil)
    schemas = try schemasByDigest(reader)
    let head = try reader.sealedHead()
    let beginning = HistoryPoint(
      lineage: store.lineage,
      transaction: 0,
      digest: TransactionDigest.beginning(ofStore: store.identifier, lineage: store.lineage)
    )
    result = ExportResult(
      store: request.store,
      identifier: store.identifier,
      filter: request.filter.isEmpty ? nil : request.filter.words,
      from: beginning,
      to: beginning,
      head: head
    )
    start = .beginning
    start = try ExportStart(request, reader: reader, store: store, notices: &result.notices)
  }

  func run(_ tick: Tick) throws -> ExportResult {
    if case .snapshot = start, request.until != .head, try reader.adoptedStart() == nil {
      throw request.error(.firstExportIsSnapshot)
    }
    if case .after(let point) = start {
      result.from = point
      let last = try lastWanted()
      try request.checkContinuation(
        of: store.identifier,
        after: point,
        through: last,
        reader: reader
      )
      result.to = point
    }
    try remember()
    if case .snapshot = start { try writeFirstSnapshot(tick) }
    try openTree()
    result.to = result.from
    try exportTransactions(through: lastWanted(), tick: tick)
    if request.wantsSnapshot, result.snapshot == nil {
      guard result.to.transaction == result.head else {
        throw request.error(
          .snapshotIsNotLast(result.to.transaction, head: result.head)
        )
      }
      try writeSnapshot(at: result.to, tick: tick)
    }
    try exportMark(tick)
    if let stream = request.stream, result.files.isEmpty, !request.isDryRun {
      try LogWriter.writeNothing(to: stream, name: "standard output")
    }
    if !request.isDryRun { try moveToken() }
    result.notices += permissionNotices([token].compactMap { $0 } + result.files)
    return result
  }

  private func lastWanted() throws -> Int64 {
    try request.until.transaction(
      in: reader,
      after: result.from.transaction,
      through: result.head
    )
  }

  /// Records that the logs begin here: first in the folder with a token, then in the store.
  ///
  /// If the run is interrupted before its first log, the next run finds the token, and does not
  /// take the folder for an empty one.
  private func remember() throws {
    guard !request.isDryRun, request.stream == nil, !request.trustsToken else { return }
    try moveToken()
    if !store.schema.isAdopted, try isForgotten {
      try noteExport(of: request.store, filter: filter)
    }
  }

  /// The name of the filtered logs; nil for whole ones.
  var filter: String? { request.logs.partial }

  /// Whether the store does not have the mark of this export yet.
  var isForgotten: Bool {
    get throws {
      guard !request.isDryRun, request.stream == nil, !request.trustsToken else { return false }
      return try !reader.remembersExport(filter: filter)
    }
  }

  /// Opens the tree to which the transactions are added.
  private func openTree() throws {
    guard !request.isDryRun, request.stream == nil, !request.trustsToken, filtered == nil else {
      return
    }
    do {
      let writer = try LineageTreeWriter(request.logs, store: store.identifier, after: result.from)
      tree = writer.last == result.from ? writer : nil
    } catch let error as LogError where Finding(error) != nil {
      // The export continues without the tree, because it does not read old logs.
      result.notices.append(.treeIsNotWhole("\(error)"))
    }
  }

  /// Writes the snapshot with which the logs begin: the one that the last deletion of history proves,
  /// or the present state.
  private func writeFirstSnapshot(_ tick: Tick) throws {
    if let start = try reader.adoptedStart() {
      result.from = try reader.point(start)
      try writeSnapshot(at: result.from, tick: tick)
    } else if let point = try writePrunedSnapshot(tick) {
      result.from = point
    } else {
      result.from = try reader.point(result.head)
      try writeSnapshot(at: result.from, tick: tick)
    }
    let last = result.from.transaction
    // The marker of an adoption has no changes that the snapshot could lack.
    let isMarker = try last == 1 && reader.adoptedStart() != nil
    if !isMarker, let oldest = try reader.historyRange().oldest, oldest <= last {
      result.notices.append(
        .beginsWithSnapshot(oldest...last, of: request.store, request.logs.path)
      )
    }
  }

  /// Writes the snapshot that the last deletion of history proves, and returns its point; nil if it
  /// can't be made again, for example because values were erased since.
  private func writePrunedSnapshot(_ tick: Tick) throws -> HistoryPoint? {
    guard let prune = try reader.lastPrune(), let mark = prune.mark, let seed = prune.seed else {
      return nil
    }
    guard !request.isDryRun else {
      result.snapshot = ""
      return try reader.point(mark.transaction)
    }
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let (state, reached) = try rewoundCopy(of: store, to: mark.transaction, in: folder.path)
    guard reached == mark.transaction else { return nil }
    struct OtherState: Error {}
    do {
      return try state.read { rewound in
        let point = try reader.point(mark.transaction)
        let log = try SnapshotLog(
          of: state,
          reader: rewound,
          at: point,
          stamp: Provenance.Stamp(
            time: prune.time,
            process: prune.process,
            processID: prune.processID,
            host: prune.host,
            seed: seed
          )
        )
        result.snapshot = try log.write(
          to: request.logs,
          level: request.level,
          marking: { if $0 != mark { throw OtherState() } },
          tick: tick
        )
        return point
      }
    } catch is OtherState {
      return nil
    }
  }

  /// Exports the transaction that proves the snapshot, and those before it.
  private func exportMark(_ tick: Tick) throws {
    guard let marked, marked > result.to.transaction else { return }
    try reader.refresh()
    // The proof must be durable before a log contains it.
    try reader.sync()
    schemas = try schemasByDigest(reader)
    result.head = marked
    try exportTransactions(through: marked, tick: tick)
  }

  /// Exports the transactions after the last exported one.
  private func exportTransactions(through last: Int64, tick: Tick) throws {
    let first = result.to.transaction
    guard last > first else { return }
    progress.total = last - first
    let cursor = try reader.history(after: first, through: last)
    var previous = result.to.digest
    while var transaction = try cursor.nextTransaction() {
      transaction.digest = try transaction.digest ?? reader.point(transaction.id).digest
      guard let digest = transaction.chainDigest else { continue }
      let shown =
        try filtered.map { try $0.shownChanges(of: transaction, reader: reader) }
        ?? transaction.count
      if !request.isDryRun {
        try prepareLog(for: transaction, after: previous)
        try write(transaction, isShown: shown != nil, after: previous, cursor: cursor, tick: tick)
        try tree?.append(transaction)
      }
      previous = digest
      result.to = HistoryPoint(
        lineage: store.lineage,
        transaction: transaction.id,
        digest: digest
      )
      if let shown {
        result.transactions += 1
        result.changes += shown
      }
      try progress.countTransaction(tick)
    }
    try finishLog()
  }

  /// Begins a new log if the transaction can't be added to the open one.
  private func prepareLog(for transaction: Transaction, after previous: Digest) throws {
    if let log, schema == transaction.schema, log.estimatedSize < request.maximumFileSize {
      return
    }
    try finishLog()
    guard let definition = schemas[transaction.schema] else {
      throw HistoryFailure.damaged(.missingSchema("\(transaction.schema)")).at(request.store)
    }
    let header = LogHeader(
      store: store.identifier,
      lineage: store.lineage,
      first: result.to.transaction + 1,
      previous: previous,
      schema: definition,
      partial: request.filter.words
    )
    schema = transaction.schema
    log = try LogWriter(
      request.stream.map { .stream($0, name: "standard output") }
        ?? .day(String(transaction.time.prefix(10)), request.logs),
      header: header,
      level: request.level
    )
  }

  private func write(
    _ transaction: Transaction,
    isShown: Bool,
    after previous: Digest,
    cursor: HistoryCursor,
    tick: Tick
  ) throws {
    guard let log else { return }
    func written(_ change: Change) throws {
      if !change.large.isEmpty { try copyLargeValues(of: change) }
      progress.changes += 1
      guard progress.changes & 0xfff == 0 else { return }
      progress.bytes = result.plainBytes + log.sizes.plain
      try tick(progress)
    }
    let lines = TransactionLines(transaction)
    if let filtered {
      let writing = FilteredLines(filtered: filtered, reader: reader, path: request.store)
      guard isShown else {
        return try writing.omit(transaction, after: previous, cursor: cursor, to: log)
      }
      try writing.write(transaction, cursor: cursor, to: log, written)
      return try log.close(transaction, lines: lines)
    }
    var erased =
      transaction.state == .erased ? TransactionDigest(transaction, after: previous) : nil
    while let change = try cursor.nextChange() {
      try log.append(change, lines: lines)
      erased?.take(change)
      try written(change)
    }
    try log.close(transaction, lines: lines)
    guard let erased, let digest = transaction.digest else { return }
    do throws(ProofError) {
      guard let remaining = try erased.close(lines).remaining else { return }
      records.append(
        ErasureRecord(
          time: currentTime(),
          reason: "erased in the store before it was exported",
          transaction: transaction.id,
          operation: transaction.operation,
          digest: digest,
          lines: remaining
        )
      )
    } catch {
      throw HistoryFailure.damaged(.unreadable(transaction.id, error.message)).at(request.store)
    }
  }

  /// Ends a log with the records of its erased transactions.
  private func finish(_ log: LogWriter) throws -> String {
    guard !records.isEmpty else { return try log.finish() }
    let (identifier, lineage) = (store.identifier, store.lineage)
    var erasures =
      try self.erasures
      ?? (request.stream != nil
        ? Erasures(store: identifier, lineage: lineage)
        : Erasures(
          path: request.logs.erasures(of: identifier, lineage: lineage),
          store: identifier,
          lineage: lineage
        ))
    let path = try log.finish(&erasures, adding: records)
    self.erasures = erasures
    records.removeAll()
    return path
  }

  private func copyLargeValues(of change: Change) throws {
    guard request.stream == nil else {
      values += change.largeReferences.filter { streamed.insert($0.digest).inserted }
      return
    }
    for value in change.largeReferences where !request.logs.blobs.contains(value.digest) {
      try request.logs.blobs.write(reader.largeValue(value.digest), digest: value.digest)
    }
  }

  private func finishLog() throws {
    guard let log else { return }
    self.log = nil
    result.files.append(try finish(log))
    if let stream = request.stream { try writeValues(to: stream) }
    result.plainBytes += log.sizes.plain
    result.compressedBytes += log.sizes.compressed
    try tree?.finish()
    // An interrupted run need not verify this log again.
    try moveToken()
  }

  /// Writes the large values of a log to the stream, after the log.
  private func writeValues(to stream: Int32) throws {
    for value in values {
      try LogWriter.write(
        reader.largeValue(value.digest),
        digest: value.digest,
        size: value.size,
        level: request.level,
        to: stream,
        name: "standard output"
      )
    }
    values.removeAll()
  }

  private func moveToken() throws {
    guard let token else { return }
    try writeToken(result.to, of: request.tokenName(store.identifier), to: token)
  }

  /// Writes the state of the store after its last transaction.
  private func writeSnapshot(at point: HistoryPoint, tick: Tick) throws {
    guard point.transaction > 0 else { return }
    // A transaction that only proves a snapshot does not change the state.
    let marked = try reader.transaction(point.transaction)?.mark?.transaction
    let known = try request.logs.snapshots(of: store.identifier, lineage: store.lineage)
      .last { [point.transaction, marked].contains($0.range.lowerBound) }
    if let known {
      result.snapshot = known.path
      return
    }
    guard filtered == nil else {
      throw request.error(.snapshotIsFiltered)
    }
    guard !request.isDryRun else {
      result.snapshot = ""
      return
    }
    // The rows of an adopted file give the state after any of its transactions.
    if !store.schema.isAdopted { try reader.checkState(isAfter: point) }
    let log = try SnapshotLog(
      of: store,
      reader: reader,
      at: point,
      stamp: Provenance.system.stamp(Author(), 0)
    )
    result.snapshot = try log.write(
      to: request.logs,
      level: request.level,
      // In a rollback journal this process can't commit while it reads.
      marking: {
        let canCommit = try !store.schema.isAdopted || reader.usesWriteAheadLog()
        if canCommit { self.marked = try record($0, in: request.store) }
      },
      tick: tick
    )
    if self.marked == nil { result.notices.append(.snapshotIsUnproven(point.transaction)) }
  }
}

/// The schemas of a store by their digests.
private func schemasByDigest(_ reader: Reader) throws -> [String: StoreSchema] {
  Dictionary(
    try reader.schemas().map { ($0.digest, $0.schema) },
    uniquingKeysWith: { first, _ in first }
  )
}
