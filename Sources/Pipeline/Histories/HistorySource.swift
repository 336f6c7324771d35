public import Store

/// Where transactions come from: a store, a folder of logs, or a log by itself.
public protocol HistorySource: AnyObject {
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

  /// The transactions that changed an object of some id, in ascending order; nil where only reading
  /// all of them can tell.
  func transactions(changing object: Int64) throws -> [Int64]?
}

extension HistorySource {
  /// Logs have no index.
  public func transactions(changing object: Int64) throws -> [Int64]? { nil }
}

/// What a history is of, and how far it reaches.
public struct HistoryOutline: Sendable {
  /// Where it is kept.
  public var path: String
  /// The identifier of the store.
  public var store: String
  /// The lineage.
  public var lineage: Int64
  /// The schema of the last transaction.
  public var schema: StoreSchema
  /// Schemas that transactions were written with, as far as they are known at once.
  public var schemas: [StoreSchema]
  /// The last transaction before those that can be read; zero where all can.
  public var base: Int64
  /// The last transaction; the base where there is none.
  public var head: Int64
  /// The ids that are best read in one go, in ascending order; together they are all there are.
  public var stretches: [ClosedRange<Int64>]
  /// True where a part of a stretch takes no more than its part of the time.
  public var isSplittable = false
  /// The logs of the lineage before, where there are any.
  public var earlier: String?
  /// What was left out of the history, in words; empty for a whole one.
  public var partial = ""
}
