import Glibc

/// The bytes of a file that is only read.
package enum ByteSource: Sendable {
  /// An open file. The caller closes it after the last use.
  ///
  /// If SQLite has the same file open in this process, closing any descriptor of the file releases
  /// SQLite's locks.
  case descriptor(Int32)
  case bytes([UInt8])

  /// The present size in bytes.
  package func size() throws(PageError) -> Int64 {
    switch self {
    case .bytes(let bytes): return Int64(bytes.count)
    case .descriptor(let descriptor):
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw failure(errno) }
      return Int64(status.st_size)
    }
  }

  /// Reads bytes at an offset, and returns their number, which is smaller than the room only at the
  /// end of the file.
  func read(
    into room: UnsafeMutableRawBufferPointer,
    at offset: Int64
  ) throws(PageError) -> Int {
    switch self {
    case .bytes(let bytes):
      let start = Int(min(offset, Int64(bytes.count)))
      let count = min(room.count, bytes.count - start)
      bytes.withUnsafeBytes {
        room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
      }
      return count
    case .descriptor(let descriptor):
      var count = 0
      while count < room.count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: room[count...])
        let result = pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(count))
        if result < 0, errno == EINTR { continue }
        guard result >= 0 else { throw failure(errno) }
        guard result > 0 else { break }
        count += result
      }
      return count
    }
  }

  /// The first bytes at an offset; fewer at the end of the file.
  func bytes(_ count: Int, at offset: Int64) throws(PageError) -> [UInt8] {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
    defer { room.deallocate() }
    let result = try read(into: room, at: offset)
    return Array(room[..<result])
  }

  private func failure(_ code: Int32) -> PageError {
    PageError(
      .inputOutput,
      systemError: code,
      "the file can't be read: \(String(cString: strerror(code)))"
    )
  }
}
