import Changes

/// A source of transactions: a store, a folder of logs, or one log.
package protocol HistorySource: AnyObject {
  func outline() throws -> HistoryOutline

  /// Reads the transactions in a range of ids in ascending order, and keeps one change in memory.
  ///
  /// In a log the line of a transaction follows its changes, whose lines already have its id, time,
  /// author, schema and number of changes.
  ///
  /// - Parameters:
  /// - range: The ids; the history must have them all.
  /// - wants: Returns whether to read the changes of a transaction; called before the first of
  ///   them.
  /// - change: Called with each of these changes, whose bytes are valid only during the call.
  /// - transaction: Called with each transaction, after its changes.
  /// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``, and the errors of the closures.
  func read(
    _ range: ClosedRange<Int64>,
    wants: (Transaction) -> Bool,
    change: (Change, Transaction) throws -> Void,
    transaction: (Transaction) throws -> Void
  ) throws

  /// All schemas of the transactions, in the order in which the store got them.
  func schemas() throws -> [StoreSchema]

  /// The transactions that changed an object with this id, in ascending order; nil if the source
  /// has no faster way than reading all transactions.
  func transactions(changing object: ObjectID) throws -> [Int64]?
}

extension HistorySource {
  /// Logs have no index.
  package func transactions(changing object: ObjectID) throws -> [Int64]? { nil }
}

/// The facts about a history that are known before its transactions are read.
package struct HistoryOutline: Sendable {
  package var path: String
  package var store: String
  package var lineage: Int64
  package var schema: StoreSchema
  /// The schemas of transactions that are known without reading them.
  package var schemas: [StoreSchema]
  /// The last transaction that can't be read any more; zero if all can be read.
  package var base: Int64
  /// The digest of the base; nil if only earlier logs have it.
  package var baseDigest: Digest?
  /// The latest time up to the base; nil if it is not known.
  package var baseTime: String?
  /// The last transaction; the base if there is none.
  package var head: Int64
  /// The ranges of ids that are best read at once, in ascending order; together they have all
  /// transactions.
  package var stretches: [ClosedRange<Int64>]
  /// Whether reading half of a range takes about half of the time.
  package var isSplittable = false
  /// The other lineages of the folder, in ascending order.
  package var otherLineages: [LineagePlace] = []
  /// Whether rows have foreign changes that are not in the history yet.
  package var hasUnshownChanges = false
  /// What a filter left out of the history, in words; empty for a whole history.
  package var filter = ""
}

package struct LineagePlace: Hashable, Sendable {
  package var lineage: Int64
  package var path: String
}
