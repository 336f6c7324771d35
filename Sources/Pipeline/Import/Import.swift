import ChangeLog
import Format

struct ImportState {
  var result: ImportResult
  /// The progress of the run, including transactions that are not committed yet.
  var progress = Progress()
}

final class Import {
  /// The maximum size in bytes of a log that is read once.
  ///
  /// A small log is read once, and its transactions are committed after its end was verified. For a
  /// large log, the write-ahead log of SQLite would become too large. A large log is therefore
  /// verified first and then read again.
  private static let readOnce: Int64 = 64 << 20
  /// The maximum size in bytes of a log that is read once, if SQLite uses no write-ahead log.
  ///
  /// If the import of a larger log is interrupted, repeating the lost work takes more time than
  /// reading the log twice.
  private static let readOnceDirectly: Int64 = 512 << 20
  /// The minimum size in bytes of a log that is written to a new replica without a write-ahead log.
  ///
  /// Without a write-ahead log, each log needs two more syncs, and a large log needs a sixth less
  /// time.
  private static let writtenDirectly: Int64 = 1 << 20
  /// The errors that would occur again if the log were read a second time.
  private static let lasting: Set<StoreError.Code> = [
    .diskFull, .inputOutput, .locked, .outOfMemory, .readOnly,
  ]

  let replica: Replica
  private(set) var state: ImportState
  private let request: ImportRequest

  init(_ request: ImportRequest) throws {
    self.request = request
    replica = try Replica(request)
    state = ImportState(
      result: ImportResult(
        store: request.store,
        identifier: replica.identifier,
        from: replica.head,
        to: replica.head,
        isNew: replica.isNew
      )
    )
  }

  func run(_ tick: Tick) throws -> ImportResult {
    try checkIsWhole()
    try replica.checkIsNotPast(request.until)
    let chain = try request.chain(for: replica)
    state.result.isNew = replica.isNew
    let proven = try lastProven(of: chain)
    if replica.isEmpty { try begin(chain, tick: tick) }
    state.progress.total = total(chain)
    var gap: ClosedRange<Int64>?
    let repairs = LaterRepairs(chain, until: request.until)
    for file in chain.files where file.range.upperBound > state.result.to.transaction {
      if case .transaction(let id) = request.until, file.range.lowerBound > id { break }
      let size = size(of: file.path)
      let log = LogReplay(
        replica: replica,
        chain: chain,
        file: file,
        isDirect: state.result.isNew && size >= Self.writtenDirectly,
        repairs: repairs
      )
      if try mayBeReadOnce(log, size: size) {
        do {
          try log.replayAtOnce(&state, tick: tick)
          state.result.files += 1
          continue
        } catch let error as StoreError where !Self.lasting.contains(error.code) {
          // The log is read a second time. The second reading reports damage of the log before any
          // other error. If the log is sound, the second reading applies the changes before the
          // failing change.
        }
      }
      let wanted = try WantedTransactions(request, log: log, state: &state, tick: tick)
      gap = gap ?? wanted.gap
      let last = wanted.end.transaction
      guard last <= proven else {
        throw unprovenTransaction(last, proven: proven)
      }
      guard last > state.result.to.transaction else { break }
      if request.isDryRun {
        state.result.add(wanted)
      } else {
        try log.replay(wanted, state: &state, tick: tick)
      }
      state.result.files += 1
      if last < file.range.upperBound { break }
    }
    try checkEnd(chain, gap: gap)
    let violations = try replica.finish()
    state.result.danglingLinks = violations.danglingLinks
    state.result.violatedIndexes = violations.violatedIndexes
    state.result.hasErasedBytes = replica.hasErasedBytes
    return state.result
  }

  /// The last transaction of the lineage that may be applied.
  private func lastProven(of chain: LogChain) throws -> Int64 {
    guard let all = request.proven else { return .max }
    guard let proven = all[chain.lineage] else {
      throw notProven(request.logs, because: "nothing proves lineage \(chain.lineage).")
    }
    if let part = proven.unproven { throw notProven(request.logs, because: "\(part).") }
    let last = chain.files.last?.range.upperBound ?? 0
    let end: Int64? =
      switch request.until {
      case .head: last
      case .transaction(let id): min(id, last)
      case .time: nil
      }
    if let end, end > proven.transaction {
      throw unprovenTransaction(end, proven: proven.transaction)
    }
    return proven.transaction
  }

  private func unprovenTransaction(_ id: Int64, proven: Int64) -> PipelineError {
    PipelineError(.unproven) {
      "What was given with --head proves the logs in \(request.logs.path) up to transaction"
        + " \(proven), and not transaction \(id)."
        + "\nTo import only what is proven, use --until \(proven)."
    }
  }

  private func checkIsWhole() throws {
    guard try request.logs.lineages(of: replica.identifier).isEmpty,
      let name = try request.logs.partials(of: replica.identifier).first
    else { return }
    let path = request.logs.partial(named: name).storeFolder(replica.identifier)
    throw LogError(.filtered, path) {
      "The logs of the store \(replica.identifier) in \(request.logs.path) are filtered and can't"
        + " be imported.\nUse unfiltered logs."
    }
  }

  /// Writes the rows of a snapshot to an empty replica, if the import begins with a snapshot.
  private func begin(_ chain: LogChain, tick: Tick) throws {
    state.result.from = chain.beginning
    state.result.to = chain.beginning
    if let file = try request.firstSnapshot(of: chain), let point = try chain.snapshotPoint(file) {
      guard try request.allowsUnproven || chain.provesSnapshot(file, at: point) else {
        throw PipelineError(.unproven) {
          "Nothing in the logs proves the snapshot \(file.path) of transaction"
            + " \(point.transaction), so someone may have altered it."
            + "\nIf the logs begin before the snapshot, leave out --from-snapshot. If you trust the"
            + " snapshot, use --allow-unproven."
        }
      }
      let reader = try chain.open(file, after: nil)
      if request.isDryRun {
        state.result.snapshotObjects = try reader.next()?.count ?? 0
        state.result.to = point
      } else {
        try replica.replaySnapshot(reader, point: point, isDirect: false, state: &state, tick: tick)
      }
    }
    state.result.from = state.result.to
  }

  /// The number of transactions to replay, according to the names of the logs; nil if the end of
  /// the import is given as a time.
  private func total(_ chain: LogChain) -> Int64? {
    let last = chain.files.last?.range.upperBound ?? 0
    return switch request.until {
    case .head: max(0, last - state.result.to.transaction)
    case .transaction(let id): max(0, min(id, last) - state.result.to.transaction)
    case .time: nil
    }
  }

  /// Whether a log is small, is wanted completely, and does not begin with a snapshot.
  private func mayBeReadOnce(_ log: LogReplay, size: Int64) throws -> Bool {
    guard request.until == .head, !request.isDryRun,
      log.chain.lineage == 0 || state.result.to != log.chain.beginning
    else { return false }
    return try size <= Self.readOnce
      || size <= Self.readOnceDirectly && log.isDirect
        && replica.writesDirectly { try log.chain.open(log.file, after: nil).header.schema }
  }

  private func checkEnd(_ chain: LogChain, gap: ClosedRange<Int64>?) throws {
    if case .transaction(let id) = request.until, id > state.result.to.transaction {
      let logs = request.logs.path
      guard let gap else {
        throw PipelineError(.missingLogs) {
          "The logs in \(logs) end at transaction \(state.result.to.transaction), before"
            + " transaction \(id)."
            + "\nCopy the missing logs into the folder, or name an earlier point."
        }
      }
      throw PipelineError(.missingLogs) {
        "Transaction \(id) is inside a gap: the logs in \(logs) record transactions"
          + " \(gap.lowerBound) to \(gap.upperBound) as one transaction."
          + "\nName the transaction before the gap, \(gap.lowerBound - 1), or the last transaction"
          + " in the gap, \(gap.upperBound)."
      }
    }
    if replica.isEmpty, request.until != .head, state.result.to == chain.beginning,
      request.until != .transaction(0)
    {
      throw PipelineError(.missingLogs) {
        "The logs in \(request.logs.path) begin after \(request.until), so they can't restore"
          + " \(request.store) to this state."
          + "\nName a later point, or copy the earlier logs into the folder."
      }
    }
  }
}

/// The error that logs do not agree with what was given as trusted.
func notProven(_ logs: LogFolder, because detail: String) -> PipelineError {
  PipelineError(.unproven) {
    "What was given with --head does not prove the logs in \(logs.path): \(detail)"
      + "\nNothing was imported. To see all findings, run “travelog verify \(logs.path)” with the"
      + " same --head."
  }
}
