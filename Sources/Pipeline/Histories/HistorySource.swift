import Format

/// A source of transactions: a store, a log folder, or one log.
///
/// A source of another format is a type that conforms to this protocol, and one more kind of source
/// in ``History``. Commands ask a source only through this protocol.
package protocol HistorySource: AnyObject {
  func outline() throws -> HistoryOutline

  /// Reads the transactions in a range of ids in ascending order. Only one change at a time is in
  /// memory.
  ///
  /// In a log, the line of a transaction follows the lines of its changes. So `wants` and `change`
  /// may use only the id, time, author, schema and number of changes of a transaction.
  ///
  /// - Parameters:
  /// - range: The ids. The history must have all of them.
  /// - wants: Returns whether to read the changes of a transaction. It is called before the first
  ///   change is read.
  /// - change: Called with each change of a wanted transaction. The bytes of the change are valid
  ///   only during the call.
  /// - transaction: Called with each transaction, after its changes.
  /// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``, and the errors of the closures.
  func read(
    _ range: ClosedRange<Int64>,
    wants: (Transaction) -> Bool,
    change: (Change, Transaction) throws -> Void,
    transaction: (Transaction) throws -> Void
  ) throws

  /// All schemas of the transactions, in the order in which the store began to use these schemas.
  func schemas() throws -> [StoreSchema]

  /// The ids of the transactions that changed an object, in ascending order; nil if only reading
  /// all transactions would find these ids.
  func transactions(changing object: ObjectID) throws -> [Int64]?

  /// Calls the closure with a row after a transaction as an insertion, if the source has rows from
  /// before the beginning of the history and the row is one of them.
  func row(
    of table: String,
    id: ObjectID,
    after transaction: Int64,
    _ body: (Change) throws -> Void
  ) throws

  /// The files that contain the history, in the order of its transactions.
  func files() throws -> [HistoryFile]

  /// How the history can be verified.
  var proof: HistoryProof { get }

  /// The same history for a caller that also verifies it: what costs much is not verified again.
  var unverified: any HistorySource { get }

  /// How the state of the store at a point of the history can be built.
  ///
  /// - Throws: ``PipelineError`` if the history does not show the state of a store.
  func state() throws -> HistoryState
}

extension HistorySource {
  /// Logs have no index of objects.
  package func transactions(changing object: ObjectID) throws -> [Int64]? { nil }

  package var unverified: any HistorySource { self }

  /// The logs of an adopted file begin with all of its rows.
  package func row(
    of table: String,
    id: ObjectID,
    after transaction: Int64,
    _ body: (Change) throws -> Void
  ) throws {}
}

package struct HistoryFile: Sendable {
  package let path: String
  /// Whether this process may open the file and compute its digest.
  ///
  /// If this process opened and closed the file of a store, it would lose the locks that SQLite
  /// holds on the file.
  package let isDigestible: Bool
}

/// How a history can be verified.
package enum HistoryProof {
  /// By ``verify(_:observer:tick:)``, which reads the logs of the folder.
  case folder
  /// By a reader of all transactions, which recomputes their digests.
  case digests
  /// By reading the whole log with the closure, which throws a ``LogError`` if the log was altered.
  case log(verify: () throws -> Void)
  /// By nothing, for a reason in a sentence.
  case none(String)
}

/// How the state of the store at a point of a history can be built.
package enum HistoryState: Sendable {
  /// By an import of the logs in the folder.
  case folder
  /// By an import of the log.
  case log
  /// From the rows of the store, or by an export and an import of its history.
  case store
}

/// The facts about a history that are known before its transactions are read.
package struct HistoryOutline: Sendable {
  package var path: String
  package var store: String
  package var lineage: Int64
  package var schema: StoreSchema
  /// The schemas that are known before any transaction is read.
  package var schemas: [StoreSchema]
  /// The base of the history: the last transaction before the transactions of the source, or zero.
  package var base: Int64
  /// The digest of the base; nil if only earlier logs contain this digest.
  package var baseDigest: Digest?
  /// The latest time of the transactions up to the base; nil if this time is not known.
  package var baseTime: String?
  /// The last transaction; equal to the base if the history has no transactions.
  package var head: Int64
  /// Ranges of ids in ascending order, which together contain all transactions.
  ///
  /// A history is read fastest if each of these ranges is read in one call.
  package var stretches: [ClosedRange<Int64>]
  /// Whether reading half of a range takes about half of the time.
  package var isSplittable = false
  /// The other lineages of the folder, in ascending order.
  package var otherLineages: [LineagePlace] = []
  /// The number of captured foreign changes that are not in the history yet.
  package var unshownChanges: Int64 = 0
  /// The number of commits of an adopted file that no trigger captured, as far as its write-ahead
  /// log shows.
  package var uncapturedCommits: Int64 = 0
  /// Why the model of a store of Core Data is a guess; nil if it is not.
  package var guessedModel: String?
  /// Where the write-ahead log of a store of Core Data was damaged, in a sentence; nil if it was not.
  package var damagedLog: String?
  /// What a filter left out of the history, in words; empty if the history is not filtered.
  package var filter = ""

  /// Whether the rows contain foreign changes that are not in the history yet.
  package var hasUnshownChanges: Bool { unshownChanges > 0 }
}

package struct LineagePlace: Hashable, Sendable {
  package var lineage: Int64
  package var path: String
}
