import FoundationEssentials

extension LogFolder {
  /// Finds two kinds of strays: a link, pipe or device whose name begins with `store=`, and a file,
  /// link, pipe or device with the name `blobs`.
  ///
  /// A regular file such as `store=….tar.gz` is not reported, because no reader takes it for a log.
  package func strays() throws -> [LogError] {
    guard sources.isEmpty else { return [] }
    return try entries(path)
      .filter { entry in
        entry.kind != .folder
          && (entry.name == "blobs" || entry.kind != .file && entry.name.hasPrefix("store="))
      }
      .map { stray($0, in: path) }
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
    guard !name.hasPrefix(".") else { return }
    guard entry.kind == .folder else {
      let isLog = depth == 3 && LogName.range(ofFile: name) != nil
      // A file with the name of a log is not reported here, because the code that reads logs
      // reports it.
      if !isLog, name.isReadAsLog || entry.kind != .file { result.append(stray(entry, in: folder)) }
      return
    }
    if depth == nil, name.hasPrefix("partial="), partial == nil { return }
    if depth == 2, name == "snapshots" { return }
    let isDay = depth == 2 && name.hasPrefix("date=")
    let below = depth == 1 ? 2 : isDay ? 3 : nil
    for entry in try entries("\(folder)/\(name)") {
      try find(entry, in: "\(folder)/\(name)", depth: below, &result)
    }
  }

  private func stray(_ entry: FolderEntry, in folder: String) -> LogError {
    (entry.kind == .file || entry.kind == .folder ? LogFailure.stray : .notAFile(entry.kind))
      .at("\(folder)/\(entry.name)")
  }
}
