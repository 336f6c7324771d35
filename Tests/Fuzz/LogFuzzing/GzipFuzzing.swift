import ChangeLog
import Glibc

/// Reads a compressed file in large pieces, where whole members are decompressed at once, and in small
/// ones, where zlib goes on and on: both give the same, or both refuse.
func fuzzGzip(_ bytes: [UInt8]) throws {
  let file = try MemoryFile(bytes)
  let large = try inflated(file.path, room: 2 << 20)
  let small = try inflated(file.path, room: 1000)
  guard large.refusal == small.refusal else {
    throw FuzzFinding(message: "One way says \(large.refusal), the other \(small.refusal).")
  }
  // Where it is refused, one may have got further than the other.
  let count = min(large.bytes.count, small.bytes.count)
  guard large.bytes.prefix(count) == small.bytes.prefix(count),
    large.refusal != "none" || large.bytes.count == small.bytes.count
  else { throw FuzzFinding(message: "The two ways give other bytes.") }
}

/// The first bytes of what a file holds, and how reading it ended.
private func inflated(_ path: String, room: Int) throws -> (bytes: [UInt8], refusal: String) {
  // Enough for what can be told apart; a bomb goes on for long.
  let enough = 4 << 20
  let descriptor = open(path, O_RDONLY)
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  do {
    let reader = try GzipReader(descriptor: descriptor, path: path)
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 16)
    defer { piece.deallocate() }
    while bytes.count < enough {
      let count = try reader.read(into: piece)
      guard count > 0 else { return (bytes, "none") }
      bytes += piece[..<count]
    }
    return (bytes, "too much")
  } catch let error as LogError {
    return (bytes, error.code == .incomplete ? "cut" : "damaged")
  }
}
