import Format
import Glibc
import Stopping

/// A file with up to 256 hashes of one level of a tree, or with up to 256 entries.
///
/// The files of tiles have the layout of c2sp.org/tlog-tiles.
struct Tile: Hashable {
  /// The number of hashes of a full tile.
  static let width: Int64 = 256

  /// The level of the hashes, or `entries`.
  var level: String
  /// The position of the tile in its level.
  var index: Int64
  /// The number of hashes or entries in the tile.
  var width = Tile.width

  /// The path of the full tile, relative to the folder of the tree.
  var fullPath: String {
    var name = Self.digits(index)
    var rest = index / 1000
    while rest > 0 {
      name = "x\(Self.digits(rest))/\(name)"
      rest /= 1000
    }
    return "tile/\(level)/\(name)"
  }

  /// The folder of the partial tiles at the position of this tile.
  var partialFolder: String { fullPath + ".p" }

  /// The path of the tile, relative to the folder of the tree.
  var path: String { width == Self.width ? fullPath : "\(partialFolder)/\(width)" }

  private static func digits(_ number: Int64) -> String {
    String(String(1000 + number % 1000).dropFirst())
  }

  /// Writes the tile completely or not at all.
  ///
  /// If `lasts` is false, a power failure can remove the tile, which can be computed again.
  func write(_ bytes: [UInt8], in tree: String, lasts: Bool = false) throws {
    let path = "\(tree)/\(path)"
    if lasts {
      try makeFolders(parentFolder(path))
      return try writeDurably(bytes, to: path)
    }
    try writeUnsynced(bytes, to: path, temporary: "\(tree)/.tile.writing")
  }

  /// Removes the partial tiles at the position of this tile, except partial tiles of the given
  /// widths.
  func removePartials(in tree: String, except widths: Set<Int64> = []) throws(LogError) {
    let folder = "\(tree)/\(partialFolder)"
    for name in try names(in: folder) where !widths.contains(Int64(name) ?? 0) {
      guard unlink("\(folder)/\(name)") == 0 || errno == ENOENT else {
        throw diskError("remove", path: "\(folder)/\(name)")
      }
    }
    // `rmdir` does not remove a folder that still contains tiles.
    rmdir(folder)
  }
}

/// Writes a file completely or not at all; a power failure can remove the file, which must then be
/// written again.
package func writeUnsynced(
  _ bytes: [UInt8],
  to path: String,
  temporary: String
) throws(LogError) {
  Leftovers.add(temporary)
  defer { Leftovers.forget(temporary) }
  try makeUnsyncedFolder(parentFolder(temporary))
  let descriptor = open(temporary, writing | O_TRUNC, 0o600)
  guard descriptor >= 0 else { throw diskError("create", path: temporary) }
  do {
    defer { close(descriptor) }
    try write(bytes, to: descriptor, path: temporary)
  }
  if rename(temporary, path) == 0 { return }
  try makeUnsyncedFolder(parentFolder(path))
  guard rename(temporary, path) == 0 else { throw diskError("rename", path: temporary) }
}

private func makeUnsyncedFolder(_ path: String) throws(LogError) {
  if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
  guard errno == ENOENT, parentFolder(path) != path else { throw diskError("create", path: path) }
  try makeUnsyncedFolder(parentFolder(path))
  guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw diskError("create", path: path) }
}
