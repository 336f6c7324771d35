import Format
import Store

/// The transactions of a container's native stores, as a sequence that reads each transaction when
/// it is requested.
///
/// ```swift
/// let new: HistoryTransactions = container.history(after: token, following: true)
/// for try await transaction in new {
///   token = transaction.token
/// }
/// ```
public struct HistoryTransactions: AsyncSequence, Sendable {
  /// A transaction; all its changes are in the same store.
  public typealias Element = DefaultHistoryTransaction

  let container: ModelContainer
  let token: DefaultHistoryToken?
  let predicate: Predicate<DefaultHistoryTransaction>?
  let follows: Bool
  let interval: Duration

  /// Iterates over the transactions; at most 100 transactions of each store are in memory.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let sequence: HistoryTransactions
    private var walk: HistoryWalk?

    fileprivate init(_ sequence: HistoryTransactions) { self.sequence = sequence }

    /// The next transaction.
    ///
    /// Returns nil at the head, unless the sequence follows the history. Also returns nil if the
    /// task is cancelled.
    public mutating func next() async throws -> DefaultHistoryTransaction? {
      guard !Task.isCancelled else { return nil }
      do {
        let walk = try self.walk ?? HistoryWalk(sequence)
        self.walk = walk
        while true {
          if let next = try walk.next() { return next }
          guard sequence.follows else { return nil }
          do { try await Task.sleep(for: sequence.interval) } catch { return nil }
          try walk.lookForMore()
        }
      } catch let error as StoreError {
        throw SwiftDataError(error)
      }
    }
  }

  /// Creates an iterator; nothing is read before its first step.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension ModelContainer {
  /// The transactions after a token, or all transactions, as an asynchronous sequence.
  ///
  /// The sequence ends at the head that the history has at the first request. If `following` is
  /// true, the sequence does not end: it continues with later commits of all contexts and processes
  /// until its task is cancelled. At the given interval, the sequence asks the stores for commits,
  /// which costs very little.
  ///
  /// Only a few transactions are in memory at a time. The sequence throws the same errors as
  /// ``ModelContext/fetchHistory(_:)``, for example if transactions are deleted before they are
  /// read.
  public func history(
    after token: DefaultHistoryToken? = nil,
    where predicate: Predicate<DefaultHistoryTransaction>? = nil,
    following: Bool = false,
    interval: Duration = .milliseconds(100)
  ) -> HistoryTransactions {
    HistoryTransactions(
      container: self,
      token: token,
      predicate: predicate,
      follows: following,
      interval: interval
    )
  }
}

/// Reads the histories of several stores step by step, and stores a position in each history.
private final class HistoryWalk {
  /// The number of transactions that are read ahead from a store.
  private static let batch = 100

  private struct Place {
    var history: NativeHistory
    var point: HistoryPoint
    /// Whether the reading began at a token, in which case a missing later transaction is an error.
    let isAfterToken: Bool
    /// The last transaction that may be read before the store is asked for its head again.
    var head: Int64
    var ahead: ArraySlice<DefaultHistoryTransaction> = []
    var watch: CommitWatch?
    /// Whether changes of other programs are sealed; if not, sealing must be retried.
    var isSealed: Bool
  }

  private let descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  private let tokens: [DefaultHistoryToken]
  private var places: [Place] = []

  init(_ sequence: HistoryTransactions) throws {
    descriptor = HistoryDescriptor(predicate: sequence.predicate)
    let captured = sequence.predicate.map { capturedTokens(in: $0) } ?? []
    tokens = captured
    try sequence.container.checkStores(captured + (sequence.token.map { [$0] } ?? []))
    for history in sequence.container.nativeHistories {
      let watch = sequence.follows ? try history.store.watch() : nil
      // The watch reports later commits; this call discards its first report.
      _ = try watch?.hasChanged()
      let isSealed = try history.store.sealForeignChanges()
      let place = try history.store.read { reader in
        let given = sequence.token?.points[history.store.identifier]
        try history.check(captured + (sequence.token.map { [$0] } ?? []), reader: reader)
        return Place(
          history: history,
          point: try given ?? reader.historyRange().base,
          isAfterToken: given != nil,
          head: try reader.lastTransaction(),
          watch: watch,
          isSealed: isSealed
        )
      }
      places.append(place)
    }
  }

  func lookForMore() throws {
    for index in places.indices {
      // Sealing must be retried even without a commit, because the writer that prevented it may
      // have rolled back.
      let hasChanged = try places[index].watch?.hasChanged() ?? false
      guard hasChanged || !places[index].isSealed else { continue }
      let store = places[index].history.store
      places[index].isSealed = try store.sealForeignChanges()
      places[index].head = try store.read { try $0.lastTransaction() }
    }
  }

  func next() throws -> DefaultHistoryTransaction? {
    for index in places.indices where places[index].ahead.isEmpty { try read(index) }
    let first = places.indices
      .compactMap { index in
        places[index].ahead.first.map { (index, $0.time, $0.storeIdentifier) }
      }
      .min { ($0.1, $0.2) < ($1.1, $1.2) }
    guard let first, let transaction = places[first.0].ahead.popFirst() else { return nil }
    let store = transaction.storeIdentifier
    if let point = transaction.token.points[store] {
      places[first.0].point = point
    }
    return transaction.with(
      Dictionary(
        places.map { ($0.history.store.identifier, $0.point) },
        uniquingKeysWith: { first, _ in first }
      )
    )
  }

  private func read(_ index: Int) throws {
    let place = places[index]
    guard place.point.transaction < place.head else { return }
    let history = place.history
    try history.store.read { reader in
      // When the reading began, this walk checked that no transaction after the tokens was deleted.
      // So only the points of the tokens are checked here.
      try history.check(tokens, through: 0, reader: reader)
      var query = try HistoryQuery(descriptor, sources: history.sources(reader))
      query.selection.limit(toAfter: place.point.transaction, through: place.head)
      var found: [DefaultHistoryTransaction] = []
      try history.forEach(query, predicate: descriptor.predicate, reader: reader) { transaction in
        found.append(transaction)
        return found.count < Self.batch
      }
      let last = found.last?.transactionIdentifier ?? place.head
      try reader.check(place.point, through: place.isAfterToken ? last : 0)
      places[index].ahead = found[...]
      // The position also moves past transactions that the predicate excludes.
      if found.isEmpty { places[index].point = try reader.point(place.head) }
    }
  }
}
