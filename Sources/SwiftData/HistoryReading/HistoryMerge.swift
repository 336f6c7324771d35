import Format
import Store

/// Merges the transactions of several stores, and gives each transaction a token that covers all
/// stores.
///
/// Transactions are ordered by time, then by store. The transactions of one store are always in the
/// order of their ids, whatever their times are. For the other stores, the token of a transaction
/// covers everything that precedes the transaction in the list. So a later token never covers less
/// than an earlier one, and the fetch has read all that a token covers. A reader that continues
/// from any of these tokens receives each transaction exactly once.
struct HistoryMerge {
  private let parts: [NativeHistory.Part]

  init(_ parts: [NativeHistory.Part]) {
    self.parts = parts.map { part in
      var part = part
      part.transactions.sort { $0.transactionIdentifier < $1.transactionIdentifier }
      return part
    }
  }

  func transactions() throws -> [DefaultHistoryTransaction] {
    let merged = merged()
    var points = [[String: HistoryPoint]](repeating: [:], count: merged.count)
    for part in parts {
      for (index, point) in try self.points(of: part, at: merged).enumerated() {
        points[index][part.store.identifier] = point
      }
    }
    return zip(merged, points).map { $0.with($1) }
  }

  private func merged() -> [DefaultHistoryTransaction] {
    var rest = parts.map { $0.transactions[...] }
    var result: [DefaultHistoryTransaction] = []
    result.reserveCapacity(rest.reduce(0) { $0 + $1.count })
    while true {
      let next = rest.indices
        .compactMap { index in rest[index].first.map { (index, $0.time, $0.storeIdentifier) } }
        .min { ($0.1, $0.2) < ($1.1, $1.2) }
      guard let next, let transaction = rest[next.0].popFirst() else { return result }
      result.append(transaction)
    }
  }

  private func points(
    of part: NativeHistory.Part,
    at list: [DefaultHistoryTransaction]
  ) throws -> [HistoryPoint] {
    let store = part.store.identifier
    var own = part.transactions[...]
    return try part.store.read { reader in
      var point = try reader.point(part.floor)
      return try list.map { transaction in
        if transaction.storeIdentifier == store {
          own = own.dropFirst()
          if let given = transaction.token.points[store] { point = given }
          return point
        }
        let end = own.first.map { $0.transactionIdentifier - 1 } ?? part.head
        guard point.transaction < end else { return point }
        let last = try reader.lastTransaction(
          beforeTime: transaction.time,
          orAt: store < transaction.storeIdentifier,
          from: point.transaction,
          through: end
        )
        if last != point.transaction { point = try reader.point(last) }
        return point
      }
    }
  }
}
