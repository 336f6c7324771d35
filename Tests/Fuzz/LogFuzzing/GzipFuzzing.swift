import ChangeLog
import Glibc

/// Reads a compressed file in large pieces, where whole members are decompressed at once, and in small
/// ones, where zlib streams: both must return the same bytes, or both refuse the file.
func fuzzGzip(_ bytes: [UInt8]) throws {
  let file = try MemoryFile(bytes)
  let large = try inflated(file.path, room: 2 << 20)
  let small = try inflated(file.path, room: 1000)
  guard large.refusal == small.refusal else {
    throw FuzzFinding(message: "One way says \(large.refusal), the other \(small.refusal).")
  }
  // Before the error, one reading may have returned more than the other.
  let count = min(large.bytes.count, small.bytes.count)
  guard large.bytes.prefix(count) == small.bytes.prefix(count),
    large.refusal != "none" || large.bytes.count == small.bytes.count
  else { throw FuzzFinding(message: "The two ways give other bytes.") }
}

/// The first bytes of a file's content, and the error that ended the reading.
private func inflated(_ path: String, room: Int) throws -> (bytes: [UInt8], refusal: String) {
  // A limit, because a bomb would not end.
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
