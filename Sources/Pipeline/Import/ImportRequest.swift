public import ChangeLog
public import Store

/// What is to be imported, and where to.
public struct ImportRequest: Sendable {
  /// The folder of logs.
  public var logs: LogFolder
  /// The store's file, which is made where there is none.
  public var store: String
  /// The store whose logs are meant; nil where the folder has those of one alone.
  public var origin: String?
  /// The lineage that is meant; nil for the latest, or that of the replica which is there.
  public var lineage: Int64?
  /// Where to end.
  public var until = Point.head
  /// True to begin with the newest snapshot instead of the beginning, where the store is made.
  public var fromSnapshot = false
  /// True to find out what would be done, and to do nothing.
  public var isDryRun = false

  /// Makes a request.
  public init(logs: LogFolder, store: String) {
    self.logs = logs
    self.store = store
  }
}

/// What an import did.
public struct ImportResult: Hashable, Sendable {
  /// The store's file.
  public var store: String
  /// The identifier of the store that the logs are of.
  public var identifier: String
  /// The last transaction that the replica had before.
  public var from: HistoryPoint
  /// The last transaction that it has now.
  public var to: HistoryPoint
  /// The transactions that were replayed.
  public var transactions: Int64 = 0
  /// Their changes.
  public var changes: Int64 = 0
  /// The objects that a snapshot brought.
  public var snapshotObjects: Int64 = 0
  /// The logs that were read.
  public var files = 0
  /// True where the store was made.
  public var isNew = false
  /// Links that lead to nothing, as a writer that was not ours left them.
  public var danglingLinks: Int64 = 0

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
