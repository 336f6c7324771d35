import ChangeLog
import Format

package struct ExportRequest: Sendable {
  package var store: String
  package var logs: LogFolder
  /// The path of the token; nil for the token beside the logs.
  package var token: String?
  /// An open stream that receives the logs; nil to write the logs to the folder.
  ///
  /// An export to a stream uses a token only if ``token`` names one.
  package var stream: Int32?
  /// Whether the export writes a snapshot of the store after the last transaction.
  package var wantsSnapshot = false
  package var until = Point.head
  /// The compression level, from 1 to 9.
  package var level = 6
  /// The size in compressed bytes at which a log ends.
  ///
  /// The transaction that reaches the maximum size is the last transaction of its log.
  package var maximumFileSize: Int64 = 256 << 20
  /// Whether to find out what would be exported, without writing.
  package var isDryRun = false

  /// Whether a store of Core Data whose model can only be guessed is an error.
  package var isStrict = false

  /// The filter of the export, which leaves parts out of the logs.
  ///
  /// Filtered logs have a folder and a token for each filter.
  package var filter = ExportFilter()

  /// Whether to start a new log folder, although the store was exported before.
  ///
  /// A new log folder must not contain logs of the store.
  package var startsNewFolder = false

  /// Whether to begin at the token, even if the earlier logs are not in the folder.
  ///
  /// An export to standard output writes no exported mark in the store.
  package var trustsToken = false

  package init(store: String, logs: LogFolder, token: String? = nil) {
    self.store = store
    self.logs = logs
    self.token = token
  }
}

extension ExportRequest {
  /// The name under which a token contains the point of a store.
  ///
  /// A token contains a name for each filter, because the logs of different filters can end at
  /// different transactions.
  func tokenName(_ identifier: String) -> String {
    identifier + (logs.partial.map { "/partial=\($0)" } ?? "")
  }
}

package struct ExportResult: Encodable, Hashable, Sendable {
  package var store: String
  package var identifier: String
  /// What a filter left out, in words; nil if the logs are not filtered.
  package var filter: String?
  /// The last transaction that earlier runs exported.
  package var from: HistoryPoint
  /// The last transaction that this run exported.
  package var to: HistoryPoint
  /// The last transaction of the store.
  package var head: Int64
  package var transactions: Int64 = 0
  package var changes: Int64 = 0
  /// The number of bytes in the exported lines.
  package var plainBytes: Int64 = 0
  /// The number of bytes in the files.
  package var compressedBytes: Int64 = 0
  package var files: [String] = []
  package var snapshot: String?
  /// Messages for the user, for example that a token was rebuilt.
  package var notices: [Finding] = []
}
