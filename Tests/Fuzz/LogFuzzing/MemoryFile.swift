import Glibc

/// A folder for files in memory, or for short-lived files if there is no such folder.
let memoryFolder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"

/// An unlinked file that has a path as long as the object exists.
final class MemoryFile {
  private let descriptor: Int32
  let path: String

  init(_ bytes: [UInt8]) throws {
    var name = Array("\(memoryFolder)/travelog-fuzz-XXXXXX".utf8CString)
    descriptor = mkstemp(&name)
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard descriptor >= 0 else { throw FuzzFinding(message: "There is no file in memory.") }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        write(descriptor, $0.baseAddress.map { $0 + written }, bytes.count - written)
      }
      guard count > 0 else { throw FuzzFinding(message: "The file in memory can't be written.") }
      written += count
    }
  }

  deinit {
    unlink(path)
    close(descriptor)
  }
}
