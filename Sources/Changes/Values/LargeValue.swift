import FoundationEssentials
import Glibc

/// A value that is too large for a line of history: its bytes, or the path of its file.
package enum LargeValue: Sendable {
  case bytes(Data)
  case file(String)

  /// The maximum size in bytes of a value in a line or a row of history.
  package static let limit = 1024 * 1024

  /// The number of bytes of the value; nil if the file of the value is missing.
  package var size: Int64? {
    switch self {
    case .bytes(let data): return Int64(data.count)
    case .file(let path):
      var status = stat()
      return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }
  }

  /// Calls the closure with one piece of the bytes at a time, so a value of any size needs little
  /// memory.
  ///
  /// - Throws: ``StoreError/Code/missingBlob`` if the file is missing.
  package func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    switch self {
    case .bytes(let data): try data.withUnsafeBytes(body)
    case .file(let path):
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw ValueFailure.file(verb: "open", errno).at(path) }
      defer { close(descriptor) }
      var piece = [UInt8](repeating: 0, count: 1 << 18)
      while true {
        let count = Glibc.read(descriptor, &piece, piece.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw ValueFailure.file(verb: "read", errno).at(path) }
        if count == 0 { return }
        try piece.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      }
    }
  }

  package func data() throws -> Data {
    if case .bytes(let data) = self { return data }
    var data = Data()
    try forEachPiece { data.append(contentsOf: $0) }
    return data
  }
}
