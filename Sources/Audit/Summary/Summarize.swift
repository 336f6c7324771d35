import ChangeLog
import Format
import Pipeline

/// Reads some histories once, verifies them, and creates a report about them.
///
/// When this function returns, `objects` contains the names that were requested.
///
/// - Throws: ``PipelineError`` or ``StoreError``. If a log is damaged, the report
///   contains the damage as a finding.
package func summarize(
  _ histories: [History],
  of source: String,
  request: AuditRequest,
  objects: ObjectTally = ObjectTally(),
  tick: Tick = { _ in }
) throws -> AuditReport {
  let summary = try Summary(histories, of: source, request: request, objects: objects)
  if let folder = wholeFolder(of: histories) {
    try summary.verify(folder, tick: tick)
  } else {
    for index in histories.indices { try summary.read(index, tick: tick) }
  }
  return try summary.finish()
}

/// The log folder, if all histories are read from its unfiltered logs; nil if a history is read
/// from another source, such as a store, a single log or filtered logs.
package func wholeFolder(of histories: [History]) -> LogFolder? {
  let folders = histories.compactMap { history -> LogFolder? in
    guard case .folder = history.source.proof, history.outline.filter.isEmpty else { return nil }
    return LogFolder(history.outline.path)
  }
  return folders.count == histories.count ? folders.first : nil
}

/// Collects the counts of all histories for the report.
final class Summary: VerificationObserver {
  let request: AuditRequest
  private let filters: [AuditFilter]
  let histories: [History]
  let objects: ObjectTally
  var report: AuditReport
  var entries: [AuditedHistory] = []
  var findings: FindingTally
  private var authors = NameTally()
  private var entities = NameTally()
  private var operations = NameTally()
  private var days = DayTally()
  // The index of the history that is being read; nil if the report does not contain its
  // transactions.
  var current: Int?
  private var newest = ""
  /// The next transaction of each history, if none is missing.
  private var next: [Int64] = []
  private var counter = EntityCounter()
  private var changes: Int64 = 0
  /// The digest of the schema of the open transaction.
  private var openSchema = ""
  /// Whether the filter can select the open transaction.
  private var mayBeSelected = false
  /// Whether the open transaction can be the snapshot at the beginning of a history.
  private var isFirst = false

  init(
    _ histories: [History],
    of source: String,
    request: AuditRequest,
    objects: ObjectTally
  ) throws {
    self.histories = histories
    self.request = request
    filters = try request.filter.resolved(for: histories)
    self.objects = objects
    report = AuditReport(source: source)
    findings = FindingTally(request)
    restart()
  }

  func restart() {
    entries = histories.map {
      AuditedHistory(
        store: $0.outline.store,
        lineage: $0.outline.lineage,
        source: histories.count == 1 ? report.source : $0.name
      )
    }
    report = AuditReport(source: report.source)
    next = histories.map { $0.outline.base + 1 }
    findings = FindingTally(request)
    objects.restart()
    authors = NameTally()
    entities = NameTally()
    operations = NameTally()
    days = DayTally()
  }

  func begin(store: String, lineage: Int64) {
    current = histories.firstIndex { $0.outline.store == store && $0.outline.lineage == lineage }
    if let current { begin(current) }
  }

  func begin(_ index: Int) {
    current = index
    objects.settle(isSelected: false)
    newest = ""
    changes = 0
    isFirst = true
    counter = EntityCounter()
    objects.begin(index, vocabulary: Vocabulary(histories[index].outline.schema))
  }

  func open(_ transaction: Transaction) -> Bool {
    guard let current else { return false }
    if changes > 0 { dropOpenTransaction() }
    mayBeSelected = isInRange(transaction) && filters[current].mayMatch(transaction)
    openSchema = transaction.schema
    return true
  }

  /// Forgets the changes of a transaction that damage interrupted.
  private func dropOpenTransaction() {
    _ = counter.take()
    changes = 0
    objects.settle(isSelected: false)
  }

  func take(_ change: Change) {
    guard let current else { return }
    let isSelected =
      mayBeSelected
      && (!request.filter.isAboutChanges || filters[current].matches(change, schema: openSchema))
    // Only the closing line of a transaction shows that it is a snapshot, whose objects are not
    // counted.
    objects.note(
      change,
      isCounted: isSelected,
      isTentative: isFirst || request.filter.needsClosingLine
    )
    guard isSelected else { return }
    counter.count(change)
    changes += 1
  }

  private func isInRange(_ transaction: Transaction) -> Bool {
    current.flatMap { histories[$0].range?.contains(transaction.id) } ?? false
  }

  func close(_ transaction: Transaction) {
    if transaction.count == 0, changes > 0 { dropOpenTransaction() }
    let counts = counter.take()
    defer {
      changes = 0
      isFirst = false
    }
    guard let current, isInRange(transaction) else { return }
    noteUnreadable(before: transaction.gap?.first ?? transaction.id, in: current)
    next[current] = transaction.id + 1
    let isSnapshot = transaction.operation == .snapshot
    // The time of a snapshot is not compared. It is the time at which the snapshot was written, and
    // can be later than the time of the next transaction.
    let earlier = isSnapshot || transaction.time >= newest ? nil : newest
    if !isSnapshot { newest = max(newest, transaction.time) }
    // The answers to an auditor's questions are about the whole history, even if a filter selects
    // only a part.
    entries[current].note(transaction)
    let filter = filters[current]
    objects.settle(isSelected: !isSnapshot && filter.matches(transaction))
    guard filter.matches(transaction), changes > 0 || !filter.isAboutChanges else { return }
    let summary = TransactionSummary(transaction: transaction, entities: counts)
    entries[current].add(summary, isSnapshot: isSnapshot)
    operations.add(transaction.operation.rawValue, changes: summary.total)
    if !isSnapshot { add(summary) }
    findings.examine(summary, after: earlier, history: current, isSnapshot: isSnapshot)
  }

  /// Notes the transactions that should have been read before another one.
  private func noteUnreadable(before id: Int64, in history: Int) {
    guard next[history] < id else { return }
    entries[history].unreadable.append(UnreadableRange(first: next[history], last: id - 1))
  }

  private func add(_ summary: TransactionSummary) {
    let transaction = summary.transaction
    let total = summary.total
    report.transactions += 1
    report.changes += total
    for entity in summary.entities { entities.add(entity.entity, changes: entity.counts) }
    authors.add(transaction.author, changes: total)
    days.add(request.clock.local(transaction.time), author: transaction.author, changes: total)
  }

  func finish() throws -> AuditReport {
    for (index, history) in histories.enumerated() where history.outline.isBeginningMissing {
      findings.add(
        .deletedHistory,
        value: "The history begins after transaction \(history.outline.base).",
        transaction: history.outline.base,
        history: index
      )
    }
    for index in entries.indices {
      noteUnreadable(before: histories[index].last + 1, in: index)
      // Filtered logs lack ids too; only in damaged logs, this shows that a part was not read.
      if !findings.has(.damage, in: index) { entries[index].unreadable = [] }
      entries[index].leftOut = histories[index].outline.schema.leftOut?.map(\.name)
    }
    report.timeZone = request.clock.zoneName
    report.words = histories.words
    report.officeHours = request.clock.officeHours.map { [$0.lowerBound, $0.upperBound] }
    report.firstTime = entries.compactMap(\.firstTime).min()
    report.lastTime = entries.compactMap(\.lastTime).max()
    report.timeOffset = report.lastTime.map { request.clock.offset(at: $0) } ?? 0
    report.snapshotObjects = entries.reduce(0) { $0 + $1.snapshotObjects }
    // If a log is damaged, its last transaction has no closing line.
    objects.settle(isSelected: false)
    (report.objects, report.isObjectsEstimated) = objects.objects
    report.authors = authors.ranking
    report.entities = entities.ranking
    report.operations = operations.ranking
    report.days = days.days(authors: report.authors)
    report.omittedDays = days.omitted
    report.mostChanged = objects.mostChanged
    report.isMostChangedPartial = objects.isMostChangedPartial
    (report.inputs, report.omittedInputs) = try auditedFiles(of: histories)
    report.findings = findings.all
    report.checks = findings.checks(isWhole: entries.allSatisfy(\.isVerified))
    report.questions = auditQuestions(entries)
    report.histories = Array(entries.prefix(AuditReport.historyLimit))
    report.omittedHistories = entries.count - report.histories.count
    report.title = usualTitle
    return report
  }

  /// The name of the file or folder, and for a log folder its stores, or the entities of its only
  /// store that have the most changes.
  private var usualTitle: String {
    let name = lastName(of: report.source)
    guard case .folder? = histories.first?.source.proof else { return name }
    let stores = Set(histories.map(\.outline.store)).count
    guard stores == 1 else { return "\(name): \(countText(stores, noun: "store"))" }
    let most = report.entities.entries.prefix(3).compactMap(\.name)
    guard !most.isEmpty else { return name }
    let hasMore = report.entities.entries.count > most.count
    return "\(name): \(most.joined(separator: ", "))\(hasMore ? ", …" : "")"
  }
}

/// The last name of a path; for a path such as `.`, the name of the folder.
private func lastName(of path: String) -> String {
  let name = path.split(separator: "/").last ?? "."
  guard name == "." || name == ".." else { return String(name) }
  return withoutLinks(path).split(separator: "/").last.map(String.init) ?? path
}

extension HistoryOutline {
  /// Whether transactions with changes are missing before the first transaction.
  fileprivate var isBeginningMissing: Bool { base > schema.emptyBeginning }
}

extension [History] {
  /// The words for the parts of all these stores.
  package var words: SchemaWords {
    allSatisfy { $0.outline.schema.words == .tables } ? .tables : .entities
  }
}

extension AuditedHistory {
  fileprivate mutating func add(_ summary: TransactionSummary, isSnapshot: Bool) {
    let transaction = summary.transaction
    let id = transaction.id
    firstTransaction = firstTransaction ?? id
    lastTransaction = id
    guard !isSnapshot else { return snapshotObjects += summary.total.all }
    firstTime = firstTime ?? transaction.time
    lastTime = transaction.time
    transactions += 1
    changes += summary.total
  }

  fileprivate mutating func note(_ transaction: Transaction) {
    if transaction.state == .erased { erased += 1 }
    if transaction.followsUnrecordedChanges { gaps += 1 }
    // If the other program named an author, the origin of its changes is known. So they are not
    // counted.
    if transaction.operation == .foreign, transaction.author == nil { foreign += 1 }
  }
}
