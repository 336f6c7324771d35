import Format
import Store

/// One transaction in the history of a native store.
///
/// ```swift
/// for transaction in try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) {
///   print(transaction.timestamp, transaction.author ?? "", transaction.changes.count)
/// }
/// ```
public struct DefaultHistoryTransaction: HistoryTransaction {
  /// The time of the commit.
  ///
  /// If the clock was set back, a transaction may have an earlier time than the transaction before
  /// it.
  public let timestamp: Date
  /// The changes, at most one for each object; the list may be empty.
  public let changes: [HistoryChange]
  /// A bookmark that covers all transactions up to this one in all native stores of the container.
  public internal(set) var token: DefaultHistoryToken
  /// The id of the transaction in its store; ids begin with 1 and have no gaps.
  public let transactionIdentifier: Int64
  /// The identifier of the store that contains the transaction; never empty.
  public let storeIdentifier: String
  /// The bundle identifier of the program that saved; empty if it has none.
  public let bundleIdentifier: String
  /// The name of the program that saved; empty if it is unknown.
  public let processIdentifier: String
  /// The ``ModelContext/author`` of the context that saved; nil if it had none.
  public let author: String?
  /// The ``TransactionContext/reason`` of the context that saved; nil if it had none.
  public let reason: String?
  /// The ``TransactionContext/request`` of the context that saved; nil if it had none.
  public let request: String?
  /// The time as the store records it, exact to the microsecond.
  let time: String

  init(
    _ transaction: Transaction,
    changes: [HistoryChange],
    point: HistoryPoint,
    storeIdentifier: String
  ) throws {
    guard let timestamp = HistoryTime.date(transaction.time) else {
      throw unreadableTransaction(transaction.id, transaction.time, at: storeIdentifier)
    }
    self.timestamp = timestamp
    self.changes = changes
    self.storeIdentifier = storeIdentifier
    token = DefaultHistoryToken(
      storeIdentifier: storeIdentifier,
      points: [storeIdentifier: point],
      standsAlone: true
    )
    transactionIdentifier = transaction.id
    bundleIdentifier = transaction.bundle ?? ""
    processIdentifier = transaction.process
    author = transaction.author
    reason = transaction.reason
    request = transaction.request
    time = transaction.time
  }

  /// The same as ``transactionIdentifier``; unique only within one store.
  public var id: Int64 { transactionIdentifier }

  /// Whether two values are the same transaction of the same history.
  public static func == (
    left: DefaultHistoryTransaction,
    right: DefaultHistoryTransaction
  ) -> Bool {
    left.storeIdentifier == right.storeIdentifier
      && left.transactionIdentifier == right.transactionIdentifier
      && left.token.points[left.storeIdentifier] == right.token.points[right.storeIdentifier]
  }

  /// Hashes the store and the id.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(storeIdentifier)
    hasher.combine(transactionIdentifier)
  }
}
