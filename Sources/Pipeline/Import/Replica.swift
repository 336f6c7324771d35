import ChangeLog
import Format
import FoundationEssentials
import Glibc
import Store

/// The replica into which logs are replayed.
///
/// The replay of the first log creates the replica.
final class Replica {
  let path: String
  /// The identifier of the origin.
  let identifier: String
  /// The last transaction of the replica before this run.
  let head: HistoryPoint
  /// Whether this run creates the replica.
  private(set) var isNew: Bool
  /// Whether this run has already created the file of the replica.
  private(set) var isMade = false
  /// Whether the file may still contain bytes of erased values, because another program was reading
  /// it.
  private(set) var hasErasedBytes = false
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
        throw PipelineError(.misuse) {
          "\(request.store) is not a replica, so nothing can be imported into it."
            + "\nName a file that does not exist yet; import creates the replica in it."
        }
      }
      self.store = store
    }
    isNew = store == nil
    identifier = try request.originIdentifier(for: store)
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

  /// Throws if a transaction of a log has the id of the given point, but another digest than this
  /// point.
  func checkDivergence(_ transaction: Transaction, from point: HistoryPoint, log: String) throws {
    guard transaction.id == point.transaction, transaction.chainDigest != point.digest
    else { return }
    throw PipelineError(.historyDiverged) {
      "Transaction \(transaction.id) has another digest in the log \(log) than in the replica"
        + " \(path).\nImport the logs into a new replica."
    }
  }

  /// Removes an empty replica that was created for another lineage.
  ///
  /// The result is false if the replica can't be removed.
  func removeEmpty() throws -> Bool {
    guard isEmpty, !isDryRun else { return false }
    store = nil
    guard try Store.removeUnused(url) else { return false }
    isNew = true
    return true
  }

  /// Whether the transactions of a log can be written without a write-ahead log.
  ///
  /// A migration needs a write-ahead log. A write-ahead log is also needed if another program has
  /// the store open.
  func writesDirectly(_ schema: () throws -> StoreSchema) throws -> Bool {
    guard let store else { return true }
    return try schema() == store.schema && store.setWriteAheadLog(isUsed: false)
  }

  /// Restores the replica's write-ahead log after a failure.
  func takeBackWriteAheadLog() {
    // This function is called after an error, which the caller reports. If the write-ahead log
    // can't be restored now, the next run restores it.
    _ = try? store?.setWriteAheadLog(isUsed: true)
  }

  /// Completes the replica after the last log, and removes the bytes of erased values.
  ///
  /// - Returns: What the rows of the origin violate: the number of dangling links, and the unique
  ///   indexes that the replica of an adopted file therefore lacks.
  func finish() throws -> (danglingLinks: Int64, violatedIndexes: [String]) {
    guard let store, !isDryRun else { return (0, []) }
    let violated = try store.completeReplica()
    try store.setWriteAheadLog(isUsed: true)
    do {
      try store.removeErasedBytes()
    } catch let error as StoreError where error.code == .locked {
      // The replica has all transactions, so the import has a result, which says that bytes remain.
      hasErasedBytes = true
    }
    // SQLite's check of foreign keys can fail for an adopted file, whose foreign keys may refer to
    // columns without a unique key.
    guard !store.schema.belongsToProgram else { return (0, violated) }
    let dangling = try store.read { reader in
      try reader.connection.integer("SELECT count(*) FROM pragma_foreign_key_check") ?? 0
    }
    return (dangling, [])
  }

  /// Calls a function that replays transactions of a log in one SQL transaction.
  ///
  /// If the replica does not exist, it is created. If the log has another schema than the replica,
  /// the replica is migrated. If `isDirect` is true, SQLite uses no write-ahead log.
  func replay(_ header: LogHeader, isDirect: Bool, _ body: (Replayer) throws -> Void) throws {
    let content = { [blobs = logs.blobs] digest in try blobs.value(digest) }
    let store = try store ?? make(header.schema, lineage: header.lineage)
    guard store.schema != header.schema else {
      self.store = store
      try store.setWriteAheadLog(isUsed: !isDirect)
      return try store.replay(content: content, body)
    }
    // A migration requires that this process has no other connection to the replica.
    self.store = nil
    defer {
      // If the replica can't be opened here, the next command that opens the replica reports the
      // reason.
      if self.store == nil { self.store = try? Store.open(.file(url)) }
    }
    try Migration.replay(url, to: header.schema, content: content, body)
    self.store = try Store.open(.file(url))
  }

  private func make(_ schema: StoreSchema, lineage: Int64) throws -> Store {
    let file = url.path(percentEncoded: false)
    // As with a log, only the owner can access the file. SQLite gives the same permissions to the
    // other files of the store.
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    // An existing empty file is not an error. If the folder is missing, the error is reported when
    // the store is opened.
    guard descriptor >= 0 || errno == EEXIST || errno == ENOENT else {
      let number = errno
      throw LogError(.inputOutput, file) {
        "Can't create the replica \(file): \(systemText(number))."
          + "\nCheck that its folder exists and that you can write to this folder."
      }
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
