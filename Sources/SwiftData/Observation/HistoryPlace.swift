import Format
import Store

struct HistoryFilter: Sendable {
  let entities: Set<String>
  let authors: Set<String>

  var predicate: Predicate<DefaultHistoryTransaction> {
    let entities = Array(entities)
    // The list has optional elements, because a transaction may have no author.
    let authors: [String?] = Array(authors)
    return #_Predicate<DefaultHistoryTransaction> {
      (authors.isEmpty || authors.contains($0.author))
        && (entities.isEmpty
          || $0.changes.contains { entities.contains($0.changedPersistentIdentifier.entityName) })
    }
  }

  /// Whether the filter selects a transaction that a custom store has returned.
  func selects(_ transaction: some HistoryTransaction) -> Bool {
    guard authors.isEmpty || transaction.author.map(authors.contains) ?? false else { return false }
    return entities.isEmpty
      || transaction.changes.contains {
        entities.contains($0.changedPersistentIdentifier.entityName)
      }
  }
}

/// How far an observer has read the history of one store.
enum HistoryPlace: Sendable {
  /// A native store, with the last transaction that the observer has read.
  case native(NativeHistory, HistoryPoint)
  /// A custom store with a history, with the token of the last transaction that the observer has
  /// read; nil if the observer has not read a transaction.
  case fetched(any Backend, (any Sendable)?)

  struct Finding {
    var isRelevant = false
    /// Whether another program is writing; its changes can only be read later.
    var isUnfinished = false

    mutating func add(_ other: Finding) {
      isRelevant = isRelevant || other.isRelevant
      isUnfinished = isUnfinished || other.isUnfinished
    }
  }

  mutating func advance(_ filter: HistoryFilter) throws -> Finding {
    switch self {
    case .native(let history, let point):
      let isSealed = try history.store.sealForeignChanges()
      var finding = Finding(isRelevant: false, isUnfinished: !isSealed)
      self = try history.store.read { reader in
        try reader.check(point)
        let head = try reader.historyRange().head
        guard head.transaction > point.transaction else { return self }
        finding.isRelevant = try history.hasTransaction(
          filter.predicate,
          after: point.transaction,
          through: head.transaction,
          reader: reader
        )
        return .native(history, head)
      }
      return finding
    case .fetched(let store, let token):
      let found = try store.readHistory(after: token, filter: filter)
      self = .fetched(store, found.last)
      return Finding(isRelevant: found.isRelevant)
    }
  }

  /// Continues after the last deleted transaction, if transactions were deleted before they were
  /// read.
  mutating func skipWhatIsGone() throws {
    guard case .native(let history, _) = self else { return }
    self = try history.store.read { reader in
      let base = try reader.historyRange().base.transaction
      let last = try reader.lastDeletedTransaction() ?? base
      return .native(history, try reader.point(max(base, last)))
    }
  }
}

extension NativeHistory {
  func end() throws -> HistoryPlace {
    try store.sealForeignChanges()
    return try store.read { .native(self, try $0.historyRange().head) }
  }

  func place(of token: DefaultHistoryToken) throws -> HistoryPlace {
    guard let point = token.points[store.identifier] else {
      throw HistoryPlace.wrongToken(store.identifier)
    }
    try store.read { try $0.check(point) }
    return .native(self, point)
  }

  fileprivate func hasTransaction(
    _ predicate: Predicate<DefaultHistoryTransaction>,
    after first: Int64,
    through last: Int64,
    reader: Reader
  ) throws -> Bool {
    var query = try HistoryQuery(HistoryDescriptor(predicate: predicate), sources: sources(reader))
    query.selection.limit(toAfter: first, through: last)
    guard query.filtersInMemory else {
      // The observer only needs to know whether a selected transaction exists, so changes are not
      // read.
      let found = try reader.history(query.selection).nextTransaction()
      return found != nil
    }
    var isThere = false
    try forEach(query, predicate: predicate, reader: reader) { _ in
      isThere = true
      return false
    }
    return isThere
  }
}

extension HistoryPlace {
  static func wrongToken(_ store: String) -> SwiftDataError {
    SwiftDataError(.invalidTransactionFetchRequest) {
      "No store of the container can use the token for the store \(store)."
        + "\nPass only tokens of this container's stores, each under the identifier of its store."
    }
  }
}

extension Backend {
  /// Reads the transactions after a token; `last` in the result is the token of the newest one.
  ///
  /// This function fetches all transactions and compares their tokens itself, because a predicate
  /// over tokens would need the token's type at compile time, and only the store has that type.
  fileprivate func readHistory(
    after token: (any Sendable)?,
    filter: HistoryFilter
  ) throws -> (isRelevant: Bool, last: (any Sendable)?) {
    func read<H: HistoryTransaction>(_: H.Type) throws -> (Bool, (any Sendable)?) {
      let last = token as? H.TokenType
      let found = try fetchHistory(HistoryDescriptor<H>()) ?? []
      let new = found.filter { transaction in last.map { transaction.token > $0 } ?? true }
      return (new.contains(where: filter.selects), new.map(\.token).max() ?? last)
    }
    return try historyType.map { try read($0) } ?? (false, nil)
  }

  /// The position at the end of the history; nil if the store does not have a history.
  func endOfHistory() throws -> HistoryPlace? {
    guard historyType != nil else { return nil }
    let nothing = HistoryFilter(entities: [], authors: [])
    return .fetched(self, try readHistory(after: nil, filter: nothing).last)
  }

  func place(of token: any HistoryToken) throws -> HistoryPlace? {
    func isOfStore<H: HistoryTransaction>(_: H.Type) -> Bool { token is H.TokenType }
    guard let historyType else { return nil }
    guard isOfStore(historyType) else { throw HistoryPlace.wrongToken(identifier) }
    return .fetched(self, token)
  }
}
