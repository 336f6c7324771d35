import Glibc

/// Where a log is written to.
package enum LogDestination: Sendable {
  /// A file below a folder, by the day of its first transaction in UTC.
  case day(String, LogFolder)
  /// A file of the state after a transaction, beside those of the days.
  case snapshot(LogFolder)
  /// A file that is there, in whose place it comes.
  case replacing(String, LogFolder)
  /// An open stream, which the caller closes; the name is for messages.
  case stream(Int32, name: String)

  var isStream: Bool {
    if case .stream = self { true } else { false }
  }

  /// Whether a file that is there is written over.
  var isReplacing: Bool {
    if case .replacing = self { true } else { false }
  }

  /// The folder of logs; nil for a stream.
  var folder: LogFolder? {
    switch self {
    case .day(_, let folder), .snapshot(let folder), .replacing(_, let folder): folder
    case .stream: nil
    }
  }

  /// The name that a log has until it is whole.
  ///
  /// There is one for each lineage, because one program at a time writes logs into a folder; what
  /// another left there, which was stopped, is written over.
  func temporary(_ header: LogHeader) throws -> String {
    switch self {
    case .day(_, let folder), .snapshot(let folder), .replacing(_, let folder):
      let lineage = folder.lineageFolder(header.store, lineage: header.lineage)
      try makeFolders(lineage)
      return lineage + "/.writing"
    case .stream(_, let name): return name
    }
  }

  /// The name that a whole log has.
  func path(_ header: LogHeader, last: Int64) -> String {
    switch self {
    case .day(let day, let folder):
      let name = LogName(
        store: header.store,
        lineage: header.lineage,
        day: day,
        range: header.first...last
      )
      return folder.lineageFolder(header.store, lineage: header.lineage) + "/date=\(day)/"
        + name.file
    case .snapshot(let folder):
      let lineage = folder.lineageFolder(header.store, lineage: header.lineage)
      return "\(lineage)/snapshots/\(padded(header.first)).ndjson.gz"
    case .replacing(let path, _): return path
    case .stream(_, let name): return name
    }
  }
}
