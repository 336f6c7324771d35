import ChangeLog
import Changes

package struct ExportRequest: PipelineRequest, Sendable {
  package var store: String
  package var logs: LogFolder
  /// Nil for the token beside the logs.
  package var token: String?
  /// An open stream, to which logs are written instead of the folder.
  ///
  /// A stream has no token unless a token file is named.
  package var stream: Int32?
  /// Whether to also write the state at the end of the export.
  package var wantsSnapshot = false
  package var until = Point.head
  /// The compression level, from 1 to 9.
  package var level = 6
  /// A file of at least this many compressed bytes ends after its transaction.
  package var maximumFileSize: Int64 = 256 << 20
  /// Whether to find out what would be exported, without writing.
  package var isDryRun = false

  /// The parts that are left out of the logs, which then have their own folder and token.
  package var filter = ExportFilter()

  /// Whether the folder may get new logs, although the store was exported before.
  package var startsNewFolder = false

  /// Whether to begin at the token, even if the earlier logs are elsewhere.
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
  /// The name of a store in a token.
  ///
  /// Filtered logs have another name there, because they end at other points.
  func tokenName(_ identifier: String) -> String {
    identifier + (logs.partial.map { "/partial=\($0)" } ?? "")
  }
}

package struct ExportResult: Encodable, Hashable, Sendable {
  package var store: String
  package var identifier: String
  /// What a filter left out, in words; nil for whole logs.
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
  package var notices: [Notice] = []
}
