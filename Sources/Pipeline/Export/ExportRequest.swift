public import ChangeLog
public import Store

/// What is to be exported, and where to.
public struct ExportRequest: Sendable {
  /// The store's file.
  public var store: String
  /// The folder of logs.
  public var logs: LogFolder
  /// Where the token is kept; nil for its place beside the logs.
  public var token: String?
  /// An open stream to write to instead of the folder; there is no token then, unless one is named.
  public var stream: Int32?
  /// True to write the state at the end too.
  public var wantsSnapshot = false
  /// Where to end.
  public var until = Point.head
  /// How hard to compress, from 1 to 9.
  public var level = 6
  /// A file that has so many compressed bytes is ended after the transaction.
  public var maximumFileSize: Int64 = 256 << 20
  /// True to find out what would be done, and to do nothing.
  public var isDryRun = false

  /// What is left out of the logs, which then have a place and a token of their own.
  public var filter = ExportFilter()

  /// True to begin where the token says, wherever the logs up to there are.
  var trustsToken = false

  /// Makes a request.
  public init(store: String, logs: LogFolder, token: String? = nil) {
    self.store = store
    self.logs = logs
    self.token = token
  }
}

extension ExportRequest {
  /// The name that a store has in a token: another one for logs that have something left out, which
  /// come up to points of their own.
  func tokenName(_ identifier: String) -> String {
    identifier + (logs.partial.map { "/partial=\($0)" } ?? "")
  }
}

/// What an export did.
public struct ExportResult: Hashable, Sendable {
  /// The store's file.
  public var store: String
  /// The store's identifier.
  public var identifier: String
  /// The last transaction that was exported before.
  public var from: HistoryPoint
  /// The last transaction that is exported now.
  public var to: HistoryPoint
  /// The last transaction of the store.
  public var head: Int64
  /// The number of transactions that were exported now.
  public var transactions: Int64 = 0
  /// The number of their changes.
  public var changes: Int64 = 0
  /// The bytes of their lines.
  public var plainBytes: Int64 = 0
  /// The bytes of the files.
  public var compressedBytes: Int64 = 0
  /// The logs that were written.
  public var files: [String] = []
  /// The snapshot that was written.
  public var snapshot: String?
  /// What those who run it should know, such as that a token was rebuilt.
  public var notices: [String] = []
}
