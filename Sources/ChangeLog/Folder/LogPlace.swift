import FoundationEssentials

/// What a path names: a folder of logs, or the logs of one store or of one lineage in it.
package struct LogPlace: Sendable {
  /// The folder of logs, with the name of those that have something left out where they are meant.
  package let folder: LogFolder
  /// The store that is named; nil if the folder is.
  package private(set) var store: String?
  /// The lineage that is named.
  package private(set) var lineage: Int64?
  /// True for a path further down, to some of the logs of a lineage, or to none that there can be.
  package private(set) var isPart = false

  /// Takes a path apart, without a look at what is there.
  package init(_ path: String) {
    var parts = LogFolder(path).path.split(separator: "/", omittingEmptySubsequences: false)
    func isPlace(_ name: Substring) -> Bool {
      ["partial=", "lineage=", "date="].contains { name.hasPrefix($0) } || name == "snapshots"
    }
    let isRelative = !path.hasPrefix("/") && parts.first.map(isPlace) ?? false
    if isRelative || parts.contains(".") || parts.contains("..") {
      // Somebody may stand in the folder of a store.
      parts = URL(fileURLWithPath: path).standardizedFileURL.path
        .split(separator: "/", omittingEmptySubsequences: false)
    }
    guard let place = parts.lastIndex(where: { $0.hasPrefix("store=") }),
      parts[(place + 1)...].allSatisfy(isPlace)
    else {
      folder = LogFolder(path)
      return
    }
    let above = parts[..<place].joined(separator: "/")
    let root = LogFolder(place == 0 ? "." : above.isEmpty ? "/" : above)
    store = String(parts[place].dropFirst("store=".utf8.count))
    var partial: String?
    for name in parts[(place + 1)...] {
      if name.hasPrefix("partial=") {
        partial = String(name.dropFirst("partial=".utf8.count))
      } else if name.hasPrefix("lineage=") {
        lineage = Int64(name.dropFirst("lineage=".utf8.count))
        isPart = isPart || lineage == nil
      } else {
        isPart = true
      }
    }
    folder = partial.map { root.partial(named: $0) } ?? root
  }
}
