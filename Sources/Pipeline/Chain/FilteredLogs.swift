import ChangeLog
import Format

/// The error that a history, given by its name, lacks what a filter left out.
func filteredHistory(_ filter: String, of name: String, path: String) -> LogError {
  LogError(.filtered, path) {
    "\(name) is filtered (\(filter)), so it does not show the whole state of a store."
      + "\nName unfiltered logs, or the store."
  }
}

/// The logs of one store and one filter, with their name and their files.
struct FilteredLogs {
  let folder: LogFolder
  let name: String
  /// A description of what the filter leaves out; the name of the logs if no log can be read.
  let words: String
  /// The logs of all lineages.
  let files: [LogFolder.File]

  static func all(of store: String, in logs: LogFolder) throws -> [FilteredLogs] {
    try logs.partials(of: store).map {
      try FilteredLogs(logs.partial(named: $0), name: $0, store: store)
    }
  }

  private init(_ folder: LogFolder, name: String, store: String) throws {
    self.folder = folder
    self.name = name
    files = try folder.lineages(of: store).flatMap { try folder.files(of: store, lineage: $0) }
    // If a log can't be read, the commands that read the log report the error.
    words = files.last.flatMap { try? LogReader(path: $0.path).header.partial } ?? name
  }

  /// The last transaction of the store according to the token.
  func exported(of store: String) throws -> HistoryPoint? {
    try readToken(folder.token(of: store))?.points["\(store)/partial=\(name)"]
  }
}
