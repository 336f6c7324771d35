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
      guard descriptor >= 0 else { throw unreadable("open", path) }
      defer { close(descriptor) }
      var piece = [UInt8](repeating: 0, count: 1 << 18)
      while true {
        let count = Glibc.read(descriptor, &piece, piece.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw unreadable("read", path) }
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

private func unreadable(_ verb: String, _ path: String, number: Int32 = errno) -> StoreError {
  StoreError(number == ENOENT || number == ENOTDIR ? .missingBlob : .inputOutput, at: path) {
    "Can't \(verb) the large value \(path): \(systemText(number)).\nRestore the file from a copy."
  }
}

/// The error for the file of a large value of a store whose bytes do not have the value's digest.
package func alteredLargeValue(_ digest: String, at path: String) -> StoreError {
  StoreError(.damaged, at: path) {
    "The large value \(digest) of the store was altered: its bytes do not have this digest."
  }
}
