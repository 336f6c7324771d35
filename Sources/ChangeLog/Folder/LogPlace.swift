import FoundationEssentials

/// What a path names: a log folder, or the logs of one store or one lineage in a log folder.
package struct LogPlace: Sendable {
  /// The log folder; if the path names filtered logs, the folder of these filtered logs.
  package let folder: LogFolder
  /// The store that the path names; nil if the path names the whole folder.
  package private(set) var store: String?
  package private(set) var lineage: Int64?
  /// Whether the path names a place below the folder of a lineage, such as the logs of one day, or
  /// a place that can't exist.
  package private(set) var isPart = false

  /// Parses a path without reading the disk.
  package init(_ path: String) {
    var parts = LogFolder(path).path.split(separator: "/", omittingEmptySubsequences: false)
    func isPlace(_ name: Substring) -> Bool {
      ["partial=", "lineage=", "date="].contains { name.hasPrefix($0) } || name == "snapshots"
    }
    let isRelative = !path.hasPrefix("/") && parts.first.map(isPlace) ?? false
    if isRelative || parts.contains(".") || parts.contains("..") {
      // The current directory can be the folder of a store, so a relative path must be completed.
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
