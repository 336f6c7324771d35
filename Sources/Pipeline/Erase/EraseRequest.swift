import ChangeLog

/// Whose values are to be erased from logs, and why.
package struct EraseRequest: Sendable {
  /// The folder of logs.
  package var logs: LogFolder
  /// The identifier of the store whose logs are meant; nil if the folder has those of one alone.
  package var origin: String?
  /// The object's entity.
  package var entity: String
  /// The object's id.
  package var object: Int64
  /// The properties whose values are erased; empty for all.
  package var attributes: [String] = []
  /// The store's file, whose history is to be without the values too; nil to leave it as it is.
  package var store: String?
  /// Who does it, as the records will say.
  package var author: String?
  /// Why, as the records will say.
  package var reason: String?
  /// True to find out what would be done, and to do nothing.
  package var isDryRun = false

  /// Makes a request.
  package init(logs: LogFolder, entity: String, object: Int64) {
    self.logs = logs
    self.entity = entity
    self.object = object
  }
}

/// What was erased.
package struct EraseResult: Codable, Hashable, Sendable {
  /// The store's identifier.
  package var store: String
  /// The number of values that logs and snapshots had.
  package var values: Int64 = 0
  /// The number of transactions that had them.
  package var transactions: Int64 = 0
  /// The logs and snapshots that were rewritten.
  package var files: [String] = []
  /// The number of large values that were taken away with their files.
  package var largeValues = 0
  /// The number of transactions of the store's history whose values were erased; nil if the store
  /// was left as it is.
  package var storeTransactions: Int64?
}

extension EraseMark {
  /// The mark of an erasure that is about to begin.
  init(_ request: EraseRequest) {
    entity = request.entity
    id = request.object
    attributes = request.attributes.sorted()
    hasStore = request.store != nil
    largeValues = []
  }
}
