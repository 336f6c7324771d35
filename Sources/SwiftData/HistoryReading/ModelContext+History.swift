extension ModelContext {
  /// Fetches the transactions that a descriptor describes.
  ///
  /// Without an order they come in that in which they were written. Of several stores, those come
  /// whose history is of the descriptor's type; each transaction names its store.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` where the predicate has a token whose
  ///   transaction was deleted from the history, ``SwiftDataError/historyDiverged`` where the store
  ///   was restored from a copy that is older than the token, and
  ///   ``SwiftDataError/invalidTransactionFetchRequest`` where no store of the container has such a
  ///   history, or the token is of other stores.
  public func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]
  {
    try prepareToRead()
    var found: [[T]] = []
    if let own = descriptor as? HistoryDescriptor<DefaultHistoryTransaction>,
      !container.nativeHistories.isEmpty
    {
      found.append(try container.fetchHistory(own) as? [T] ?? [])
    }
    for store in container.stores {
      if let transactions = try store.fetchHistory(descriptor) { found.append(transactions) }
    }
    guard !found.isEmpty else { throw noHistory(of: T.self) }
    guard found.count > 1 else { return found[0] }
    return descriptor.joined(found)
  }

  /// Deletes the transactions that a descriptor describes from the history; the objects stay.
  ///
  /// A token whose transaction is deleted expires.
  public func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws {
    try prepareToRead()
    var isKnown = false
    if let own = descriptor as? HistoryDescriptor<DefaultHistoryTransaction>,
      !container.nativeHistories.isEmpty
    {
      isKnown = true
      try container.deleteHistory(own)
    }
    for store in container.stores {
      if try store.deleteHistory(descriptor) { isKnown = true }
    }
    guard isKnown else { throw noHistory(of: T.self) }
  }

  private func noHistory<T>(of type: T.Type) -> SwiftDataError {
    var known = container.stores.compactMap { $0.historyType.map { "\($0)" } }
    if !container.nativeHistories.isEmpty { known.append("\(DefaultHistoryTransaction.self)") }
    return SwiftDataError(.noHistory(of: "\(type)", known: known))
  }
}

extension HistoryDescriptor {
  /// The transactions of several stores in one order, as many as the limit allows.
  func joined(_ lists: [[TransactionType]]) -> [TransactionType] {
    var result = Array(lists.joined())
    if sortBy.isEmpty {
      result.sort {
        ($0.timestamp, $0.storeIdentifier) != ($1.timestamp, $1.storeIdentifier)
          ? ($0.timestamp, $0.storeIdentifier) < ($1.timestamp, $1.storeIdentifier)
          : $0.transactionIdentifier < $1.transactionIdentifier
      }
    } else {
      result.sort(using: sortBy)
    }
    return fetchLimit == 0 ? result : Array(result.prefix(Int(clamping: fetchLimit)))
  }
}

extension DefaultStore: HistoryProviding {
  /// The type of the store's transactions.
  public typealias HistoryType = DefaultHistoryTransaction
  /// The type of the store's bookmarks.
  public typealias TokenType = DefaultHistoryToken

  /// Finds transactions.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try container.fetchHistory(descriptor)
  }

  /// Deletes transactions from the history; the objects stay.
  public func deleteHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws {
    try container.deleteHistory(descriptor)
  }
}
