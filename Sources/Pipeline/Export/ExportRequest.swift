import ChangeLog
import Changes
import Store

/// What is to be exported, and where to.
package struct ExportRequest: PipelineRequest, Sendable {
  /// The store's file.
  package var store: String
  /// The folder of logs.
  package var logs: LogFolder
  /// Where the token is kept; nil for its place beside the logs.
  package var token: String?
  /// An open stream to write to instead of the folder; there is no token then, unless one is named.
  package var stream: Int32?
  /// True to write the state at the end too.
  package var wantsSnapshot = false
  /// Where to end.
  package var until = Point.head
  /// How hard to compress, from 1 to 9.
  package var level = 6
  /// A file that has so many compressed bytes is ended after the transaction.
  package var maximumFileSize: Int64 = 256 << 20
  /// True to find out what would be done, and to do nothing.
  package var isDryRun = false

  /// What is left out of the logs, which then have a place and a token of their own.
  package var filter = ExportFilter()

  /// Whether the folder may get a new set of logs, although the store was exported before.
  package var startsNewFolder = false

  /// Whether to begin where the token says, wherever the logs up to there are.
  ///
  /// The store does not remember such an export.
  package var trustsToken = false

  /// Makes a request.
  package init(store: String, logs: LogFolder, token: String? = nil) {
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
package struct ExportResult: Encodable, Hashable, Sendable {
  /// The store's file.
  package var store: String
  /// The store's identifier.
  package var identifier: String
  /// What was left out of partial logs, in words; nil for whole ones.
  package var partial: String?
  /// The last transaction that was exported before.
  package var from: HistoryPoint
  /// The last transaction that is exported now.
  package var to: HistoryPoint
  /// The last transaction of the store.
  package var head: Int64
  /// The number of transactions that were exported now.
  package var transactions: Int64 = 0
  /// The number of their changes.
  package var changes: Int64 = 0
  /// The bytes of their lines.
  package var plainBytes: Int64 = 0
  /// The bytes of the files.
  package var compressedBytes: Int64 = 0
  /// The logs that were written.
  package var files: [String] = []
  /// The snapshot that was written.
  package var snapshot: String?
  /// What those who run it should know, such as that a token was rebuilt.
  package var notices: [Notice] = []
}
