import ChangeLog
import Format

package struct VerifyRequest: Sendable {
  package var logs: LogFolder
  /// The store whose logs are verified; nil for all stores.
  package var store: String?
  /// The path of the token; nil for the token beside the logs.
  package var token: String?
  /// Trusted digests, each of which a chain must contain.
  package var heads: [Digest] = []
  /// Trusted checkpoints; a chain must begin with the transactions of each of them.
  package var checkpoints: [Checkpoint] = []
  /// Trusted digests of erasure records.
  ///
  /// Each given digest must be the digest of the last erasure record of a lineage.
  package var erasures: [Digest] = []
  /// The trusted position after which logs are verified; nil to verify all logs.
  package var after: TrustedPosition?
  /// The path of a store whose rows must equal the rows of a replay; nil for no comparison.
  package var against: String?
  /// Whether snapshots are compared with a replay of the logs even if the chain proves the
  /// snapshots.
  package var replaysSnapshots = false
  /// The errors of damaged logs, which the caller could not put in the folder.
  package var failures: [LogError] = []

  /// Whether filtered logs are verified in addition to the other logs.
  ///
  /// The filtered logs of each filter are verified separately.
  package var includesFiltered = false

  package init(logs: LogFolder) { self.logs = logs }
}

/// The result of verifying the logs of one lineage of a store: the facts, and what follows from them.
@dynamicMemberLookup
package struct Verification: Sendable {
  /// The source that confirms that no later log is missing.
  package enum EndProof: String, Encodable, Hashable, Sendable {
    /// No source confirms the end of the logs.
    case none
    /// The token says that the store was exported up to the last transaction in the logs.
    case token
    /// The last transaction in the logs has a digest that was given.
    case head
    /// A later lineage names the last transaction in the logs.
    case lineage
    /// The store's history contains the last transaction of the logs, with an equal digest.
    case store
  }

  /// What the logs say.
  package let facts: LogFacts
  package internal(set) var findings: [Finding]
  /// Remarks that a person should read although nothing is damaged.
  package internal(set) var notices: [Finding]
  /// The last point that is proven by a given digest or a store; nil if nothing is proven.
  package private(set) var proven: HistoryPoint?
  /// The source that proves the point in ``proven``.
  package private(set) var proof: Proof?
  /// The parts of the logs that the verdict does not cover.
  package internal(set) var except: [ExceptedPart]
  /// The snapshots and gaps, and what proves them.
  var marked: [MarkedPart]
  /// Whether the state with which a later lineage begins can't be compared with its parent.
  var isStartUnknown = false
  /// Whether the logs do not contain what was given as trusted.
  package internal(set) var isRefuted = false
  /// The source that confirms that no transaction is missing after the last one.
  package internal(set) var end = EndProof.none
  /// The number of transactions that the store has after the logs; nil if no store was compared.
  package internal(set) var unexported: Int64?

  /// Starts with what reading the logs showed.
  init(_ facts: LogFacts) {
    self.facts = facts
    (findings, notices, except) = (facts.findings, facts.notices, facts.except)
    marked = facts.marked
    for (point, source) in facts.confirmed { prove(point, by: source) }
  }

  package subscript<Value>(dynamicMember path: KeyPath<LogFacts, Value>) -> Value {
    facts[keyPath: path]
  }

  package var verdict: Verdict { !findings.isEmpty ? .damaged : proven == nil ? .sound : .proven }

  /// The last gap that nothing proves; nothing up to this transaction is proven.
  package var provenAfter: Int64? {
    marked.lazy.filter { $0.mark.kind == .gap && $0.isUnproven(upTo: proven) }
      .map(\.mark.transaction).max()
  }

  /// Whether a part of the logs is not proven.
  package var isUnproven: Bool { except.contains { !$0.isProven } }

  /// Records that the chain is proven up to a point, unless the chain is already proven up to a
  /// later point.
  mutating func prove(_ point: HistoryPoint, by proof: Proof) {
    guard proven.map({ $0.transaction < point.transaction }) ?? true else { return }
    (proven, self.proof) = (point, proof)
  }

  /// The result with other names of files.
  package func naming(_ name: (String) -> String) -> Verification {
    var result = self
    result.notices = notices.map { $0.naming(name) }
    result.findings = findings.map { $0.naming(name) }
    return result
  }
}
