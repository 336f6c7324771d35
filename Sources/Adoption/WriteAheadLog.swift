import Format
import Glibc

/// Reads the commits in a write-ahead log.
///
/// Programs may write to the log while it is read. So reading ends at the first frame that is
/// incomplete, that was written before the last reset of the log, or whose checksum is wrong.
/// SQLite's own recovery stops at the same frames.
package struct WriteAheadLog: ~Copyable {
  private static let headerSize = 32
  private static let frameHeaderSize = 24

  /// A page that a commit wrote.
  package struct Frame {
    /// The place in the log, from one.
    package let number: Int64
    package let page: UInt32
    package let endsCommit: Bool
    package let content: ArraySlice<UInt8>
  }

  private let descriptor: Int32
  private let path: String

  /// Opens the log beside a database; nil if there is no log.
  ///
  /// - Throws: ``StoreError`` if the log can't be opened.
  package init?(ofDatabase database: String) throws {
    path = database + "-wal"
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor < 0 else { return }
    guard errno == ENOENT else { throw unreadable("open", path) }
    return nil
  }

  deinit { close(descriptor) }

  /// Calls the closure for each commit, in order, with the content of a page at that commit.
  ///
  /// Commits before the first write of the page are skipped, because the log does not contain the
  /// earlier content of the page.
  ///
  /// - Throws: ``StoreError`` if the log can't be read, and the errors of the body.
  package func forEachCommit(
    with page: UInt32,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var content: [UInt8] = []
    try forEachFrame { frame in
      if frame.page == page { content = Array(frame.content) }
      if frame.endsCommit, !content.isEmpty { try content.withUnsafeBytes(body) }
    }
  }

  /// Calls the closure for each frame, in order, and returns the salts of the log, which change when
  /// SQLite resets the log; nil if the file has no valid log.
  ///
  /// - Throws: ``StoreError`` if the log can't be read, and the errors of the body.
  @discardableResult
  package func forEachFrame(_ body: (Frame) throws -> Void) throws -> UInt64? {
    var header = [UInt8](repeating: 0, count: Self.headerSize)
    guard try read(&header, at: 0), var checksum = LogChecksum(logHeader: header) else {
      return nil
    }
    let salts = Array(header[16..<24])
    let pageSize = Int(Adoption.number(header, at: 8))
    // The size of a page in SQLite is a power of two from 512 to 65,536. A file with another size
    // is not a write-ahead log.
    guard (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0 else { return nil }
    var frame = [UInt8](repeating: 0, count: Self.frameHeaderSize + pageSize)
    var number: Int64 = 0
    while try read(&frame, at: Self.headerSize + Int(number) * frame.count) {
      checksum.add(frame[0..<8])
      checksum.add(frame[Self.frameHeaderSize...])
      guard frame[8..<16].elementsEqual(salts), checksum.isEqual(to: frame, at: 16) else { break }
      number += 1
      try body(
        Frame(
          number: number,
          page: Adoption.number(frame, at: 0),
          // If the frame ends a commit, this number is the size of the database; otherwise it is
          // zero.
          endsCommit: Adoption.number(frame, at: 4) != 0,
          content: frame[Self.frameHeaderSize...]
        )
      )
    }
    return salts.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Fills a buffer with bytes of the file; returns false if the file ends before the buffer is
  /// full.
  private func read(_ buffer: inout [UInt8], at offset: Int) throws -> Bool {
    try buffer.withUnsafeMutableBytes { buffer in
      var count = 0
      while count < buffer.count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
        let result = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + count))
        if result < 0, errno == EINTR { continue }
        guard result >= 0 else { throw unreadable("read", path) }
        if result == 0 { return false }
        count += result
      }
      return true
    }
  }
}

/// The running checksum of a write-ahead log.
///
/// The header of the write-ahead log says in which byte order the words are added.
private struct LogChecksum {
  private let isBigEndian: Bool
  private var first: UInt32 = 0
  private var second: UInt32 = 0

  /// Starts the checksum with the header of the log; nil if the bytes are damaged, or are not the
  /// header of a write-ahead log.
  init?(logHeader header: [UInt8]) {
    switch number(header, at: 0) {
    case 0x377f_0682: isBigEndian = false
    case 0x377f_0683: isBigEndian = true
    default: return nil
    }
    guard number(header, at: 4) == 3_007_000 else { return nil }
    add(header[0..<24])
    guard isEqual(to: header, at: 24) else { return nil }
  }

  /// Adds bytes whose count is a multiple of eight.
  mutating func add(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { bytes in
      for offset in stride(from: 0, to: bytes.count, by: 8) {
        first &+= word(bytes, at: offset) &+ second
        second &+= word(bytes, at: offset + 4) &+ first
      }
    }
  }

  func isEqual(to bytes: [UInt8], at offset: Int) -> Bool {
    number(bytes, at: offset) == first && number(bytes, at: offset + 4) == second
  }

  private func word(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
    let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
  }
}

private func unreadable(_ verb: String, _ path: String, number: Int32 = errno) -> StoreError {
  StoreError(.inputOutput, at: path) {
    "Can't \(verb) the write-ahead log \(path): \(systemText(number))."
      + "\nCheck the disk, and the permissions of the file."
  }
}

/// Reads a big-endian number of four bytes, as the headers of the log contain it.
private func number(_ bytes: [UInt8], at offset: Int) -> UInt32 {
  bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
}
