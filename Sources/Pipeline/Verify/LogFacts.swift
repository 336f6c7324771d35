import ChangeLog
import Format

/// What the logs of one lineage say, whether or not it is true.
///
/// ``judge(_:answers:request:)`` draws the conclusions.
package struct LogFacts: Encodable, Sendable {
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
  /// The last transaction in the logs according to their names; some of them may be damaged.
  var namedEnd: Int64 = 0
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
  /// The digest of the last erasure record; nil if there is no erasure record.
  package var erasures: Digest?
  /// The trusted position after which the logs were verified.
  ///
  /// Logs before the trusted position were not read.
  package var after: HistoryPoint?
  /// The damage that reading the files showed.
  var findings: [Finding] = []
  var notices: [Finding] = []
  /// The parts whose digests can't be compared with their content, except marked parts.
  var except: [ExceptedPart] = []
  /// The points of the chain that a given digest or checkpoint confirms, in the order of the chain.
  var confirmed: [(point: HistoryPoint, by: Proof)] = []
  /// The given checkpoints whose tree is that of the first transactions of the chain.
  var checkpoints: Set<Checkpoint> = []
  /// The snapshots and gaps, and the transactions that name them.
  var marked: [MarkedPart] = []
  /// The transactions with erased values whose remaining values other transactions confirm.
  var restated: [RestatedPart] = []
  /// The digests of all transactions with erased values.
  var erasedDigests: Set<Digest> = []
  var recordedErasures = RecordedErasures()
  /// Where the lineage began, according to its first transaction; nil for lineage 0.
  var origin: LineageOrigin?
  /// Whether the chain has the trusted position that was given.
  var hasPosition = false
  /// The point of filtered logs after the last transaction of the logs without a filter; nil if they
  /// do not have this transaction.
  var pointAtWholeEnd: HistoryPoint?
  /// The last transaction that proves the description of the filter, and the transaction after
  /// which it says that the logs begin.
  var filterMark: (transaction: Int64, after: Int64)?

  private enum CodingKeys: String, CodingKey {
    case store, lineage, from, to, files, snapshots, snapshotObjects, transactions, changes, after
  }

  /// The points of the chain whose digests were given as trusted.
  package var heads: [HistoryPoint] { confirmed.filter { $0.by == .head }.map(\.point) }

  /// Whether the logs begin with a state, because those before it are not in the folder.
  package var beginsWithState: Bool {
    from.transaction > 0 && snapshots > 0 && origin == nil && after == nil && filterName == nil
  }

  /// The number of transactions whose values were erased according to a sound record.
  package var erased: Int64 { filterName == nil ? Int64(erasedDigests.count) : 0 }
}

extension LogFacts {
  /// Creates the facts about a lineage without logs, with the finding that logs are missing.
  init(store: String, lineage: Int64 = 0, filterName: String? = nil, _ findings: [Finding] = []) {
    let beginning = HistoryPoint(
      lineage: lineage,
      transaction: 0,
      digest: TransactionDigest.beginning(ofStore: store, lineage: lineage)
    )
    self.init(
      store: store,
      lineage: lineage,
      filterName: filterName,
      from: beginning,
      to: beginning
    )
    self.findings = findings
  }

  /// Whether an erasure is running, or was interrupted.
  var isUnfinished: Bool { findings.contains { $0.kind == .unfinished } }
}

/// What was read of the logs of one store.
struct StoreFacts {
  let store: String
  /// The folder with the logs of these facts: the whole folder, or one of its filtered logs.
  let logs: LogFolder
  /// The lineages in ascending order.
  var lineages: [LogFacts]
  var token: TokenFacts
  var strays: [Finding]
  var filtered: [StoreFacts] = []
}

/// What the token of a folder says about a store.
struct TokenFacts {
  let path: String
  /// The last exported transaction; nil if the token does not exist, or does not have the store.
  var point: HistoryPoint?
  var finding: Finding?
}

/// Something that costs time to find out, and is asked only if it matters for the verdict.
enum Question: Error, Hashable {
  /// How the state with which a lineage begins differs from its parent's state.
  case start(lineage: Int64, parent: Int64, after: Int64)
  /// The digest of a transaction before the end of the logs without a filter.
  case digest(lineage: Int64, transaction: Int64)
  /// How the rows of a store differ from a replay of the logs.
  case rows(store: String)
  /// How a snapshot differs from a replay of the logs.
  case snapshot(lineage: Int64, transaction: Int64)
}

struct Answer {
  /// Whether the states can't be compared completely, because values of one of them were erased.
  var isIncomplete = false
  /// The digest; nil if a gap replaces the transaction.
  var digest: Digest?
  var findings: [Finding] = []
  /// The number of transactions that the compared store has after the logs; nil if no store was
  /// compared, or if its history is another one.
  var unexported: Int64?
}
