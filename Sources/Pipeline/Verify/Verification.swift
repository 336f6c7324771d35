import ChangeLog
import Changes

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

/// The result of verifying the logs of one lineage of a store.
package struct Verification: Sendable {
  /// The source that confirms that no later log is missing.
  package enum EndProof: String, Hashable, Sendable {
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

  /// The identifier of the store; empty if the identifier can't be read because of damage.
  package var store: String
  package var lineage: Int64
  /// The name of the filtered logs; nil if the logs are not filtered.
  package var filterName: String?
  /// What the filter leaves out, in words.
  package var words = ""
  /// The point before the first verified transaction.
  package var from: HistoryPoint
  /// The last transaction up to which the chain was verified without an interruption.
  package var to: HistoryPoint
  /// The number of logs that were read.
  package var files = 0
  /// The number of snapshots that were read.
  package var snapshots = 0
  /// The number of objects in the snapshots, and in the state with which the lineage begins.
  package var snapshotObjects: Int64 = 0
  /// The number of sound transactions; snapshots are not counted.
  package var transactions: Int64 = 0
  /// The number of changes in the sound transactions.
  package var changes: Int64 = 0
  /// The number of transactions whose values were erased according to a sound record.
  package var erased: Int64 = 0
  /// The digest of the last erasure record; nil if there is no erasure record.
  package var erasures: Digest?
  package var findings: [Finding] = []
  /// Remarks that a person should read although nothing is damaged.
  package var notices: [Notice] = []
  /// The points of the chain whose digests were given as trusted.
  package var heads: [HistoryPoint] = []
  /// The last point that is proven by a given digest or a store; nil if nothing is proven.
  package internal(set) var proven: HistoryPoint?
  /// The source that proves the point in ``proven``.
  package internal(set) var proof: Proof?
  /// The parts of the logs that the verdict does not cover.
  package var except: [ExceptedPart] = []
  /// The transactions with erased values whose remaining values other transactions confirm.
  var restated: [RestatedPart] = []
  /// The digests of all transactions with erased values.
  var erasedDigests: Set<Digest> = []
  var recordedErasures = RecordedErasures()
  /// Where the lineage began, according to its first transaction; nil for lineage 0.
  var origin: LineageOrigin?
  /// Whether the state with which a later lineage begins can't be compared with its parent.
  var isStartUnknown = false
  /// The given checkpoints whose tree is that of the first transactions of the chain.
  var checkpoints: Set<Checkpoint> = []
  /// The snapshots and gaps, and the transactions that name them.
  var marked: [MarkedPart] = []
  /// The trusted position after which the logs were verified.
  ///
  /// Logs before the trusted position were not read.
  package var after: HistoryPoint?
  /// The source that confirms that no transaction is missing after ``to``.
  package var end = EndProof.none
  /// The number of transactions that the store has after ``to``; nil if no store was compared.
  package var unexported: Int64?
}

extension Verification {
  /// Creates a result for a store whose logs are not read yet.
  init(store: String, filterName: String?) {
    let beginning = HistoryPoint(
      lineage: 0,
      transaction: 0,
      digest: TransactionDigest.beginning(ofStore: store, lineage: 0)
    )
    self.init(store: store, lineage: 0, filterName: filterName, from: beginning, to: beginning)
  }

  package var verdict: Verdict { !findings.isEmpty ? .damaged : proven == nil ? .sound : .proven }

  /// Whether the logs do not contain what was given as trusted.
  package var isRefuted: Bool {
    findings.contains { finding in
      switch finding.reason {
      case .headIsMissing, .checkpointIsMissing: true
      default: false
      }
    }
  }

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
    proven = point
    self.proof = proof
  }

  /// Whether an erasure is running, or was interrupted.
  var isUnfinished: Bool { findings.contains { $0.kind == .unfinished } }
}
