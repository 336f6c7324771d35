import Format
import FoundationEssentials
import Glibc

package struct LogFolder: Hashable, Sendable {
  package let path: String
  /// The name of filtered logs; nil if the logs are not filtered.
  package private(set) var partial: String?
  /// The real paths of files that are elsewhere but appear in this folder, by their paths in this
  /// folder; empty for a folder on disk.
  var sources: [String: String] = [:]

  /// Describes a log folder, which need not exist yet.
  package init(_ path: String) {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = path
  }

  /// The folder for the logs of a filter; the words describe what the filter leaves out.
  package func partial(leavingOut words: String) -> LogFolder {
    partial(named: Self.partialName(words))
  }

  package func partial(named name: String) -> LogFolder {
    var result = self
    result.partial = name
    return result
  }

  /// The name of filtered logs, computed from the description of their filter; different
  /// descriptions give different names.
  package static func partialName(_ words: String) -> String {
    String(SHA256.digest(of: Array(words.utf8)).description.prefix(8))
  }

  /// The sorted names of a store's filtered logs.
  package func partials(of store: String) throws -> [String] {
    try values(of: "partial", in: "\(path)/store=\(store)")
  }

  /// One log of a lineage.
  package struct File: Hashable, Sendable {
    package var path: String
    /// The range of transaction ids in the log's name.
    package var range: ClosedRange<Int64>

    /// Throws if the log is not in the folder of the day of its first transaction.
    package func checkDay(_ first: Transaction) throws(LogError) {
      let day = String(first.time.prefix(10))
      let folder = parentFolder(path).split(separator: "/").last ?? ""
      guard folder.hasPrefix("date="), folder != "date=" + day else { return }
      throw LogError(.damaged, path, transaction: first.id) {
        "The log \(path) is in the folder of another day: its first transaction was on \(day)."
          + "\nMove the log to the folder date=\(day)."
      }
    }
  }

  /// The logs that are directly in the folder, as after a copy without subfolders.
  package func looseFiles() throws -> [String] {
    try entries(path).map(\.name).filter(\.isReadAsLog).map { "\(path)/\($0)" }
  }

  package var exists: Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  package func create() throws { try makeFolders(path) }

  /// The sorted identifiers of the stores that have logs.
  ///
  /// The folder of a store must have the store's exact identifier as its name. A name in small
  /// letters, for example, is not accepted; see ``storeNames()``.
  package func stores() throws -> [String] {
    try storeNames().filter { UUID(uuidString: $0)?.uuidString == $0 }
  }

  /// The sorted names that programs that read tables take for stores, including names that are not
  /// identifiers of stores.
  package func storeNames() throws -> [String] { try values(of: "store", in: path) }

  /// The lineages of a store that have logs or snapshots, in ascending order.
  ///
  /// A lineage without a log is not listed. An interrupted program may have left the folder of such
  /// a lineage.
  package func lineages(of store: String) throws -> [Int64] {
    try lineageFolders(of: store).filter { lineage in
      let folder = lineageFolder(store, lineage: lineage)
      let hasLogs = try values(of: "date", in: folder).contains { day in
        try entries("\(folder)/date=\(day)").contains { LogName.range(ofFile: $0.name) != nil }
      }
      return try hasLogs || !snapshots(of: store, lineage: lineage).isEmpty
    }
  }

  /// The lineages of a store that have a folder, but neither a log nor a snapshot.
  package func lineagesWithoutLogs(of store: String) throws -> [Int64] {
    let withLogs = try Set(lineages(of: store))
    return try lineageFolders(of: store).filter { !withLogs.contains($0) }
  }

  private func lineageFolders(of store: String) throws -> [Int64] {
    try values(of: "lineage", in: storeFolder(store)).compactMap(LogName.lineage).sorted()
  }

  /// The names of the logs and erasure records of some stores, each with data that changes if the
  /// file is replaced.
  package func listing(of stores: [String]) throws -> Set<String> {
    let records = try stores.flatMap { store in
      try lineages(of: store).map { erasures(of: store, lineage: $0) }
    }
    var result: Set<String> = []
    for path in try allFiles(of: stores) + records {
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      let time = status.st_mtim
      result.insert("\(path) \(status.st_ino) \(status.st_size) \(time.tv_sec) \(time.tv_nsec)")
    }
    return result
  }

  /// The logs of a lineage, sorted by their ranges of ids; files of other kinds are ignored.
  package func files(of store: String, lineage: Int64) throws -> [File] {
    let folder = lineageFolder(store, lineage: lineage)
    var result: [File] = []
    for day in try values(of: "date", in: folder) {
      for entry in try entries("\(folder)/date=\(day)") {
        guard let range = LogName.range(ofFile: entry.name) else { continue }
        result.append(File(path: source("\(folder)/date=\(day)/\(entry.name)"), range: range))
      }
    }
    return result.sorted {
      ($0.range.lowerBound, $0.range.upperBound, $0.path)
        < ($1.range.lowerBound, $1.range.upperBound, $1.path)
    }
  }

  /// The snapshots of a lineage, sorted by the ids of their transactions.
  package func snapshots(of store: String, lineage: Int64) throws -> [File] {
    let folder = "\(lineageFolder(store, lineage: lineage))/snapshots"
    return try entries(folder).map(\.name).compactMap { name in
      guard name.hasSuffix(".ndjson.gz"),
        let id = LogName.id(name.dropLast(".ndjson.gz".count))
      else { return nil }
      return File(path: source("\(folder)/\(name)"), range: id...id)
    }
  }

  /// The paths of all logs and snapshots of all stores.
  package func allFiles() throws -> [String] { try allFiles(of: stores()) }

  private func allFiles(of stores: [String]) throws -> [String] {
    try stores.flatMap { store in
      let folders = try [self] + partials(of: store).map { partial(named: $0) }
      return try folders.flatMap { folder in
        try folder.lineages(of: store).flatMap { lineage in
          try folder.files(of: store, lineage: lineage).map(\.path)
            + folder.snapshots(of: store, lineage: lineage).map(\.path)
        }
      }
    }
  }

  /// Removes the incomplete files that interrupted programs left among the logs of a store and
  /// among the blob files; the caller must have locked the folder.
  package func removeLeftovers(of store: String) throws {
    let folders = try [self] + partials(of: store).map { partial(named: $0) }
    for folder in folders {
      for lineage in try folder.lineageFolders(of: store) {
        let path = folder.lineageFolder(store, lineage: lineage)
        for name in try entries(path).map(\.name) where name.isLeftover {
          try removeDurably("\(path)/\(name)")
        }
      }
    }
    for name in try entries(blobs.path).map(\.name) where name.isLeftover {
      try removeDurably(blobs.file(name))
    }
  }

  package func storeFolder(_ store: String) -> String {
    "\(path)/store=\(store)" + (partial.map { "/partial=\($0)" } ?? "")
  }

  package func lineageFolder(_ store: String, lineage: Int64) -> String {
    "\(storeFolder(store))/lineage=\(lineage)"
  }

  static let erasuresName = "_erasures.ndjson"

  package func erasures(of store: String, lineage: Int64) -> String {
    source("\(lineageFolder(store, lineage: lineage))/\(Self.erasuresName)")
  }

  /// The default path of a store's token.
  package func token(of store: String) -> String { "\(storeFolder(store))/_token.json" }

  /// The folder of the large values; each file in it has a digest as its name.
  package var blobs: LogBlobs { LogBlobs(path: source("\(path)/blobs")) }

  /// The values after `key=` in the names of a folder's subfolders.
  private func values(of key: String, in folder: String) throws -> [String] {
    try entries(folder).compactMap { entry in
      entry.kind == .folder && entry.name.hasPrefix(key + "=")
        ? String(entry.name.dropFirst(key.utf8.count + 1)) : nil
    }
  }

  /// The names in a folder, including the names of files that are elsewhere but appear in it.
  func entries(_ folder: String) throws(LogError) -> [FolderEntry] {
    guard !sources.isEmpty else {
      return try ChangeLog.entries(in: folder, follows: folder == path)
    }
    let names = sources.keys.filter { $0.hasPrefix(folder + "/") }
      .map { $0.dropFirst(folder.count + 1).split(separator: "/", maxSplits: 1) }
    return Set(
      names.map { FolderEntry(name: String($0[0]), kind: $0.count > 1 ? .folder : .file) }
    ).sorted { $0.name < $1.name }
  }

  /// The real path of a file that appears to have the given path.
  func source(_ path: String) -> String { sources[path] ?? path }
}

extension String {
  /// Whether a file with this name is the incomplete file of an interrupted program.
  fileprivate var isLeftover: Bool { hasPrefix(".") && hasSuffix("writing") }

  /// Whether programs that find logs by their names would read a file with this name as a log.
  var isReadAsLog: Bool { hasSuffix(".ndjson.gz") && !hasPrefix(".") }
}
