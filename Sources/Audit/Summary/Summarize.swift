import ChangeLog
import Changes
import Pipeline

/// Reads a history once, and summarizes it.
///
/// - Throws: ``AuditError``, ``PipelineError`` or ``StoreError``; a damaged log is a finding.
package func summarize(
  _ history: History,
  request: AuditRequest,
  tick: Tick = { _ in }
) throws -> AuditSummary {
  let run = Summary(history, request: request)
  try run.read(tick)
  return try run.finish(tick)
}

private final class Summary {
  /// The number of objects that are counted separately.
  private static let objectLimit = 200_000

  private let history: History
  private let request: AuditRequest
  private let vocabulary: Vocabulary
  private var result: AuditSummary
  private var entities: [String: ChangeCounts] = [:]
  private var authors: [String?: TimelineGroup] = [:]
  private var days: [String: TimelineGroup] = [:]
  private var objects: [ObjectName: (count: Int64, label: String?)] = [:]
  private var findings: [AuditFinding.Kind: AuditFinding] = [:]
  private var newest = ""
  // The current transaction.
  private var counter = EntityCounter()
  private var differences: [ObjectDifference] = []
  private var deleted: [ObjectDifference] = []
  private var changes: Int64 = 0
  private var progress: Progress
  // The recomputed digest.
  private var chain: Chain?

  init(_ history: History, request: AuditRequest) {
    self.history = history
    self.request = request
    vocabulary = Vocabulary(history.outline.schema)
    progress = Progress(total: history.last - history.outline.base)
    result = AuditSummary(history: history, clock: request.clock, integrity: Integrity())
    if history.source is StoreHistory { chain = Chain(history.outline) }
  }

  func read(_ tick: Tick) throws {
    guard let range = history.range else { return }
    do {
      try history.source.read(
        range,
        // A store's digests are recomputed from all changes, also from those that are not selected.
        wants: { chain != nil || request.filter.matches($0) },
        change: { change, opening in
          try progress.countChange(tick)
          chain?.take(change, transaction: opening)
          guard request.filter.matches(opening),
            request.filter.matches(change, transaction: opening)
          else {
            return
          }
          count(change, isSnapshot: opening.operation == .snapshot)
        },
        transaction: { transaction in
          try progress.countTransaction(tick)
          if let damage = chain?.close(transaction) {
            add(.damage, message: damage, transaction: transaction.id)
          }
          close(transaction)
        }
      )
    } catch let error as LogError where error.code != .inputOutput {
      add(.damage, message: error.message, transaction: error.transaction)
      result.integrity.isSound = false
      result.integrity.statements.append(
        "The history could be read only up to transaction \(result.range?.upperBound ?? 0): "
          + error.message
      )
    }
  }

  private func count(_ change: Change, isSnapshot: Bool) {
    counter.count(change)
    changes += 1
    let isShown = changes <= request.changeLimit
    let isDeletion = change.kind == .delete
    let object = ObjectName(
      String(decoding: change.entity, as: UTF8.self),
      id: change.object
    )
    let isKept = isDeletion && result.deletions.count + deleted.count < request.limit
    let difference = ObjectDifference(change, vocabulary: vocabulary)
    if isShown { differences.append(difference) }
    if isKept { deleted.append(difference) }
    guard !isSnapshot else { return }
    if let known = objects[object] {
      objects[object] = (known.count + 1, difference.label ?? known.label)
    } else if objects.count < Self.objectLimit {
      objects[object] = (1, difference.label)
    } else {
      result.isBusiestApproximate = true
    }
  }

  private func close(_ transaction: Transaction) {
    let counts = counter.take()
    defer {
      differences = []
      deleted = []
      changes = 0
    }
    let isSnapshot = transaction.operation == .snapshot
    // A snapshot has the time when it was made, which can be later than the next transaction's.
    let isOlder = !isSnapshot && transaction.time < newest
    if !isSnapshot { newest = max(newest, transaction.time) }
    guard request.filter.matches(transaction), changes > 0 || !request.filter.isAboutChanges else {
      return
    }
    if isOlder {
      add(
        .clockBack,
        message: "A transaction has an earlier time than the previous transaction.",
        transaction: transaction.id
      )
    }
    let summary = TransactionSummary(transaction: transaction, entities: counts)
    result.range = (result.range?.lowerBound ?? transaction.id)...transaction.id
    if result.transactions == 0 { result.firstTime = transaction.time }
    result.lastTime = transaction.time
    result.entries.append(
      AuditSummary.Entry(
        summary: summary,
        differences: differences,
        omitted: changes - Int64(differences.count)
      )
    )
    // The newest are shown; the others are removed many at a time.
    if result.entries.count >= 2 * request.limit {
      result.entries.removeFirst(result.entries.count - request.limit)
    }
    if isSnapshot {
      result.snapshotObjects += changes
    } else {
      add(summary)
    }
    look(at: transaction, total: isSnapshot ? ChangeCounts() : summary.total)
  }

  /// Adds a transaction to all counts.
  private func add(_ summary: TransactionSummary) {
    let transaction = summary.transaction
    let total = summary.total
    result.transactions += 1
    result.counts += total
    for entity in summary.entities {
      entities[entity.entity, default: ChangeCounts()] += entity.counts
    }
    let author = transaction.author
    authors[author, default: TimelineGroup(name: author)].add(transaction, counts: total)
    let day = String(request.clock.text(transaction.time).prefix(10))
    days[day, default: TimelineGroup(name: day)].add(transaction, counts: total)
    var touch = Touch(transaction)
    touch.operation = transaction.operation
    result.deletions += deleted.map { AuditSummary.Deletion(touch: touch, difference: $0) }
  }

  private func look(at transaction: Transaction, total: ChangeCounts) {
    let id = transaction.id
    if transaction.operation != .snapshot, request.clock.isOutsideOfficeHours(transaction.time) {
      let hours = request.clock.officeHours.map { "\($0.lowerBound) to \($0.upperBound)" } ?? ""
      add(
        .outsideOfficeHours,
        message: "Changes outside working hours, Monday to Friday from \(hours) o'clock"
          + " (\(request.clock.zoneName)).",
        transaction: id
      )
    }
    if total.all >= request.bulk {
      add(.bulk, message: "Transactions with \(request.bulk) or more changes.", transaction: id)
    }
    switch transaction.operation {
    case .foreign:
      add(
        .foreign,
        message: "A program other than Travelog changed the store. The author is unknown.",
        transaction: id
      )
    case .gap:
      add(
        .gap,
        message:
          "The difference was recorded later, because the history of the changes is missing.",
        transaction: id
      )
    case .prune: add(.deletedHistory, message: "Older history was deleted.", transaction: id)
    case .erase: add(.erasure, message: "Values were erased from history.", transaction: id)
    case .recorded, .snapshot, .migration, .mark: break
    }
    switch transaction.state {
    case .erased: add(.erasure, message: "Values were erased from history.", transaction: id)
    case .deleted: add(.deletedHistory, message: "Older history was deleted.", transaction: id)
    case .whole: break
    }
  }

  private func add(_ kind: AuditFinding.Kind, message: String, transaction: Int64) {
    var finding =
      findings[kind]
      ?? AuditFinding(kind: kind, message: message, transactions: [], count: 0)
    finding.count += 1
    if finding.transactions.count < 100 { finding.transactions.append(transaction) }
    findings[kind] = finding
  }

  func finish(_ tick: Tick) throws -> AuditSummary {
    result.entities = entities.map { EntityCounts(entity: $0.key, counts: $0.value) }
      .sorted { ($1.counts.all, $0.entity) < ($0.counts.all, $1.entity) }
    result.authors = authors.values.sorted {
      ($1.transactions, $0.name ?? "") < ($0.transactions, $1.name ?? "")
    }
    result.days = days.values.sorted { ($0.name ?? "") < ($1.name ?? "") }
    result.busiest = objects.map {
      AuditSummary.Activity(object: $0.key, label: $0.value.label, changes: $0.value.count)
    }
    .sorted {
      ($1.changes, $0.object.entity, $0.object.id) < ($0.changes, $1.object.entity, $1.object.id)
    }
    .prefix(20).map { $0 }
    result.entries = result.entries.suffix(request.limit).reversed()
    if history.outline.base > 0 {
      add(
        .deletedHistory,
        message:
          "The history begins after transaction \(history.outline.base), without earlier transactions.",
        transaction: history.outline.base
      )
    }
    try prove(tick)
    result.findings = AuditFinding.Kind.allCases.compactMap { findings[$0] }
    return result
  }

  /// Verifies the history, and states the verified range.
  private func prove(_ tick: Tick) throws {
    let outline = history.outline
    switch history.source {
    case is StoreHistory:
      if let chain {
        result.integrity.head = chain.last
        result.integrity.headDigest = chain.digest?.description
        result.integrity.isSound = findings[.damage] == nil
        result.integrity.statements.append(chain.statement)
      }
      result.integrity.statements.append(
        "Anyone who can write to the store can forge its history and digests. Compare the head"
          + " with a digest that was noted elsewhere."
      )
    case is FolderHistory:
      var verifying = VerifyRequest(logs: LogFolder(outline.path))
      verifying.store = outline.store
      for found in try verify(verifying, tick: tick) where found.lineage == outline.lineage {
        for finding in found.findings {
          add(.damage, message: finding.description, transaction: finding.transaction)
        }
        result.integrity.isSound = result.integrity.isSound && found.findings.isEmpty
        result.integrity.head = found.to.transaction
        result.integrity.headDigest = found.to.digest.description
        result.integrity.statements.append(
          "Every digest was recomputed from \(countText(found.files, noun: "log")): transactions"
            + " \(found.from.transaction + 1) to \(found.to.transaction) of lineage"
            + " \(found.lineage) are"
            + (found.findings.isEmpty && found.except.isEmpty
              ? " unaltered."
              : " sound\(found.findings.isEmpty ? "." : "; the findings say what else is wrong.")")
        )
        result.integrity.statements += found.except.map { "Except: \($0.description)." }
        result.integrity.statements.append(endStatement(found.end))
      }
    case let log as LogHistory where result.integrity.isSound:
      // It began where the members file allowed, and ended at the requested end.
      do {
        try log.prove()
      } catch let error as LogError where error.code != .inputOutput {
        add(.damage, message: error.message, transaction: error.transaction)
        result.integrity.isSound = false
        result.integrity.statements.append("The log was altered: " + error.message)
        return
      }
      result.integrity.head = outline.head
      result.integrity.statements.append(
        "The log was read completely, and every digest in it is correct. Only the log before it"
          + " shows whether a log between them is missing."
      )
    default:
      result.integrity.head = outline.head
    }
  }

  private func endStatement(_ end: Verification.EndProof) -> String {
    switch end {
    case .token: "The token confirms that no later log is missing."
    case .head: "The given digest confirms that no later log is missing."
    case .lineage: "The next lineage confirms that no later log is missing."
    case .store: "The store confirms that no later log is missing."
    case .none:
      "Later logs may be missing. Compare the head with a digest that was noted elsewhere."
    }
  }
}

/// Recomputes the digests of a store's transactions.
private struct Chain {
  private var previous: Digest?
  private var hash: TransactionDigest?
  private var first: Int64
  private(set) var last: Int64
  private(set) var digest: Digest?
  /// The transactions with erased or deleted parts.
  private var unproved: Int64 = 0
  private var isBroken = false

  init(_ outline: HistoryOutline) {
    first = outline.base + 1
    last = outline.base
    previous = outline.baseDigest
  }

  mutating func take(_ change: Change, transaction: Transaction) {
    if change.sequence == 0 { begin(transaction) }
    hash?.take(change)
  }

  private mutating func begin(_ transaction: Transaction) {
    hash = previous.map { TransactionDigest(transaction, after: $0) }
  }

  /// What is wrong with a transaction; nil if it is sound.
  mutating func close(_ transaction: Transaction) -> String? {
    defer {
      previous = transaction.chainDigest
      digest = transaction.digest
      hash = nil
    }
    if transaction.count == 0 { begin(transaction) }
    guard transaction.state != .deleted, let hash else {
      unproved += 1
      last = transaction.id
      return nil
    }
    // Lines without the seeds that they should have give no digest.
    guard (try? hash.close(TransactionLines(transaction)))?.transaction == transaction.digest else {
      isBroken = true
      return
        "Transaction \(transaction.id) was altered: its changes do not have its digest."
    }
    if transaction.state == .erased { unproved += 1 }
    if !isBroken { last = transaction.id }
    return nil
  }

  var statement: String {
    guard last >= first else { return "There is no transaction to verify." }
    let looked = "Every digest was recomputed from the history: "
    if isBroken {
      return looked + "transactions \(first) to \(last) are sound; a later transaction is not."
    }
    guard unproved > 0 else {
      return looked + "transactions \(first) to \(last) are unaltered."
    }
    return looked
      + "transactions \(first) to \(last) are unaltered, except \(unproved) with erased values, or"
      + " that were erased completely."
  }
}
