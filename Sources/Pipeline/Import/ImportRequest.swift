import ChangeLog
import Changes
import Store

/// What is to be imported, and where to.
package struct ImportRequest: PipelineRequest, Sendable {
  /// The folder of logs.
  package var logs: LogFolder
  /// The store's file, which is made where there is none.
  package var store: String
  /// The store whose logs are meant; nil if the folder has those of one alone.
  package var origin: String?
  /// The lineage that is meant; nil for the latest, or that of the replica which is there.
  package var lineage: Int64?
  /// Where to end.
  package var until = Point.head
  /// True to begin with the newest snapshot instead of the beginning, where the store is made.
  package var fromSnapshot = false
  /// True to find out what would be done, and to do nothing.
  package var isDryRun = false

  /// Makes a request.
  package init(logs: LogFolder, store: String) {
    self.logs = logs
    self.store = store
  }
}

/// What an import did.
package struct ImportResult: Codable, Hashable, Sendable {
  /// The store's file.
  package var store: String
  /// The identifier of the store that the logs are of.
  package var identifier: String
  /// The last transaction that the replica had before.
  package var from: HistoryPoint
  /// The last transaction that it has now.
  package var to: HistoryPoint
  /// The transactions that were replayed.
  package var transactions: Int64 = 0
  /// Their changes.
  package var changes: Int64 = 0
  /// The objects that a snapshot brought.
  package var snapshotObjects: Int64 = 0
  /// The logs that were read.
  package var files = 0
  /// Whether the store was made.
  package var isNew = false
  /// Links that lead to nothing, as a writer that was not ours left them.
  package var danglingLinks: Int64 = 0

  /// What this run and those before it did, which went the same way.
  func added(to earlier: ImportResult?) -> ImportResult {
    guard let earlier else { return self }
    var result = self
    if earlier.to != earlier.from { result.from = earlier.from }
    result.isNew = earlier.isNew || isNew
    result.transactions += earlier.transactions
    result.changes += earlier.changes
    result.snapshotObjects += earlier.snapshotObjects
    result.files += earlier.files
    return result
  }
}
