import ChangeLog
import Changes
import FoundationEssentials
import Glibc
import Store

/// The store that logs are replayed into, which is created when the first log is.
final class Replica {
  /// The store's file.
  let path: String
  /// The identifier of the store that the logs are of.
  let identifier: String
  /// The last transaction that the replica had before this run.
  let head: HistoryPoint
  /// Whether this run creates the store.
  private(set) var isNew: Bool
  /// Whether this run has created the store's file.
  private(set) var isMade = false
  private let logs: LogFolder
  private let isDryRun: Bool
  private let url: URL
  private var store: Store?

  init(_ request: ImportRequest) throws {
    path = request.store
    logs = request.logs
    isDryRun = request.isDryRun
    url = URL(fileURLWithPath: path)
    if try !Store.isUnmade(url) {
      let store = try Store.open(.file(url), options: Options(isReadOnly: isDryRun))
      guard store.isReplica else {
        throw request.error(.notAReplica)
      }
      self.store = store
    }
    isNew = store == nil
    identifier = try originIdentifier(request, replica: store)
    let lineage = store?.lineage ?? 0
    let beginning = HistoryPoint(
      lineage: lineage,
      transaction: 0,
      digest: TransactionDigest.beginning(ofStore: identifier, lineage: lineage)
    )
    head = try store?.read { try $0.historyRange().head } ?? beginning
  }

  /// Whether the replica is empty: not created yet, or left empty by an interrupted import.
  var isEmpty: Bool { head.transaction == 0 }

  func checkIsNotPast(_ until: Point) throws {
    try store?.read { try $0.checkIsNotPast(until, store: path) }
  }

  /// Fails if the transaction of a log with the id of a point has another digest.
  func checkDivergence(_ transaction: Transaction, from point: HistoryPoint, log: String) throws {
    guard transaction.id == point.transaction, transaction.chainDigest != point.digest
    else { return }
    throw PipelineError(.hasOtherDigest(transaction.id), store: path, log: log)
  }

  /// Removes an empty replica, which was created for another lineage; false if that can't be done.
  func removeEmpty() throws -> Bool {
    guard isEmpty, !isDryRun else { return false }
    store = nil
    guard try Store.removeUnused(url) else { return false }
    isNew = true
    return true
  }

  /// Whether the transactions of a log can be written without a write-ahead log.
  ///
  /// Tables that change are written with one, and so is what somebody else has open.
  func writesDirectly(_ schema: () throws -> StoreSchema) throws -> Bool {
    guard let store else { return true }
    return try schema() == store.schema && store.setWriteAheadLog(isUsed: false)
  }

  /// Gives the replica its write-ahead log again, after a failure.
  func takeBackWriteAheadLog() {
    // What failed before says more, and the next run does this again.
    _ = try? store?.setWriteAheadLog(isUsed: true)
  }

  /// Gives the replica its write-ahead log again, and counts the links that lead to nothing.
  func finish() throws -> Int64 {
    guard let store, !isDryRun else { return 0 }
    try store.setWriteAheadLog(isUsed: true)
    return try store.read { reader in
      let check = try reader.connection.prepare("SELECT count(*) FROM pragma_foreign_key_check")
      return try check.step() ? check.int64(at: 0) : 0
    }
  }

  /// Calls with what replays transactions of a log, in one transaction of the replica.
  ///
  /// The replica is made where there is none, and follows where the log has another schema. A direct
  /// replay does without its write-ahead log.
  func replay(_ header: LogHeader, isDirect: Bool, _ body: (Replayer) throws -> Void) throws {
    let content = { [blobs = logs.blobs] digest in try blobs.value(digest) }
    let store = try store ?? make(header.schema, lineage: header.lineage)
    guard store.schema != header.schema else {
      self.store = store
      try store.setWriteAheadLog(isUsed: !isDirect)
      return try store.replay(content: content, body)
    }
    // Whoever changes tables has to be alone in this process.
    self.store = nil
    defer {
      // Where it can't be opened, whoever needs it next opens it, and says why.
      if self.store == nil { self.store = try? Store.open(.file(url)) }
    }
    try Migration.replay(url, to: header.schema, content: content, body)
    self.store = try Store.open(.file(url))
  }

  private func make(_ schema: StoreSchema, lineage: Int64) throws -> Store {
    let file = url.path(percentEncoded: false)
    // For the owner alone, as logs are, from the first moment on: what is made beside a store takes
    // the file's permissions.
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    // An empty file that is there is taken, and where there is no folder, it says so who opens it.
    guard descriptor >= 0 || errno == EEXIST || errno == ENOENT else {
      throw ChainFailure.replica(errno).at(file)
    }
    if descriptor >= 0 {
      close(descriptor)
      isMade = true
    }
    do {
      return try Store.open(
        .file(url),
        schema: schema,
        options: Options(origin: ReplicaOrigin(identifier: identifier, lineage: lineage))
      )
    } catch {
      if descriptor >= 0 {
        unlink(file)
        isMade = false
      }
      throw error
    }
  }
}
