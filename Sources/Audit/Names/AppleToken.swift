import Format
import Pipeline

extension History {
  /// The last transaction that a history token of Core Data or SwiftData covers.
  ///
  /// The token has the app's number of a transaction for each store.
  func last(coveredBy token: [String: Int64]) throws -> Int64 {
    guard outline.schema.hasUnknownValues == true else {
      throw PipelineError(.misuse) {
        "\(name) is not the history of a store of Core Data or SwiftData, so no token of such a store"
          + " covers it.\nGive a time as --since."
      }
    }
    guard let number = token[outline.store] else {
      throw PipelineError(.otherStore) {
        "The token is of another store: it has \(token.keys.sorted().joined(separator: " and ")),"
          + " and \(name) has the store \(outline.store).\nName the store or the logs of the token."
      }
    }
    var newest: Int64?
    var oldest: (id: Int64, number: Int64)?
    var found: Int64?
    var stretches = try NewestFirst(self, only: nil, object: nil)
    while found == nil, let stretch = stretches.next(after: 0) {
      var first: (id: Int64, number: Int64)?
      try source.read(stretch, wants: { _ in false }, change: { _, _ in }) { transaction in
        guard let own = transaction.apple?.transaction else { return }
        first = first ?? (transaction.id, own)
        newest = max(newest ?? own, own)
        if own <= number { found = transaction.id }
      }
      oldest = first ?? oldest
    }
    if let newest, number > newest, isAtHead {
      throw PipelineError(.historyDiverged) {
        "The token covers the app's transaction \(number), but \(name) ends with transaction"
          + " \(newest).\nName a newer copy, or export one to the logs."
      }
    }
    if let found { return found }
    guard let oldest else { return last }
    guard oldest.number <= number + 1 else {
      throw PipelineError(.historyExpired) {
        "The token ends with the app's transaction \(number), and \(name) begins with transaction"
          + " \(oldest.number): the app deleted the transactions between them."
          + "\nName the logs of earlier exports, or leave out --since."
      }
    }
    return oldest.id - 1
  }
}
