public import ChangeLog

/// Whose values are to be erased from logs, and why.
public struct EraseRequest: Sendable {
  /// The folder of logs.
  public var logs: LogFolder
  /// The identifier of the store whose logs are meant; nil where the folder has those of one alone.
  public var origin: String?
  /// The object's entity.
  public var entity: String
  /// The object's id.
  public var object: Int64
  /// The properties whose values go; all where there are none.
  public var attributes: [String] = []
  /// The store's file, whose history is to be without the values too; nil to leave it as it is.
  public var store: String?
  /// Who does it, as the records will say.
  public var author: String?
  /// Why, as the records will say.
  public var reason: String?
  /// True to find out what would be done, and to do nothing.
  public var isDryRun = false

  /// Makes a request.
  public init(logs: LogFolder, entity: String, object: Int64) {
    self.logs = logs
    self.entity = entity
    self.object = object
  }
}

/// What was erased.
public struct EraseResult: Hashable, Sendable {
  /// The store's identifier.
  public var store: String
  /// The number of values that logs and snapshots had.
  public var values: Int64 = 0
  /// The number of transactions that had them.
  public var transactions: Int64 = 0
  /// The logs and snapshots that were written anew.
  public var files: [String] = []
  /// The number of large values that were taken away with their files.
  public var largeValues = 0
  /// The number of transactions of the store's history whose values were erased; nil where the store
  /// was left as it is.
  public var storeTransactions: Int64?
}
