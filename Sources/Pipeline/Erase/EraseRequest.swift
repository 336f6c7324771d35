import ChangeLog
import Format

package struct EraseRequest: Sendable {
  package var logs: LogFolder
  /// The identifier of the store whose logs are rewritten; nil if the folder has the logs of only
  /// one store.
  package var origin: String?
  package var entity: String
  package var object: ObjectID
  /// The properties whose values are erased; if empty, the values of all properties are erased.
  package var attributes: [String] = []
  /// The attributes that are erased with those of the caller, because SQLite computes them from
  /// others.
  var implied: Set<String> = []
  /// The path of a store, to erase the values also from its history; nil to erase only from logs.
  package var store: String?
  package var author: String?
  package var reason: String?
  /// Whether to find out what would be erased, without changing anything.
  package var isDryRun = false

  package init(logs: LogFolder, entity: String, object: ObjectID) {
    self.logs = logs
    self.entity = entity
    self.object = object
  }
}

package struct EraseResult: Codable, Hashable, Sendable {
  package var store: String
  /// The number of erased values in logs and snapshots.
  package var values: Int64 = 0
  /// The number of transactions that contained the erased values.
  package var transactions: Int64 = 0
  /// The logs and snapshots that were rewritten.
  package var files: [String] = []
  /// The number of large values whose files were removed.
  package var largeValues = 0
  /// The number of transactions in the store's history that lost values; nil if the store was not
  /// changed.
  package var storeTransactions: Int64?
}

extension EraseMark {
  init(_ request: EraseRequest) {
    entity = request.entity
    id = request.object
    attributes = request.attributes.sorted()
    hasStore = request.store != nil
    largeValues = []
  }
}
