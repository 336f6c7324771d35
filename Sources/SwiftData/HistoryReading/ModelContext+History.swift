import Format

extension ModelContext {
  /// Fetches the transactions that a descriptor selects; by default in the order of the commits.
  ///
  /// The fetch reads all stores whose history has the descriptor's type. Each transaction contains
  /// the identifier of its store.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if the predicate contains a token whose
  /// transaction was deleted from history, ``SwiftDataError/historyDiverged`` if the store was
  /// restored from a copy that is older than the token, and
  /// ``SwiftDataError/invalidTransactionFetchRequest`` if no store of the container has a history
  /// of this type, or if the token belongs to other stores.
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

  /// Deletes the selected transactions from history; objects are not changed.
  ///
  /// Tokens of deleted transactions expire: a fetch with such a token throws.
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
    return SwiftDataError(.invalidTransactionFetchRequest) {
      "No store of the container has a history with transactions of the type \(type):"
        + " \(known.isEmpty ? "none has a history" : "they have \(known.joined(separator: ", "))")."
        + "\nUse a HistoryDescriptor for a type of transaction that one of the stores provides."
    }
  }
}

extension HistoryDescriptor {
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
  /// The type of transactions; always the type of native stores.
  public typealias HistoryType = DefaultHistoryTransaction
  /// The type of tokens; always the type of native stores.
  public typealias TokenType = DefaultHistoryToken

  /// The transactions that a descriptor selects; see ``ModelContext/fetchHistory(_:)`` for errors.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try container.fetchHistory(descriptor)
  }

  /// Deletes the selected transactions from history; objects are not changed, and tokens of deleted
  /// transactions expire.
  public func deleteHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws {
    try container.deleteHistory(descriptor)
  }
}
