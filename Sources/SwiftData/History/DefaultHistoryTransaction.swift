import Changes
import Store

/// One transaction of the history of one of SwiftData's own stores.
public struct DefaultHistoryTransaction: HistoryTransaction {
  /// When it was written.
  public let timestamp: Date
  /// The changes, in their order: one for each object.
  public let changes: [HistoryChange]
  /// A bookmark: all up to this transaction, in each of SwiftData's own stores of the container.
  public internal(set) var token: DefaultHistoryToken
  /// The place in the history of the store, without gaps from 1 on.
  public let transactionIdentifier: Int64
  /// The store whose history it belongs to.
  public let storeIdentifier: String
  /// The bundle identifier of the program that made the changes; empty where it has none.
  public let bundleIdentifier: String
  /// The name of the program that made the changes; empty where it is not known.
  public let processIdentifier: String
  /// Who made the changes, as ``ModelContext/author`` said; nil if it said nothing.
  public let author: String?
  /// The time as history keeps it, which has a text of its own for each microsecond.
  let time: String

  init(
    _ transaction: Transaction,
    changes: [HistoryChange],
    point: HistoryPoint,
    storeIdentifier: String
  ) throws {
    guard let timestamp = HistoryTime.date(transaction.time) else {
      throw HistoryFailure.damaged(.unreadable(transaction.id, transaction.time)).at(
        storeIdentifier
      )
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
    time = transaction.time
  }

  /// The place in the history of the store.
  public var id: Int64 { transactionIdentifier }

  /// Tells whether two are the same transaction of the same history.
  public static func == (
    left: DefaultHistoryTransaction,
    right: DefaultHistoryTransaction
  ) -> Bool {
    left.storeIdentifier == right.storeIdentifier
      && left.transactionIdentifier == right.transactionIdentifier
      && left.token.points[left.storeIdentifier] == right.token.points[right.storeIdentifier]
  }

  /// Hashes the place in the history of the store.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(storeIdentifier)
    hasher.combine(transactionIdentifier)
  }
}
