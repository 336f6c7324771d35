import ChangeLog
import Format
import Glibc

/// Keeps bytes that are written in one order and read in another order.
///
/// A large number of bytes is kept in a temporary file, and a small number in memory.
package final class Spool {
  private static let room = 4 << 20

  private var memory: [UInt8] = []
  private var descriptor: Int32 = -1
  /// The number of bytes in the temporary file.
  private var flushed = 0

  package init() {}

  deinit { if descriptor >= 0 { close(descriptor) } }

  package var count: Int { flushed + memory.count }

  func removeAll() {
    memory.removeAll(keepingCapacity: true)
    flushed = 0
  }

  package func append(_ bytes: [UInt8]) throws { try append { $0 += bytes } }

  /// Adds the bytes that the closure appends.
  func append(_ body: (inout [UInt8]) -> Void) throws {
    body(&memory)
    guard memory.count > Self.room else { return }
    if descriptor < 0 { descriptor = try TemporaryFolder.openFile() }
    var written = 0
    while written < memory.count {
      let count = memory.withUnsafeBytes {
        pwrite(
          descriptor,
          $0.baseAddress.map { $0 + written },
          $0.count - written,
          flushed + written
        )
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw temporaryFileError("written") }
      written += count
    }
    flushed += memory.count
    memory.removeAll(keepingCapacity: true)
  }

  /// Calls the closure with the bytes of a range, one part after another.
  package func read(_ range: Range<Int>, _ body: ([UInt8]) throws -> Void) throws {
    var position = range.lowerBound
    while position < min(range.upperBound, flushed) {
      let wanted = min(range.upperBound, flushed, position + 1 << 16) - position
      var chunk = [UInt8](repeating: 0, count: wanted)
      let count = pread(descriptor, &chunk, wanted, position)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw temporaryFileError("read") }
      try body(Array(chunk[..<count]))
      position += count
    }
    guard position < range.upperBound else { return }
    try body(Array(memory[position - flushed..<range.upperBound - flushed]))
  }
}

/// The error of the system call that has just failed to read or write a temporary file.
private func temporaryFileError(_ use: String) -> LogError {
  let number = errno
  return LogError(.inputOutput, "") {
    "A temporary file can't be \(use): \(systemText(number))."
      + "\nSet TMPDIR to a folder with free space."
  }
}
