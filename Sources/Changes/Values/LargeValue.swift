import FoundationEssentials
import Glibc

/// A value that is too large for a line of history: its bytes, or the file that has them.
package enum LargeValue: Sendable {
  /// The bytes.
  case bytes(Data)
  /// The path of a file that has the bytes.
  case file(String)

  /// The size in bytes up to which a value is part of its line and of its row of history.
  package static let limit = 1024 * 1024

  /// The number of bytes; nil if there is no such file.
  package var size: Int64? {
    switch self {
    case .bytes(let data): return Int64(data.count)
    case .file(let path):
      var status = stat()
      return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }
  }

  /// Calls with the bytes, piece by piece, so that a value of any size needs little memory.
  ///
  /// - Throws: ``StoreError/Code/missingBlob`` where the file is gone.
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

  /// All bytes at once.
  package func data() throws -> Data {
    if case .bytes(let data) = self { return data }
    var data = Data()
    try forEachPiece { data.append(contentsOf: $0) }
    return data
  }
}
