package enum LogDestination: Sendable {
  /// A log in the folder of the day, in UTC, of its first transaction.
  case day(String, LogFolder)
  /// A snapshot, which is in the folder of its lineage beside the folders of the days.
  case snapshot(LogFolder)
  case replacing(String, LogFolder)
  /// An open stream, which the caller must close; messages show the name.
  case stream(Int32, name: String)

  var isStream: Bool {
    if case .stream = self { true } else { false }
  }

  var isReplacing: Bool {
    if case .replacing = self { true } else { false }
  }

  /// The log folder that will contain the log; nil for a stream.
  var folder: LogFolder? {
    switch self {
    case .day(_, let folder), .snapshot(let folder), .replacing(_, let folder): folder
    case .stream: nil
    }
  }

  /// The path of a log while it is incomplete.
  ///
  /// The temporary file of a lineage always has the same path, because only one program at a time
  /// writes logs to a folder. Therefore a new run overwrites the temporary file of an interrupted
  /// run.
  func temporary(_ header: LogHeader) throws -> String {
    switch self {
    case .day(_, let folder), .snapshot(let folder), .replacing(_, let folder):
      let lineage = folder.lineageFolder(header.store, lineage: header.lineage)
      try makeFolders(lineage)
      return lineage + "/.writing"
    case .stream(_, let name): return name
    }
  }

  /// The path of a log after it is complete.
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
