import Format
import Store

extension ModelContainer {
  func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    let tokens = descriptor.predicate.map { capturedTokens(in: $0) } ?? []
    try checkStores(tokens)
    do {
      guard descriptor.fetchLimit == 0 else { return try deleteFirst(descriptor) }
      for history in nativeHistories {
        try history.store.sealForeignChanges()
        let ranges = try history.ranges(descriptor, tokens: tokens)
        if !ranges.isEmpty { try history.store.deleteHistory(ranges) }
      }
    } catch let error as StoreError {
      throw SwiftDataError(error)
    }
  }

  /// Deletes the transactions that come first in a descriptor's order, up to the descriptor's
  /// limit.
  private func deleteFirst(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws {
    let found = try fetchHistory(descriptor)
    for history in nativeHistories {
      var ranges: [ClosedRange<Int64>] = []
      for transaction in found where transaction.storeIdentifier == history.store.identifier {
        ranges.append(transaction.id...transaction.id)
      }
      ranges.sort { $0.lowerBound < $1.lowerBound }
      if !ranges.isEmpty { try history.store.deleteHistory(ranges) }
    }
  }
}

extension NativeHistory {
  fileprivate func ranges(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>,
    tokens: [DefaultHistoryToken]
  ) throws -> [ClosedRange<Int64>] {
    try store.read { reader in
      do {
        try check(tokens, reader: reader)
      } catch let error as StoreError where error.code == .historyExpired {
        // The error is ignored: the transactions that a token covers can be deleted even if the
        // token's own transaction no longer exists.
      }
      let unordered = HistoryDescriptor(predicate: descriptor.predicate)
      let query = try HistoryQuery(unordered, sources: sources(reader))
      var ranges: [ClosedRange<Int64>] = []
      func add(_ id: Int64) {
        if let last = ranges.last, last.upperBound == id - 1 {
          ranges[ranges.count - 1] = last.lowerBound...id
        } else {
          ranges.append(id...id)
        }
      }
      guard !query.filtersInMemory else {
        try forEach(query, predicate: descriptor.predicate, reader: reader) { transaction in
          add(transaction.id)
          return true
        }
        return ranges
      }
      let cursor = try reader.history(query.selection)
      while let transaction = try cursor.nextTransaction() { add(transaction.id) }
      return ranges
    }
  }
}
