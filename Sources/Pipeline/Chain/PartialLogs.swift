import ChangeLog
import Changes
import Store

/// The partial logs of a store in a folder, with what is known of each.
struct PartialLogs {
  /// Where they are.
  let folder: LogFolder
  /// Their name in the folder.
  let name: String
  /// What was left out of them, in words; the name where no log says so.
  let words: String
  /// All of them, of any lineage.
  let files: [LogFolder.File]

  /// All that a store has in a folder.
  static func all(of store: String, in logs: LogFolder) throws -> [PartialLogs] {
    try logs.partials(of: store).map {
      try PartialLogs(logs.partial(named: $0), name: $0, store: store)
    }
  }

  private init(_ folder: LogFolder, name: String, store: String) throws {
    self.folder = folder
    self.name = name
    files = try folder.lineages(of: store).flatMap { try folder.files(of: store, lineage: $0) }
    // What is wrong with a log is for those to say who read it.
    words = files.last.flatMap { try? LogReader(path: $0.path).header.partial } ?? name
  }

  /// How far the token of a store is.
  func exported(of store: String) throws -> HistoryPoint? {
    try readToken(folder.token(of: store))?.points["\(store)/partial=\(name)"]
  }
}
