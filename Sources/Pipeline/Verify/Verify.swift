import ChangeLog
import Changes
import FoundationEssentials
import Glibc
import Store

/// What is to be verified.
package struct VerifyRequest: Sendable {
  /// The folder of logs.
  package var logs: LogFolder
  /// The store whose logs are meant; nil for all.
  package var store: String?
  /// Where the token is kept; nil for its place beside the logs.
  package var token: String?
  /// What the last transaction's digest must be; nil if nobody knows it.
  package var head: Digest?

  /// The store that replaying the logs must give; nil for none.
  package var against: String?
  /// Whether it is written down beside the logs that they were found whole.
  package var isRecorded = true

  /// What was wrong with logs, so that they found no place in the folder.
  package var failures: [LogError] = []

  /// True to verify logs with something left out too, each by itself.
  package var includesPartial = false

  /// Makes a request.
  package init(logs: LogFolder) { self.logs = logs }
}

/// What verification says of the logs of one lineage of a store.
package struct Verification: Sendable {
  /// What tells that the last log is the last one.
  package enum EndProof: String, Hashable, Sendable {
    /// Nothing.
    case none
    /// The token says that the store was exported up to there.
    case token
    /// The digest that was given is that of the last transaction.
    case head
    /// A newer lineage follows, and names it.
    case lineage
    /// The store's history has the transaction, with this digest.
    case store
  }

  /// The store's identifier; empty where damage leaves nothing that tells it.
  package var store: String
  /// The lineage.
  package var lineage: Int64
  /// The name of the logs, and in words what was left out of them; nil for whole logs.
  package var partial: String?
  /// What was left out of partial logs, in words.
  package var words = ""
  /// What comes before the first transaction that was verified.
  package var from: HistoryPoint
  /// The last transaction that was verified, one after another from the first on.
  package var to: HistoryPoint
  /// The number of logs that were read.
  package var files = 0
  /// The number of snapshots that were read.
  package var snapshots = 0
  /// The number of objects in these snapshots, and in the state that the lineage begins with.
  package var snapshotObjects: Int64 = 0
  /// The number of sound transactions, without snapshots.
  package var transactions: Int64 = 0
  /// The number of their changes.
  package var changes: Int64 = 0
  /// The number of transactions whose values were erased, with a sound record of it.
  package var erased: Int64 = 0
  /// The digest of the last record of erasures; nil if there is none.
  package var erasures: Digest?
  /// What was found wrong.
  package var findings: [Finding] = []
  /// What those who run it should know, and is no damage.
  package var notices: [Notice] = []
  /// What tells that nothing is missing after ``to``.
  package var end = EndProof.none
  /// The number of transactions that the store has after ``to``; nil if there is no store to compare
  /// with.
  package var unexported: Int64?
}

extension Verification {
  /// Whether values are being erased, or a program was stopped that did it.
  var isUnfinished: Bool { findings.contains { $0.kind == .unfinished } }
}

/// Reads every log from its bytes, and tells whether they are what was exported.
///
/// - Throws: ``PipelineError`` where there is nothing to verify, and ``LogError`` where the disk
///   fails; what is wrong with the logs is in the result.
package func verify(
  _ request: VerifyRequest,
  tick: Tick = { _ in }
) throws -> [Verification] {
  guard request.logs.exists else {
    throw missingFolder(request.logs)
  }
  let stores = try storesToVerify(request)
  return try readingSettled(request.logs, of: stores) { results in
    results.allSatisfy { $0.findings.isEmpty || $0.isUnfinished }
  } _: {
    try verifyOnce(request, stores: stores, tick: tick)
  }
}

private func verifyOnce(
  _ request: VerifyRequest,
  stores: [String],
  tick: Tick
) throws -> [Verification] {
  var result: [Verification] = []
  var progress = Progress()
  for store in stores {
    var lineages: [Verification] = []
    var namedHeads: [HistoryPoint?] = []
    for lineage in try request.logs.lineages(of: store) {
      let run = try LineageVerification(
        request.logs,
        store: store,
        lineage: lineage,
        progress: progress
      )
      lineages.append(try run.verify(tick))
      namedHeads.append(run.namedHead)
      progress = run.progress
    }
    // What is still to be written anew tells nothing of its end.
    guard !lineages.contains(where: \.isUnfinished) else {
      result += lineages
      continue
    }
    checkLineageEnds(&lineages, named: namedHeads)
    if let last = lineages.indices.last {
      try checkEnd(&lineages[last], request: request)
      if let path = request.against {
        try compare(&lineages[last], path: path, request: request, tick: tick)
      }
      if lineages.allSatisfy(\.findings.isEmpty) { try record(lineages[last], request: request) }
    }
    result += lineages
    for name in try request.includesPartial ? request.logs.partials(of: store) : [] {
      let folder = request.logs.partial(named: name)
      for lineage in try folder.lineages(of: store) {
        result.append(
          try verifyPartial(folder, store: store, lineage: lineage, progress: &progress, tick: tick)
        )
      }
    }
  }
  try add(request.failures, to: &result)
  guard !result.isEmpty else {
    throw PipelineError(
      request.store.map { .noLogsOfStore($0, others: []) } ?? .noLogs,
      logs: request.logs.path
    )
  }
  return result
}

/// Adds what was found wrong before, also where nothing else came of it.
private func add(_ failures: [LogError], to result: inout [Verification]) throws {
  guard let first = failures.first else { return }
  if result.isEmpty {
    // What never was a log is not damaged.
    guard failures.contains(where: { [.damaged, .incomplete].contains($0.code) }) else {
      throw first
    }
    let beginning = HistoryPoint(
      lineage: 0,
      transaction: 0,
      digest: TransactionDigest.beginning(ofStore: "", lineage: 0)
    )
    result.append(Verification(store: "", lineage: 0, from: beginning, to: beginning))
  }
  result[result.count - 1].findings += failures.compactMap { Finding($0) }
}

/// The stores whose logs are meant: with a store to compare with, that one alone.
private func storesToVerify(_ request: VerifyRequest) throws -> [String] {
  if let path = request.against {
    let store = try readableStore(path)
    return [store.identifier]
  }
  return try request.store.map { [$0] } ?? request.logs.stores()
}

/// Writes down that logs were found whole, where the folder may be written.
private func record(_ result: Verification, request: VerifyRequest) throws {
  guard request.isRecorded, result.findings.isEmpty,
    access(request.logs.storeFolder(result.store), W_OK) == 0
  else {
    return
  }
  try VerificationRecord(result, at: currentTime()).write(request.logs, store: result.store)
}

/// True for a point before the end of sound logs, which have another digest there.
private func isOther(
  _ point: HistoryPoint,
  result: Verification,
  request: VerifyRequest
) throws -> Bool {
  guard result.findings.isEmpty, point.lineage == result.lineage,
    point.transaction >= result.from.transaction, point.transaction < result.to.transaction
  else { return false }
  guard point.transaction > result.from.transaction else { return point != result.from }
  let history = try FolderHistory(request.logs, store: result.store, lineage: result.lineage)
  var digest: Digest?
  try history.read(
    point.transaction...point.transaction,
    wants: { _ in false },
    change: { _, _ in },
    transaction: { if $0.id == point.transaction { digest = $0.chainDigest } }
  )
  return digest != nil && digest != point.digest
}

/// Asks what is known of the end from elsewhere.
private func checkEnd(_ result: inout Verification, request: VerifyRequest) throws {
  let path = request.token ?? request.logs.token(of: result.store)
  do {
    if let point = try readToken(path)?.points[result.store] {
      if point == result.to {
        result.end = .token
      } else if (point.lineage, point.transaction)
        > (result.to.lineage, result.to.transaction)
      {
        result.findings.append(
          Finding(
            .tokenIsAhead(end: result.to.transaction),
            path: path,
            transaction: point.transaction
          )
        )
      } else if try isOther(point, result: result, request: request)
        || (point.lineage, point.transaction) == (result.to.lineage, result.to.transaction)
      {
        result.findings.append(
          Finding(.tokenIsOther, path: path, transaction: point.transaction)
        )
      }
    }
  } catch  where isDamagedToken(error) {
    result.findings.append(
      Finding(.tokenIsDamaged(error), path: path)
    )
  }
  guard let head = request.head else { return }
  if head == result.to.digest {
    result.end = .head
  } else {
    result.findings.append(
      Finding(.headIsOther(result.to, head), transaction: result.to.transaction)
    )
  }
}

extension VerificationRecord {
  init(_ verification: Verification, at time: String) {
    self.time = time
    lineage = verification.lineage
    transaction = verification.to.transaction
    digest = verification.to.digest.description
  }
}
