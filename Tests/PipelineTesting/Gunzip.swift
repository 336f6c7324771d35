import ChangeLog
import Glibc

/// The decompressed text of a file.
package func gunzip(_ path: String) throws -> String {
  let descriptor = open(path, O_RDONLY)
  defer { close(descriptor) }
  let reader = try GzipReader(descriptor: descriptor, path: path)
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 20)
  while true {
    let count = try chunk.withUnsafeMutableBytes { try reader.read(into: $0) }
    if count == 0 { return String(decoding: bytes, as: UTF8.self) }
    bytes += chunk[..<count]
  }
}
