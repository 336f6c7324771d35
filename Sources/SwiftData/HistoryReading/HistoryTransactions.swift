import Changes
import Store

/// The transactions of all of SwiftData's own stores of a container, one after the other, read as
/// they are asked for.
///
/// ```swift
/// for try await transaction in container.history(after: token, following: true) {
///   handle(transaction)
///   token = transaction.token
/// }
/// ```
public struct HistoryTransactions: AsyncSequence, Sendable {
  /// A transaction.
  public typealias Element = DefaultHistoryTransaction

  let container: ModelContainer
  let token: DefaultHistoryToken?
  let predicate: Predicate<DefaultHistoryTransaction>?
  let follows: Bool
  let interval: Duration

  /// Goes through the transactions.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let sequence: HistoryTransactions
    private var walk: HistoryWalk?

    fileprivate init(_ sequence: HistoryTransactions) { self.sequence = sequence }

    /// The next transaction; nil at the head, unless new ones are waited for, and nil when the task
    /// is cancelled.
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

  /// Makes an iterator; nothing is read before its first step.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension ModelContainer {
  /// The transactions after a token, or all, as an asynchronous sequence.
  ///
  /// It ends at the head, as that is when the first one is asked for. One that follows does not end:
  /// it goes on with what other contexts and processes commit, until its task is cancelled. It asks
  /// the stores, at the given interval, whether there was a commit, which costs next to nothing.
  ///
  /// Few transactions are held at a time. Its errors are those of
  /// ``ModelContext/fetchHistory(_:)``; so it throws if history is deleted that it has not yet come
  /// to.
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

/// A walk through the histories of several stores, which knows how far it has come in each.
private final class HistoryWalk {
  /// The most transactions that are read ahead from a store.
  private static let batch = 100

  private struct Place {
    var history: NativeHistory
    var point: HistoryPoint
    /// Whether the walk began at a token, after which no transaction may be missing.
    let isAfterToken: Bool
    /// The last transaction that the walk goes to for now.
    var head: Int64
    var ahead: ArraySlice<DefaultHistoryTransaction> = []
    var watch: CommitWatch?
    /// False while there may be changes of other programs that somebody is still to seal.
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
      // What is committed from here on is told by the watch.
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

  /// Learns how far the stores have come.
  func lookForMore() throws {
    for index in places.indices {
      // Whoever kept us from sealing may go without a commit.
      let hasChanged = try places[index].watch?.hasChanged() ?? false
      guard hasChanged || !places[index].isSealed else { continue }
      let store = places[index].history.store
      places[index].isSealed = try store.sealForeignChanges()
      places[index].head = try store.read { try $0.lastTransaction() }
    }
  }

  /// The next transaction; nil at the head.
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

  /// Reads what comes next in a store.
  private func read(_ index: Int) throws {
    let place = places[index]
    guard place.point.transaction < place.head else { return }
    let history = place.history
    try history.store.read { reader in
      // Transactions that were deleted after a token were looked for when the walk began.
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
      // What the predicate leaves out is behind us too.
      if found.isEmpty { places[index].point = try reader.point(place.head) }
    }
  }
}
