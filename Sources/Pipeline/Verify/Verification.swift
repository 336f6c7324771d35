import ChangeLog
import Changes
import Store

/// What is to be verified.
package struct VerifyRequest: Sendable {
  /// The folder of logs.
  package var logs: LogFolder
  /// The store whose logs are meant; nil for all.
  package var store: String?
  /// Where the token is kept; nil for its place beside the logs.
  package var token: String?
  /// Digests from elsewhere, which the chains must have.
  package var heads: [Digest] = []
  /// The digests that records of erasures end with, from elsewhere.
  package var erasures: [Digest] = []
  /// The trusted position after which logs are verified; nil for all of them.
  package var after: TrustedPosition?
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
  /// Remarks for the operator that are not damage.
  package var notices: [Notice] = []
  /// The points of the chain whose digests were given.
  package var heads: [HistoryPoint] = []
  /// The last point that a given digest or store proves; nil if nothing was given.
  package internal(set) var proven: HistoryPoint?
  /// What that is.
  package internal(set) var proof: Proof?
  /// What the verdict does not cover.
  package var except: [ExceptedPart] = []
  /// The trusted position after which the logs were verified; nothing before it was read.
  package var after: HistoryPoint?
  /// What tells that nothing is missing after ``to``.
  package var end = EndProof.none
  /// The number of transactions that the store has after ``to``; nil if there is no store to compare
  /// with.
  package var unexported: Int64?
}

extension Verification {
  /// Says nothing yet of a store without logs in their places.
  init(store: String, partial: String?) {
    let beginning = HistoryPoint(
      lineage: 0,
      transaction: 0,
      digest: TransactionDigest.beginning(ofStore: store, lineage: 0)
    )
    self.init(store: store, lineage: 0, partial: partial, from: beginning, to: beginning)
  }

  /// What it concludes.
  package var verdict: Verdict { !findings.isEmpty ? .damaged : proven == nil ? .sound : .proven }

  /// Whether there is a part for which nothing vouches.
  package var isUnproven: Bool { except.contains { !$0.isProven } }

  /// Notes that something vouches for the chain up to a point, if nothing does for more.
  mutating func prove(_ point: HistoryPoint, by proof: Proof) {
    guard proven.map({ $0.transaction < point.transaction }) ?? true else { return }
    proven = point
    self.proof = proof
  }

  /// Whether values are being erased, or a program was stopped that did it.
  var isUnfinished: Bool { findings.contains { $0.kind == .unfinished } }
}
