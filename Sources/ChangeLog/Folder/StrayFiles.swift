import Format
import FoundationEssentials

extension LogFolder {
  /// Finds the links, pipes, devices and sockets that are directly in the folder, among the large
  /// values, or in the tree of all stores, and a file with the name `blobs`.
  ///
  /// Other regular files such as `store=….tar.gz` are not reported, because no reader takes them for
  /// logs.
  package func strays() throws -> [LogError] {
    guard sources.isEmpty else { return [] }
    var result = try entries(path).filter {
      $0.kind.isSpecial || $0.kind == .file && $0.name == "blobs"
    }
    .map { stray($0, in: path) }
    for name in ["blobs", "_tree"] { try findSpecial(in: "\(path)/\(name)", &result) }
    return result
  }

  /// Finds the links, pipes, devices and sockets in a folder and in its subfolders.
  private func findSpecial(in folder: String, _ result: inout [LogError]) throws {
    for entry in try entries(folder) {
      if entry.kind.isSpecial { result.append(stray(entry, in: folder)) }
      if entry.kind == .folder { try findSpecial(in: "\(folder)/\(entry.name)", &result) }
    }
  }

  /// Finds the files in a store's folder that readers would take for logs, but that are not logs in
  /// the right folder.
  ///
  /// Readers of tables look for `store=*/lineage=*/date=*/*.ndjson.gz`. Pipes, devices and links
  /// with such a name are stray files too. A log of another store, lineage or day is not reported
  /// here, because reading the log shows the error.
  package func strays(of store: String) throws -> [LogError] {
    guard sources.isEmpty else { return [] }
    var result: [LogError] = []
    let isStore = UUID(uuidString: store)?.uuidString == store
    for entry in try entries(storeFolder(store)) {
      let isLineage = LogName.lineage(String(entry.name.dropFirst(8))) != nil
      let isPlace = isStore && isLineage && entry.name.hasPrefix("lineage=")
      try find(entry, in: storeFolder(store), depth: isPlace ? 1 : nil, &result)
    }
    return result
  }

  /// Examines a name in a folder, and the names below it.
  ///
  /// `depth` is 1 for a name in the store's folder, 2 for a name one folder below, and so on; nil
  /// if logs can't be below the name.
  private func find(
    _ entry: FolderEntry,
    in folder: String,
    depth: Int?,
    _ result: inout [LogError]
  ) throws {
    let name = entry.name
    guard !name.hasPrefix(".") || entry.kind.isSpecial else { return }
    guard entry.kind == .folder else {
      let isLog = depth == 3 && LogName.range(ofFile: name) != nil
      // A file with the name of a log is not reported here, because the code that reads logs
      // reports it.
      if !isLog, name.isReadAsLog || entry.kind.isSpecial {
        result.append(stray(entry, in: folder))
      }
      return
    }
    if depth == nil, name.hasPrefix("partial="), partial == nil { return }
    if depth == 2, name == "snapshots" {
      return try findSpecial(in: "\(folder)/\(name)", &result)
    }
    let isDay = depth == 2 && name.hasPrefix("date=")
    let below = depth == 1 ? 2 : isDay ? 3 : nil
    for entry in try entries("\(folder)/\(name)") {
      try find(entry, in: "\(folder)/\(name)", depth: below, &result)
    }
  }

  private func stray(_ entry: FolderEntry, in folder: String) -> LogError {
    let path = "\(folder)/\(entry.name)"
    if entry.kind.isSpecial { return notAFile(path, kind: entry.kind) }
    return LogError(.stray, path) {
      "\(path) is not one of the folder's logs, but other programs would read it as a log."
        + "\nMove this file out of the folder."
    }
  }
}
