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

final class Export {
  let request: ExportRequest
  let store: Store
  let reader: Reader
  /// Filters the changes; nil if all of them are exported.
  let filtered: FilteredChanges?
  /// The path of the token; nil if none is used.
  private let token: String?
  var schemas: [String: StoreSchema]
  var result: ExportResult
  private var start: ExportStart
  var progress = Progress()
  var log: LogWriter?
  var schema = ""
  /// The lineage's records of erasures; nil until a record is added.
  var erasures: Erasures?
  /// The records of erased transactions in the open log.
  var records: [ErasureRecord] = []
  /// The large values of the open log that the stream does not contain yet.
  var values: [LargeReference] = []
  /// The tree beside the logs; nil for streams and filtered logs.
  var tree: LineageTreeWriter?
  var streamed: Set<String> = []
  /// The transaction that proves the snapshot of this run.
  var marked: Int64?

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

  func moveToken() throws {
    guard let token else { return }
    try writeToken(result.to, of: request.tokenName(store.identifier), to: token)
  }
}

/// The schemas of a store by their digests.
func schemasByDigest(_ reader: Reader) throws -> [String: StoreSchema] {
  Dictionary(
    try reader.schemas().map { ($0.digest, $0.schema) },
    uniquingKeysWith: { first, _ in first }
  )
}
