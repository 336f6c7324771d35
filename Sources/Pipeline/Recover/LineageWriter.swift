import ChangeLog
import FoundationEssentials
import Store

/// Begins a new lineage of logs for a store that was restored from an older copy.
///
/// It begins with the state after the last transaction that store and logs have in common, written as
/// one transaction that names the head of the old lineage. What the store recorded since follows.
struct LineageWriter {
  private let request: RecoverRequest
  private let store: Store
  private let chain: LogChain
  private let folder: String

  init(_ request: RecoverRequest, _ store: Store, _ chain: LogChain, _ folder: String) {
    self.request = request
    self.store = store
    self.chain = chain
    self.folder = folder
  }

  func write(after last: HistoryPoint, _ result: inout RecoverResult, _ tick: Tick) throws {
    if try finishStopped(last, &result) { return }
    guard store.lineage == last.lineage else {
      throw PipelineError(
        .historyDiverged,
        "The store \(request.store) has lineage \(store.lineage), and its logs end in lineage"
          + " \(last.lineage).",
        hint: "Bring back the logs of lineage \(store.lineage)."
      )
    }
    let fork = try self.fork(last, tick)
    let (state, reached) = try rewoundCopy(of: store, to: fork, in: folder)
    let lineage = last.lineage + 1
    let header = LogHeader(
      store: chain.store,
      lineage: lineage,
      first: reached,
      previous: TransactionDigest.beginning(ofStore: chain.store, lineage: lineage),
      schema: state.schema
    )
    let (path, digest) = try state.read { reader in
      result.objects = try reader.snapshotCount()
      let transaction = try madeUpTransaction(
        reached,
        .snapshot,
        details: last.lineageDetails,
        schema: state.schema,
        of: store,
        count: result.objects
      )
      let day = LogDestination.day(String(transaction.time.prefix(10)), request.logs)
      return try writeLog(of: transaction, header, day, request.logs.blobs) { body in
        try reader.snapshot { try body($0, reader) }
      }
    }
    try store.beginLineage(after: reached, digest: digest)
    result.remedy = .lineage
    result.file = path
    result.resumes = HistoryPoint(lineage: lineage, transaction: reached, digest: digest)
    let token = request.token ?? request.logs.token(of: chain.store)
    try writeToken(result.resumes, of: chain.store, to: token)
  }

  /// Goes on where a run was stopped after it had written the log that begins the new lineage.
  private func finishStopped(_ last: HistoryPoint, _ result: inout RecoverResult) throws -> Bool {
    guard last.lineage == store.lineage + 1, chain.files.count == 1, let file = chain.files.first
    else { return false }
    let log = try chain.open(file, after: nil)
    guard let transaction = try log.next(), transaction.namedHead?.lineage == store.lineage
    else { return false }
    try store.beginLineage(after: last.transaction, digest: last.digest)
    result.remedy = .lineage
    result.file = file.path
    result.objects = transaction.count
    let token = request.token ?? request.logs.token(of: chain.store)
    try writeToken(last, of: chain.store, to: token)
    return true
  }

  /// The last transaction that store and logs have in common; where history does not reach back to
  /// it, the last one that history does not have.
  private func fork(_ last: HistoryPoint, _ tick: Tick) throws -> Int64 {
    try store.read { reader in
      let base = try max(
        reader.historyRange().base.transaction,
        reader.lastDeletedTransaction() ?? 0
      )
      let cursor = try reader.history(after: base)
      var mine: Transaction? = try cursor.next()
      var common = base
      for file in chain.files where file.range.upperBound > base {
        let log = try chain.open(file, after: nil)
        while let transaction = try log.next() {
          guard transaction.id > base else { continue }
          guard let own = mine, own.id == transaction.id,
            try own.digest ?? reader.point(own.id).digest == transaction.digest
          else { return max(common, 1) }
          common = own.id
          mine = try cursor.next()
          try tick(Progress())
        }
      }
      return max(common, 1)
    }
  }
}
