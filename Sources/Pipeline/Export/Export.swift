import ChangeLog
import Format
import FoundationEssentials
import Store

/// Throws if an export with the given request could not begin.
///
/// This check changes neither the store nor the logs.
package func checkBeginning(_ request: ExportRequest) throws {
  // The export itself reads a store of Core Data, into a history file in its folder.
  if try Store.isOfApple(request.store) { return }
  let store = try readableStore(request.store)
  _ = try store.read { try Export(request, store: store, reader: $0) }
}

/// Exports the new transactions of a store's history, and updates the token.
///
/// An export writes, syncs and renames a log, then syncs the log's folder, and writes the token
/// last. If a run is interrupted, the next run continues after the last complete log.
///
/// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``.
package func export(_ request: ExportRequest, tick: Tick = { _ in }) throws -> ExportResult {
  if request.isStrict { try Store.checkAppleModel(of: request.store) }
  try keepAppleHistory(request)
  // Foreign changes are sealed first, because an export writes only sealed transactions.
  let isSealed =
    try request.isDryRun || writableStore(request.store)?.sealForeignChanges() != nil
  let notice = try recordUncapturedChanges(of: request.store, isDryRun: request.isDryRun)
  try recordFilter(request)
  let store = try readableStore(request.store)
  var (result, isForgotten, filter, unsealed) = try store.read { reader in
    let export = try Export(request, store: store, reader: reader)
    // If a log contains a transaction, a power failure must not remove that transaction from the
    // store.
    if !request.isDryRun { try reader.sync() }
    let result = try export.run(tick)
    // If the store can be written, the next export has the changes that programs make now.
    let unsealed = try isSealed ? 0 : reader.unshownChanges()
    return (result, try export.isForgotten, export.filter, unsealed)
  }
  // The exported mark is written after all reading: if an adopted file uses a rollback journal,
  // this process can't write to the file while it reads the file.
  if store.schema.belongsToProgram, isForgotten {
    try noteExport(of: request.store, filter: filter)
  }
  if unsealed > 0, !store.isReplica {
    result.notices.insert(Finding(.isNotSealed(unsealed), path: request.store), at: 0)
  }
  if let notice { result.notices.insert(notice, at: 0) }
  return result
}

/// Keeps the history file of a store of Core Data beside its logs, so that the next export continues.
private func keepAppleHistory(_ request: ExportRequest) throws {
  guard request.stream == nil, !request.trustsToken else { return }
  guard !request.isDryRun else {
    return try useAppleHistory(of: request.store, in: request.logs)
  }
  try keepAppleHistory(of: request.store, in: request.logs)
}

/// Reads a store of Core Data with the history file that an export keeps beside the logs, if there is
/// one: only this file has the digests that are in the logs.
func useAppleHistory(of store: String, in logs: LogFolder) throws {
  struct NeverExported: Error {}
  do {
    _ = try Store.appleHistory(of: store) { identifier in
      let folder = logs.storeFolder(identifier)
      guard FileManager.default.fileExists(atPath: folder + "/_apple.history") else {
        throw NeverExported()
      }
      return folder
    }
  } catch is NeverExported {}
}

/// `acceptingGap` says whether the app may have deleted transactions that were not exported.
func keepAppleHistory(of store: String, in logs: LogFolder, acceptingGap: Bool = false) throws {
  let folder = { (identifier: String) in
    let folder = logs.storeFolder(identifier)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder
  }
  _ = try Store.appleHistory(of: store, in: folder, acceptingGap: acceptingGap)
}

/// Records the changes of an adopted file that no trigger captured, and returns a notice about them;
/// nil if there are none.
///
/// Changes of a replica are not recorded, because its history is that of its origin.
private func recordUncapturedChanges(of path: String, isDryRun: Bool) throws -> Finding? {
  let found = try readableStore(path)
  let tables = try found.uncapturedTables(isNoted: !isDryRun)
  guard !tables.isEmpty else { return nil }
  if found.isReplica { return Finding(.isAltered(tables), path: path) }
  let store = isDryRun ? nil : try writableStore(path)
  // The findings are not needed, because the transaction has all rows of their tables.
  let recorded = try store?.check(recording: Author()) { _ in }.recorded
  return Finding(.isNotCaptured(tables, isRecorded: recorded != nil), path: path)
}

/// Records a transaction that proves the description of a filter, before the first export with this
/// filter.
private func recordFilter(_ request: ExportRequest) throws {
  guard !request.filter.isEmpty, !request.isDryRun, request.stream == nil else { return }
  let words = request.filter.words
  let store = try readableStore(request.store)
  try request.filter.check(store.read { try $0.schemas().map(\.schema) }, path: request.store)
  let name = LogFolder.partialName(words)
  let after = try store.read { reader -> Int64? in
    // Logs that begin later need another transaction, which says so.
    let start = try reader.knownStart()
    guard try start > 0 && request.startsNewFolder || !reader.remembersExport(filter: name) else {
      return nil
    }
    // An interrupted export has recorded the transaction, and nothing else.
    return try reader.transaction(reader.sealedHead())?.start(ofFilter: words) == nil ? start : nil
  }
  guard let after else { return }
  // Without this transaction, verification says that nothing proves the description.
  _ = try recordMark(Transaction.details(ofFilter: words, after: after), in: request.store)
}

private func noteExport(of path: String, filter: String?) throws {
  do {
    try writableStore(path, busyTimeout: .seconds(1))?.rememberExport(filter: filter)
  } catch let error as StoreError where error.code == .locked {
    // Another program has locked the store, and the export does not wait. The next export finds the
    // logs of this export, and sets the exported mark.
  }
}

final class Export {
  let request: ExportRequest
  let store: Store
  let reader: Reader
  /// The filter of the changes; nil if all changes are exported.
  let filtered: FilteredChanges?
  /// The path of the token; nil if the export uses no token.
  private let token: String?
  var schemas: [String: StoreSchema]
  var result: ExportResult
  private var start: ExportStart
  var progress = Progress()
  var log: LogWriter?
  var schema = ""
  /// The erasure records of the lineage; nil until this run adds a record.
  var erasures: Erasures?
  /// The erasure records for transactions in the log that is being written.
  var records: [ErasureRecord] = []
  /// The large values of the open log that are not written to the stream yet.
  var values: [LargeReference] = []
  /// The writer of the tree beside the logs; nil if the export writes to a stream or writes
  /// filtered logs.
  var tree: LineageTreeWriter?
  var streamed: Set<String> = []
  /// The id of the transaction that proves the snapshot of this run.
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
    let facts = try reader.appleFacts()
    if let guess = facts?.guess {
      result.notices.append(Finding(.modelIsGuessed(guess), path: request.store))
    }
    if let damage = facts?.damagedLog {
      result.notices.append(Finding(.logIsDamaged(damage), path: request.store))
    }
    if store.isReplica, store.schema.belongsToProgram {
      result.notices.append(Finding(.isReplica, path: request.store))
    }
    start = .beginning
    start = try ExportStart(request, reader: reader, store: store, notices: &result.notices)
  }

  func run(_ tick: Tick) throws -> ExportResult {
    if case .after(let point) = start {
      result.from = point
      result.to = point
    }
    if case .snapshot = start {
      guard try request.until == .head || reader.adoptedStart() != nil else {
        throw PipelineError(.historyExpired) {
          "\(request.store) no longer has its whole history, so the first export begins with the"
            + " present state of the store.\nLeave out --until."
        }
      }
    } else {
      try request.checkContinuation(
        of: store.identifier,
        after: result.from,
        through: lastWanted(),
        reader: reader
      )
    }
    try remember()
    if case .snapshot = start { try writeFirstSnapshot(tick) }
    try openTree()
    result.to = result.from
    try exportTransactions(through: lastWanted(), tick: tick)
    if request.wantsSnapshot, result.snapshot == nil {
      guard result.to.transaction == result.head else {
        throw PipelineError(.misuse) {
          "A snapshot contains the present state of \(request.store), at transaction"
            + " \(result.head), but this export ends at transaction \(result.to.transaction)."
            + "\nLeave out --until or --snapshot."
        }
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

  /// Records that an export has begun: first in the token, then in the store.
  ///
  /// If the run is interrupted before it writes a log, the next run finds the token. Without the
  /// token, the next run would report that the folder lacks the logs of an earlier export.
  private func remember() throws {
    guard !request.isDryRun, request.stream == nil, !request.trustsToken else { return }
    try moveToken()
    if !store.schema.belongsToProgram, try isForgotten {
      try noteExport(of: request.store, filter: filter)
    }
  }

  /// The name of the filtered logs in the folder; nil if the logs are not filtered.
  var filter: String? { request.logs.partial }

  /// Whether the store lacks the exported mark for these logs.
  var isForgotten: Bool {
    get throws {
      guard !request.isDryRun, request.stream == nil, !request.trustsToken else { return false }
      return try !reader.remembersExport(filter: filter)
    }
  }

  private func openTree() throws {
    guard !request.isDryRun, request.stream == nil, !request.trustsToken, filtered == nil else {
      return
    }
    do {
      let writer = try LineageTreeWriter(request.logs, store: store.identifier, after: result.from)
      tree = writer.last == result.from ? writer : nil
    } catch let error as LogError where Finding(error) != nil {
      // The export continues without the tree. Only old logs could repair the tree, and an export
      // does not read old logs.
      result.notices.append(Finding(.treeIsNotWhole("\(error)")))
    }
  }

  func moveToken() throws {
    guard let token else { return }
    try writeToken(result.to, of: request.tokenName(store.identifier), to: token)
  }
}

func schemasByDigest(_ reader: Reader) throws -> [String: StoreSchema] {
  Dictionary(
    try reader.schemas().map { ($0.digest, $0.schema) },
    uniquingKeysWith: { first, _ in first }
  )
}
