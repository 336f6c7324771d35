import Format

/// The conclusion of verification about the logs of one lineage.
package enum Verdict: String, Encodable, Hashable, Sendable {
  /// The chain contains a digest from a trusted source.
  case proven
  /// Nothing contradicts the logs, and no trusted digest was given.
  case sound
  /// There is at least one finding.
  case damaged
}

/// The source that proves a chain up to a transaction.
package enum Proof: Hashable, Sendable {
  case head
  case checkpoint
  /// A store with the same history and the same rows.
  case store
  /// A later lineage that is proven and names the head of this lineage.
  case lineage(Int64)
}

/// A part of the logs that the verdict does not cover.
package struct ExceptedPart: Codable, Hashable, Sendable {
  package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
    /// Transactions that a filter left out completely.
    case omitted
    /// Changes that a filter left out of transactions.
    case omittedChanges = "omitted_changes"
    /// Changes whose values a filter dropped or replaced.
    case hidden
    /// Transactions with erased values, whose remaining values a later transaction confirms.
    case restated
    /// Transactions with erased values, if no transaction covers the records of the erasure.
    case unanchored
    /// Snapshots beside the logs.
    case snapshot
    /// The snapshot with which the logs begin.
    case base
    /// Transactions that were reconstructed because their details are lost.
    case gap
    /// Transactions before the first log that the tree counts, or that may have been removed.
    case missing
    /// The state with which a later lineage begins, if it can't be compared with its parent.
    case start
    /// The newest lineage, if only an earlier lineage is proven.
    case lineage
    case filter
  }

  /// The maximum number of transactions that a description lists.
  private static let limit = 10

  package let kind: Kind
  /// The number of transactions; for hidden values, the number of changes.
  package private(set) var count: Int64
  /// The first transactions of the part, up to a limit.
  package private(set) var transactions: [Int64] = []
  /// The first changes of the part, as `prove` names them, up to a limit; nil unless values are
  /// hidden.
  package private(set) var changes: [String]?
  /// The first transactions that confirm the part, up to a limit.
  package private(set) var by: [Int64] = []
  /// Whether the part is proven, or does not need a proof.
  package internal(set) var isProven: Bool

  init(_ kind: Kind, count: Int64 = 0) {
    self.kind = kind
    self.count = count
    isProven = [.omitted, .omittedChanges].contains(kind)
    changes = kind == .hidden ? [] : nil
  }

  mutating func add(_ transaction: Int64, change: Int64? = nil, count: Int64 = 1, by: Int64? = nil)
  {
    self.count += count
    if let change, changes?.count ?? 0 < Self.limit { changes?.append("\(transaction).\(change)") }
    if let by, self.by.count < Self.limit, !self.by.contains(by) { self.by.append(by) }
    if transactions.count < Self.limit, transactions.last != transaction {
      transactions.append(transaction)
    }
  }

  /// The text that follows “except” in the words of a verdict.
  package var description: String {
    let ids = listed()
    return switch kind {
    case .omitted: "\(counted("transaction")) left out"
    case .omittedChanges: "\(counted("change")) left out of other transactions"
    case .hidden:
      "the values of \(counted("change")) hidden, so nothing proves their other values:"
        + " \((changes ?? []).joined(separator: ", "))"
        + (count > Int64(changes?.count ?? 0) ? ", …" : "")
    case .restated:
      "the values that remain in \(counted("transaction")) after an erasure (\(ids)) are restated by"
        + " \(by.count == 1 ? "transaction" : "transactions") \(listed(by))"
        + (isProven ? "" : ", after the proven transactions")
    case .unanchored:
      "the values of \(counted("transaction")) erased (\(ids)) by records that"
        + (isProven ? " have the digest that was given" : " no transaction covers")
    case .snapshot, .base:
      "nothing proves \(count == 1 ? "snapshot" : "the snapshots") \(ids)"
        + (kind == .base ? ", with which the logs begin" : "")
    case .gap:
      "nothing proves \(count == 1 ? "the gap that transaction" : "the gaps that transactions")"
        + " \(ids) \(count == 1 ? "closes" : "close")"
    case .missing:
      count > 0
        ? "\(counted("transaction")) up to \(listed(transactions)), which the tree beside the logs has and no log contains"
        : "nothing shows that no log up to transaction \(listed(transactions)) is missing"
    case .start: "nothing proves the state after transaction \(ids), with which the lineage begins"
    case .filter: "nothing proves that the filter is the one that the logs describe"
    case .lineage: "the lineage is not covered by what was given, although an earlier lineage is"
    }
  }

  private func counted(_ noun: String) -> String { countText(Int(count), noun: noun) }

  private func listed(_ ids: [Int64]) -> String {
    ids.map(String.init).joined(separator: ", ")
  }

  private func listed() -> String {
    listed(transactions) + (count > Int64(transactions.count) ? ", …" : "")
  }
}

/// The parts that a verdict does not cover, counted by kind.
extension [ExceptedPart] {
  mutating func add(
    _ kind: ExceptedPart.Kind,
    _ transaction: Int64,
    change: Int64? = nil,
    count: Int64 = 1
  ) {
    add(ExceptedPart(kind), transaction, change: change, count: count)
  }

  /// Counts a transaction whose remaining values are confirmed by another transaction.
  mutating func addRestated(_ transaction: Int64, by other: Int64, isProven: Bool) {
    var part = ExceptedPart(.restated)
    part.isProven = isProven
    add(part, transaction, by: other)
  }

  private mutating func add(
    _ part: ExceptedPart,
    _ transaction: Int64,
    change: Int64? = nil,
    count: Int64 = 1,
    by: Int64? = nil
  ) {
    let known = firstIndex { $0.kind == part.kind && $0.isProven == part.isProven }
    if known == nil { append(part) }
    self[known ?? endIndex - 1].add(transaction, change: change, count: count, by: by)
  }
}
