import Format

/// Collects findings: for each kind, the number of occurrences and the first of them.
struct FindingTally {
  private static let limit = 1000
  /// The maximum number of occurrences that are not grouped.
  private static let mostUngrouped = 20

  private let request: AuditRequest
  private var findings: [AuditFinding.Kind: AuditFinding] = [:]
  private var groups: [AuditFinding.Kind: GroupTally] = [:]

  init(_ request: AuditRequest) { self.request = request }

  func has(_ kind: AuditFinding.Kind, in history: Int) -> Bool {
    findings[kind]?.items.contains { $0.history == history } ?? false
  }

  mutating func add(
    _ kind: AuditFinding.Kind,
    value: String,
    transaction: Int64 = 0,
    by touch: Touch? = nil,
    history: Int
  ) {
    var finding = findings[kind] ?? AuditFinding(kind, message: kind.message(for: request))
    finding.count += 1
    if finding.items.count < Self.limit {
      finding.items.append(
        AuditFinding.Item(
          history: history,
          transaction: transaction,
          time: touch?.time,
          author: touch?.author,
          reason: touch?.reason,
          request: touch?.request,
          value: value
        )
      )
    }
    findings[kind] = finding
    // Every place of damage is important.
    if kind != .damage, let touch {
      groups[kind, default: GroupTally()].add(
        touch.author,
        day: request.clock.local(touch.time)?.day
      )
    }
  }

  /// Adds the findings about a transaction.
  ///
  /// If an earlier transaction has a later time than this transaction, `after` is that time;
  /// otherwise nil.
  mutating func examine(
    _ summary: TransactionSummary,
    after: String?,
    history: Int,
    isSnapshot: Bool
  ) {
    let transaction = summary.transaction
    let total = summary.total
    func found(_ tally: inout Self, _ kind: AuditFinding.Kind, _ value: String) {
      tally.add(
        kind,
        value: value,
        transaction: transaction.id,
        by: Touch(transaction),
        history: history
      )
    }
    if let after {
      found(
        &self,
        .clockBack,
        "\(request.clock.text(transaction.time)), after \(request.clock.text(after))"
      )
    }
    if !isSnapshot, request.clock.isOutsideOfficeHours(transaction.time) {
      found(
        &self,
        .outsideOfficeHours,
        "\(request.clock.weekday(transaction.time)), \(countText(Int(total.all), noun: "change"))"
      )
    }
    if !isSnapshot, total.all >= request.bulk { found(&self, .bulk, text(of: summary)) }
    switch transaction.operation {
    // If the other program named an author, the origin of the change is known. So this is not a
    // finding.
    case .foreign where transaction.author != nil: break
    case .foreign: found(&self, .foreign, text(of: summary))
    case .gap, .difference, .migration:
      guard transaction.followsUnrecordedChanges else { break }
      found(&self, .gap, text(of: summary))
    case .prune: found(&self, .deletedHistory, transaction.details ?? "")
    case .erase: found(&self, .erasure, text(of: summary))
    case .recorded, .snapshot, .mark, .adopt: break
    }
    switch transaction.state {
    case .erased: found(&self, .erasure, text(of: summary))
    case .deleted: found(&self, .deletedHistory, "Only the digest of the transaction was kept.")
    case .whole: break
    }
  }

  /// The changes of each entity in words, such as “3 changes: 2 Trip, 1 Stop”.
  private func text(of summary: TransactionSummary) -> String {
    let entities = summary.entities.prefix(5).map { "\($0.counts.all) \($0.entity)" }
    return countText(Int(summary.total.all), noun: "change")
      + (entities.isEmpty ? "" : ": " + entities.joined(separator: ", "))
      + (summary.entities.count > 5 ? ", …" : "")
  }

  /// All findings; the most serious finding is first.
  var all: [AuditFinding] {
    AuditFinding.Kind.allCases.compactMap { findings[$0] }.enumerated()
      .sorted { ($0.element.severity, $0.offset) < ($1.element.severity, $1.offset) }
      .map { _, finding in
        var finding = finding
        let groups = groups[finding.finding]?.all ?? []
        // Groups without some of the occurrences would hide these.
        let isWhole = groups.reduce(0) { $0 + $1.count } == finding.count
        if finding.count > Self.mostUngrouped, isWhole { finding.groups = groups }
        return finding
      }
  }

  /// All kinds of findings that the audit checks, each with its result.
  ///
  /// `isWhole` is false if a part of a history was altered, or could not be read or verified.
  func checks(isWhole: Bool) -> [AuditCheck] {
    AuditFinding.Kind.allCases.map { kind in
      let count = findings[kind]?.count ?? 0
      let isUnchecked = kind == .outsideOfficeHours && request.clock.officeHours == nil
      return AuditCheck(
        finding: kind,
        title: kind.title,
        description: kind.check(for: request),
        state: count > 0 ? .found : isUnchecked ? .unchecked : isWhole ? .clear : .unknown,
        count: count
      )
    }
  }
}
