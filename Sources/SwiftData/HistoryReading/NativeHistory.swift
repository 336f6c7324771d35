import Format
import SQLite
import Store

struct NativeHistory: Sendable {
  let store: Store
  let past: PastSchemas

  struct Part {
    var store: Store
    /// The transactions in the requested order; their tokens contain a point of this store only.
    var transactions: [DefaultHistoryTransaction]
    /// The last transaction before the transactions that the fetch read.
    var floor: Int64
    var head: Int64
  }

  func fetch(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>,
    tokens: [DefaultHistoryToken]
  ) throws -> Part {
    try store.sealForeignChanges()
    return try store.read { reader in
      try check(tokens, reader: reader)
      let query = try HistoryQuery(descriptor, sources: sources(reader))
      let isSorted = !query.sortsInMemory
      var found: [DefaultHistoryTransaction] = []
      let limit = descriptor.fetchLimit == 0 ? Int.max : Int(clamping: descriptor.fetchLimit)
      try forEach(query, predicate: descriptor.predicate, reader: reader) { transaction in
        found.append(transaction)
        return !isSorted || found.count < limit
      }
      if !isSorted {
        found.sort(using: descriptor.sortBy)
        found = Array(found.prefix(limit))
      }
      let head = try reader.lastTransaction()
      let base = try reader.historyRange().base.transaction
      return Part(
        store: store,
        transactions: found,
        floor: min(max(query.floor, base), head),
        head: head
      )
    }
  }

  /// Calls the closure with each transaction that a query selects, until the closure returns false.
  func forEach(
    _ query: HistoryQuery,
    predicate: Predicate<DefaultHistoryTransaction>?,
    reader: Reader,
    _ body: (DefaultHistoryTransaction) throws -> Bool
  ) throws {
    do {
      let cursor = try reader.history(query.selection)
      while let next = try cursor.nextTransaction() {
        let transaction = try read(next, cursor: cursor, reader: reader)
        if query.filtersInMemory, let predicate, try !predicate.evaluate(transaction) { continue }
        guard try body(transaction) else { return }
      }
    } catch let error as SQLiteError {
      // A failure that would stop a Swift program, for example unwrapping nil, is reported as an
      // error of the query.
      throw failedFetch(of: "history", error)
    }
  }

  private func read(
    _ transaction: Transaction,
    cursor: HistoryCursor,
    reader: Reader
  ) throws -> DefaultHistoryTransaction {
    let schema = try past.schema(transaction.schema, with: reader)
    var changes: [HistoryChange] = []
    changes.reserveCapacity(Int(transaction.count))
    while let change = try cursor.nextChange() {
      changes.append(ChangeRecord(change, of: transaction, schema: schema).typed)
    }
    let point =
      try transaction.digest.map {
        HistoryPoint(lineage: store.lineage, transaction: transaction.id, digest: $0)
      } ?? reader.point(transaction.id)
    return try DefaultHistoryTransaction(
      transaction,
      changes: changes,
      point: point,
      storeIdentifier: store.identifier
    )
  }

  /// Checks that this history contains every transaction after the tokens, up to a given
  /// transaction.
  func check(
    _ tokens: [DefaultHistoryToken],
    through last: Int64 = .max,
    reader: Reader
  ) throws {
    for token in tokens {
      guard let point = token.points[store.identifier] else { continue }
      try reader.check(point, through: last)
    }
  }

  /// The tables and names that SQL uses for predicates over history.
  func sources(_ reader: Reader) throws -> SQLSources {
    SQLSources(
      table: quoted,
      storeIdentifier: store.identifier,
      pastNames: try past.renames(reader)
    )
  }
}

extension ModelContainer {
  var nativeHistories: [NativeHistory] {
    stores.compactMap(\.native).map { NativeHistory(store: $0.store, past: $0.past) }
  }

  func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    let tokens = descriptor.predicate.map { capturedTokens(in: $0) } ?? []
    try checkStores(tokens)
    do {
      let parts = try nativeHistories.map { try $0.fetch(descriptor, tokens: tokens) }
      // If there is only one store, each token already covers all earlier transactions.
      guard parts.count != 1 else { return parts[0].transactions.map { $0.with($0.token.points) } }
      var found = try HistoryMerge(parts).transactions()
      if !descriptor.sortBy.isEmpty { found.sort(using: descriptor.sortBy) }
      let limit = descriptor.fetchLimit
      return limit == 0 ? found : Array(found.prefix(Int(clamping: limit)))
    } catch let error as StoreError {
      throw SwiftDataError(error)
    }
  }

  /// Rejects tokens that belong to stores of other containers.
  func checkStores(_ tokens: [DefaultHistoryToken]) throws {
    let known = Set(nativeHistories.map(\.store.identifier))
    for token in tokens where known.isDisjoint(with: token.points.keys) {
      throw SwiftDataError(.invalidTransactionFetchRequest) {
        "The history token belongs to the stores"
          + " [\(token.points.keys.sorted().joined(separator: ", "))], but the container has the"
          + " stores [\(known.sorted().joined(separator: ", "))]."
          + "\nDiscard the token, and fetch the history without a token."
      }
    }
  }

  /// A bookmark at the head of the histories of all native stores; nil if there is no transaction.
  ///
  /// A program that reads only some transactions uses this bookmark to skip the others. It must
  /// request the bookmark before the fetch: a later bookmark would also cover transactions that
  /// were saved after the fetch.
  public func currentHistoryToken() throws -> DefaultHistoryToken? {
    var points: [String: HistoryPoint] = [:]
    var newest: (time: String, store: String)?
    do {
      for history in nativeHistories {
        let store = history.store.identifier
        try history.store.sealForeignChanges()
        try history.store.read { reader in
          let head = try reader.historyRange().head
          points[store] = head
          guard let time = try reader.transaction(head.transaction)?.time else { return }
          if newest.map({ $0 < (time, store) }) ?? true { newest = (time, store) }
        }
      }
    } catch let error as StoreError {
      throw SwiftDataError(error)
    }
    return newest.map { DefaultHistoryToken(storeIdentifier: $0.store, points: points) }
  }
}

extension DefaultHistoryTransaction {
  func with(_ points: [String: HistoryPoint]) -> DefaultHistoryTransaction {
    var copy = self
    copy.token = DefaultHistoryToken(storeIdentifier: storeIdentifier, points: points)
    return copy
  }
}
