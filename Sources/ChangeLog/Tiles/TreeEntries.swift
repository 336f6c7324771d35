/// The entries of a tree, in files beside its tiles.
///
/// Each file has up to 256 entries, in the layout of c2sp.org/tlog-tiles.
///
/// The entries are written durably, because the tree is computed from them, and no log contains
/// them.
package struct TreeEntries {
  /// The folder of the tree.
  package let path: String
  package private(set) var all: [[UInt8]] = []
  private var written = 0

  package init(_ path: String) throws {
    self.path = path
    try checkIsNotSpecial(path)
    while true {
      var tile = Tile(level: "entries", index: Int64(all.count) / Tile.width)
      if try add(tile) { continue }
      tile.width =
        try names(in: "\(path)/\(tile.partialFolder)").compactMap { Int64($0) }.max() ?? 0
      if tile.width > 0, tile.width < Tile.width { _ = try add(tile) }
      break
    }
    written = all.count
  }

  /// Reads a file of entries; returns false if the file does not exist.
  private mutating func add(_ tile: Tile) throws -> Bool {
    guard let bytes = try readSmallFile("\(path)/\(tile.path)") else { return false }
    var (place, entries) = (0, [[UInt8]]())
    while place + 2 <= bytes.count {
      let end = place + 2 + Int(bytes[place]) << 8 + Int(bytes[place + 1])
      guard end <= bytes.count else { break }
      entries.append(Array(bytes[(place + 2)..<end]))
      place = end
    }
    guard place == bytes.count, entries.count == Int(tile.width) else {
      throw missingTile("\(path)/\(tile.path)")
    }
    all += entries
    return true
  }

  package mutating func append(_ entry: [UInt8]) { all.append(entry) }

  /// Writes the appended entries durably.
  package mutating func write() throws {
    var first = written - written % Int(Tile.width)
    while written < all.count {
      let entries = all[first..<min(first + Int(Tile.width), all.count)]
      let tile = Tile(
        level: "entries",
        index: Int64(first) / Tile.width,
        width: Int64(entries.count)
      )
      let bytes = entries.flatMap { [UInt8($0.count >> 8), UInt8($0.count & 0xff)] + $0 }
      try tile.write(bytes, in: path, lasts: true)
      try tile.removePartials(in: path, except: [tile.width])
      first = entries.endIndex
      written = first
    }
  }
}
