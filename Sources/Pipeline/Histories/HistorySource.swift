import Changes
import Store

/// Where transactions come from: a store, a folder of logs, or a log by itself.
package protocol HistorySource: AnyObject {
  /// What is known of the history before its transactions are read.
  func outline() throws -> HistoryOutline

  /// Reads the transactions of a range in the order of commits, and holds one change at a time.
  ///
  /// A log has a transaction's own line after those of its changes, so that for changes alone what
  /// their lines tell of it is known: id, time, author, schema and number of changes.
  ///
  /// - Parameters:
  ///   - range: The ids, all of which the history has.
  ///   - wants: Tells whether the changes of a transaction are wanted; asked before the first.
  ///   - change: Gets each change that is wanted; its bytes are there until it returns.
  ///   - transaction: Gets each transaction, after its changes.
  /// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``, and what the closures throw.
  func read(
    _ range: ClosedRange<Int64>,
    wants: (Transaction) -> Bool,
    change: (Change, Transaction) throws -> Void,
    transaction: (Transaction) throws -> Void
  ) throws

  /// All schemas that transactions were written with, in the order in which the store got them.
  func schemas() throws -> [StoreSchema]

  /// The transactions that changed an object of some id, in ascending order; nil if only reading
  /// all of them can tell.
  func transactions(changing object: Int64) throws -> [Int64]?
}

extension HistorySource {
  /// Logs have no index.
  package func transactions(changing object: Int64) throws -> [Int64]? { nil }
}

/// What a history is of, and how far it reaches.
package struct HistoryOutline: Sendable {
  /// Where it is kept.
  package var path: String
  /// The identifier of the store.
  package var store: String
  /// The lineage.
  package var lineage: Int64
  /// The schema of the last transaction.
  package var schema: StoreSchema
  /// Schemas that transactions were written with, as far as they are known at once.
  package var schemas: [StoreSchema]
  /// The last transaction before those that can be read; zero where all can.
  package var base: Int64
  /// The digest of that transaction, or of the beginning; nil if only logs before these have it.
  package var baseDigest: Digest?
  /// The latest time of the transactions up to the base; nil if it is not known.
  package var baseTime: String?
  /// The last transaction; the base where there is none.
  package var head: Int64
  /// The ids that are best read in one go, in ascending order; together they are all there are.
  package var stretches: [ClosedRange<Int64>]
  /// Whether a part of a stretch takes no more than its part of the time.
  package var isSplittable = false
  /// The other lineages that the folder has logs of, in ascending order.
  package var otherLineages: [LineagePlace] = []
  /// Whether the rows have changes of another program that have no place in the history yet.
  package var hasUnshownChanges = false
  /// What was left out of the history, in words; empty for a whole one.
  package var partial = ""
}

/// Where the logs of one lineage are.
package struct LineagePlace: Hashable, Sendable {
  /// The lineage.
  package var lineage: Int64
  /// The folder.
  package var path: String
}
