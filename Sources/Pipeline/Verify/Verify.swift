public import ChangeLog
import FoundationEssentials
import Glibc
public import Store

/// What is to be verified.
public struct VerifyRequest: Sendable {
  /// The folder of logs.
  public var logs: LogFolder
  /// The store whose logs are meant; nil for all.
  public var store: String?
  /// Where the token is kept; nil for its place beside the logs.
  public var token: String?
  /// What the last transaction's digest must be; nil where nobody knows it.
  public var head: Digest?

  /// The store that replaying the logs must give; nil for none.
  public var against: String?

  /// Makes a request.
  public init(logs: LogFolder) { self.logs = logs }
}

/// What verification says of the logs of one lineage of a store.
public struct Verification: Hashable, Sendable {
  /// What tells that the last log is the last one.
  public enum EndProof: String, Hashable, Sendable {
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

  /// The store's identifier.
  public var store: String
  /// The lineage.
  public var lineage: Int64
  /// What comes before the first transaction that was verified.
  public var from: HistoryPoint
  /// The last transaction that was verified, one after another from the first on.
  public var to: HistoryPoint
  /// The number of logs that were read.
  public var files = 0
  /// The number of snapshots that were read.
  public var snapshots = 0
  /// The number of sound transactions.
  public var transactions: Int64 = 0
  /// The number of their changes.
  public var changes: Int64 = 0
  /// The number of transactions whose values were erased, with a sound record of it.
  public var erased: Int64 = 0
  /// The digest of the last record of erasures; nil where there is none.
  public var erasures: Digest?
  /// What was found wrong.
  public var findings: [Finding] = []
  /// What those who run it should know, and is no damage.
  public var notices: [String] = []
  /// What tells that nothing is missing after ``to``.
  public var end = EndProof.none
}

extension Verification {
  /// True where values are being erased, or a program was stopped that did it.
  fileprivate var isUnfinished: Bool { findings.contains { $0.kind == .unfinished } }
}

/// Reads every log from its bytes, and tells whether they are what was exported.
///
/// - Throws: ``PipelineError`` where there is nothing to verify, and ``LogError`` where the disk
///   fails; what is wrong with the logs is in the result.
public func verify(
  _ request: VerifyRequest,
  tick: Tick = { _ in }
) throws -> [Verification] {
  guard request.logs.exists else {
    throw PipelineError(.missing, "There is no folder \(request.logs.path).")
  }
  let stores = try storesToVerify(request)
  var result: [Verification] = []
  var progress = Progress()
  for store in stores {
    var lineages: [Verification] = []
    var namedHeads: [HistoryPoint?] = []
    for lineage in try request.logs.lineages(of: store) {
      let run = try LineageVerification(request.logs, store: store, lineage: lineage, progress)
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
    guard let last = lineages.indices.last else { continue }
    try checkEnd(&lineages[last], request)
    if let path = request.against { try compare(&lineages[last], path, request, tick) }
    try record(lineages[last], request)
    result += lineages
  }
  guard !result.isEmpty else {
    throw PipelineError(
      .missing,
      request.store.map { "There are no logs of the store \($0) in \(request.logs.path)." }
        ?? "There are no logs in \(request.logs.path).",
      hint: "Name the folder that “travelog export --to” was given."
    )
  }
  return result
}

/// The stores whose logs are meant: with a store to compare with, that one alone.
private func storesToVerify(_ request: VerifyRequest) throws -> [String] {
  if let path = request.against {
    let store = try Store.open(
      .file(URL(fileURLWithPath: path)),
      options: Options(isReadOnly: true)
    )
    return [store.identifier]
  }
  return try request.store.map { [$0] } ?? request.logs.stores()
}

/// Writes down that logs were found whole, where the folder may be written.
private func record(_ result: Verification, _ request: VerifyRequest) throws {
  guard result.findings.isEmpty, access(request.logs.storeFolder(result.store), W_OK) == 0 else {
    return
  }
  try VerificationRecord(result, at: currentTime()).write(request.logs, store: result.store)
}

/// Asks what is known of the end from elsewhere.
private func checkEnd(_ result: inout Verification, _ request: VerifyRequest) throws {
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
            .endMissing,
            "The token \(path) says that transaction \(point.transaction) was exported, and the"
              + " sound logs end at transaction \(result.to.transaction). Bring the missing logs"
              + " back.",
            path: path,
            transaction: point.transaction
          )
        )
      } else if point.transaction == result.to.transaction {
        result.findings.append(
          Finding(
            .damaged,
            "The token \(path) has another digest of transaction \(point.transaction) than the"
              + " logs. One of the two was altered; compare them with other copies.",
            path: path,
            transaction: point.transaction
          )
        )
      }
    }
  } catch  where isDamagedToken(error) {
    result.findings.append(
      Finding(.damaged, "The token \(path) can't be read: \(error)", path: path)
    )
  }
  guard let head = request.head else { return }
  if head == result.to.digest {
    result.end = .head
  } else {
    result.findings.append(
      Finding(
        .endMissing,
        "The last sound transaction, \(result.to.transaction), has the digest \(result.to.digest),"
          + " and not \(head): logs after it are missing, or history was altered.",
        transaction: result.to.transaction
      )
    )
  }
}

/// Verifies the logs of one lineage.
private final class LineageVerification {
  private let chain: LogChain
  private var result: Verification
  var progress: Progress
  /// The head of the lineage before, as the first transaction names it.
  private(set) var namedHead: HistoryPoint?
  /// The large values that were found sound already.
  private var checked: Set<String> = []
  /// The digests of the erased transactions that were read.
  private var erased: Set<Digest> = []

  init(_ folder: LogFolder, store: String, lineage: Int64, _ progress: Progress) throws {
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
    chain = try LogChain(folder, store: store, lineage: lineage, erasures)
    self.progress = progress
    let start = chain.beginning
    result = Verification(store: store, lineage: lineage, from: start, to: start)
    result.findings += [finding].compactMap { $0 }
    result.erasures = erasures.count > 0 ? erasures.head : nil
  }

  func verify(_ tick: Tick) throws -> Verification {
    // Until it is finished, logs and records need not go together.
    guard !result.isUnfinished else { return result }
    var snapshots: [Int64: Digest] = [:]
    for file in chain.snapshots {
      try collect {
        let reader = try chain.open(file, after: nil)
        try read(reader, file, tick) { _ in }
        snapshots[file.range.lowerBound] = reader.header.previous
        result.snapshots += 1
      }
    }
    try findOrigin(snapshots)
    for file in chain.covered {
      result.findings.append(
        Finding(
          .gap,
          "The transactions of the log \(file.path) are in another log too. If a compaction was"
            + " stopped, run “travelog compact \(chain.folder.path)” again; else take the log out of"
            + " the folder.",
          path: file.path,
          transaction: file.range.lowerBound
        )
      )
    }
    // Where a log is not sound, what follows is verified by itself, from its own beginning on.
    var point: HistoryPoint? = result.from
    let files = (chain.files + chain.snapshots).map(\.path)
    result.notices = permissionNotices([chain.folder.token(of: chain.store)] + files)
    for file in chain.files {
      let isConnected = point != nil
      var next: HistoryPoint?
      try collect {
        let reader = try chain.open(file, after: point)
        try read(reader, file, tick) { transaction in
          guard let digest = transaction.chainDigest else { return }
          if let expected = snapshots[transaction.id], expected != digest {
            throw LogError(
              .damaged,
              "The snapshot of transaction \(transaction.id) says that the transaction has the"
                + " digest \(expected), and the log \(file.path) says \(digest). Compare both with"
                + " other copies.",
              path: file.path,
              transaction: transaction.id
            )
          }
          let reached = HistoryPoint(
            lineage: chain.lineage,
            transaction: transaction.id,
            digest: digest
          )
          next = reached
          guard isConnected else { return }
          if result.to == result.from { namedHead = transaction.namedHead }
          result.to = reached
        }
        result.files += 1
      }
      guard isConnected else { continue }
      point = next?.transaction == file.range.upperBound ? next : nil
    }
    checkRecords()
    return result
  }

  /// Looks for records of erasures that are of nothing which is there.
  private func checkRecords() {
    result.erased = Int64(erased.count)
    // Where a log is not sound, what was erased from it was perhaps not read.
    guard result.findings.isEmpty else { return }
    let first = chain.files.first?.range.lowerBound ?? 0
    let last = chain.files.last?.range.upperBound ?? 0
    let places = Set(chain.snapshots.map(\.range.lowerBound))
    for (digest, entry) in chain.erasures.entries where !erased.contains(digest) {
      // What was taken out of the folder since may have been a snapshot, or the oldest logs.
      if entry.isSnapshot ? !places.contains(entry.transaction) : entry.transaction < first {
        continue
      }
      let path = chain.folder.erasures(of: chain.store, lineage: chain.lineage)
      if entry.transaction > last {
        result.notices.append(
          "\(path) has a record of transaction \(entry.transaction), and the logs end at transaction"
            + " \(last): later ones are not here, or an export was stopped before they were there."
        )
        continue
      }
      result.findings.append(
        Finding(
          .damaged,
          "\(path) says that values of transaction \(entry.transaction), with the digest \(digest),"
            + " were erased, and the logs have no such transaction. Compare the file with another"
            + " copy.",
          path: path,
          transaction: entry.transaction
        )
      )
    }
  }

  /// Where the first log begins: at the beginning, or after a snapshot.
  private func findOrigin(_ snapshots: [Int64: Digest]) throws {
    let first = chain.files.first?.range.lowerBound
    guard first != 1, chain.lineage == 0 else { return }
    let before = snapshots.keys.filter { $0 < first ?? .max }.max()
    if let before, let digest = snapshots[before] {
      result.from = HistoryPoint(lineage: chain.lineage, transaction: before, digest: digest)
      result.to = result.from
    }
  }

  private func read(
    _ reader: LogReader,
    _ file: LogFolder.File,
    _ tick: Tick,
    _ body: (Transaction) throws -> Void
  ) throws {
    while true {
      let transaction = try reader.next { change, _, _ in
        if !change.large.isEmpty { try checkLargeValues(of: change) }
        progress.changes += 1
        if progress.changes & 0xfff == 0 { try tick(progress) }
      }
      guard let transaction else { break }
      if transaction.state == .erased, let digest = transaction.digest { erased.insert(digest) }
      try body(transaction)
      result.transactions += 1
      result.changes += transaction.count
      progress.transactions += 1
      try tick(progress)
    }
    try chain.checkEnd(reader, file)
  }

  private func checkLargeValues(of change: Change) throws {
    for (digest, size) in largeReferences(in: change) where !checked.contains(digest) {
      checked.insert(digest)
      do {
        try chain.folder.blobs.check(digest, size: size)
      } catch let error as LogError {
        guard let finding = Finding(error) else { throw error }
        result.findings.append(
          Finding(.value, finding.message, path: finding.path, transaction: 0)
        )
      }
    }
  }

  /// Calls, and makes a finding of what is thrown where it concerns the logs.
  private func collect(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as LogError {
      guard let finding = Finding(error) else { throw error }
      result.findings.append(finding)
    }
  }
}
