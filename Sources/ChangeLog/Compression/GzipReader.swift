import CZlib
import Format
import Glibc
import Stopping

/// Reads and decompresses the content of gzip members, a part at a time.
///
/// libdeflate, if it is available, decompresses a member that is completely in memory and fits into
/// the output. zlib decompresses all other members and damaged members.
package final class GzipReader {
  /// The space that libdeflate needs for the output of one member, unless a line is very long.
  private static let memberRoom = 1_200_000
  /// The number of bytes that are read first, enough for the first member of most logs.
  ///
  /// A caller that needs only the header or a few transactions then reads nothing more from the
  /// file.
  private static let firstRead = 1 << 19

  private var stream = z_stream()
  private let descriptor: Int32
  private let path: String
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 21, alignment: 16)
  /// Whether reading may wait until another program writes to a pipe.
  private let mayWait: Bool
  /// The range of the bytes that were read and are not decompressed yet.
  private var waiting = 0..<0
  /// Whether zlib has decompressed only a part of the current member.
  private var isInMember = false
  private var isAtEnd = false
  private(set) var isEmpty = false
  /// Whether the file begins like a gzip file; true until the beginning is read.
  private var beginsAsGzip = true
  /// The reason why the next member can't be read.
  private var damage: (any Error)?
  private(set) var bytesRead: Int64 = 0
  #if DEFLATE
  private let members: DeflateMembers
  #endif

  /// Creates a reader of an open file; the caller must close the file.
  package init(descriptor: Int32, path: String) throws {
    self.descriptor = descriptor
    self.path = path
    var status = stat()
    mayWait = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    #if DEFLATE
    members = try DeflateMembers(path: path)
    #endif
    guard travelog_inflate_init(&stream) == Z_OK else { throw outOfMemory(path) }
  }

  deinit {
    inflateEnd(&stream)
    input.deallocate()
  }

  /// Whether all bytes were read and decompressed.
  var isFinished: Bool { isAtEnd && waiting.isEmpty && !isInMember && damage == nil }

  /// Decompresses the next bytes into a buffer, and returns their number; zero at the end of the
  /// file.
  ///
  /// If a member is damaged, the members before it are returned first, and the next call throws.
  ///
  /// - Throws: ``LogError`` with ``LogError/Code/incomplete`` if the file ends inside a member,
  ///   and ``LogError/Code/damaged`` if its bytes are not in the gzip format.
  package func read(into output: UnsafeMutableRawBufferPointer) throws -> Int {
    if let damage { throw damage }
    var whole = 0
    do {
      return try read(into: output, whole: &whole)
    } catch {
      guard whole > 0 else { throw error }
      damage = error
      return whole
    }
  }

  private func read(into output: UnsafeMutableRawBufferPointer, whole: inout Int) throws -> Int {
    var count = 0
    while count < output.count {
      if !isInMember {
        whole = count
        #if DEFLATE
        // The next member may not fit into the rest of the buffer, so it is left for the next call.
        guard count == 0 || output.count - count >= Self.memberRoom else { break }
        #endif
        try refill(upTo: Self.memberRoom)
        guard !waiting.isEmpty else { break }
        #if DEFLATE
        let taken = members.read(
          UnsafeRawBufferPointer(rebasing: input[waiting]),
          into: UnsafeMutableRawBufferPointer(rebasing: output[count...])
        )
        if let taken {
          waiting = waiting.lowerBound + taken.input..<waiting.upperBound
          count += taken.output
          continue
        }
        #endif
        guard inflateReset(&stream) == Z_OK else { throw damaged() }
        isInMember = true
      }
      try refill(upTo: 1)
      guard !waiting.isEmpty else {
        throw LogError(.incomplete, path) { "The log \(path) is cut off in the middle." }
      }
      count += try inflate(into: UnsafeMutableRawBufferPointer(rebasing: output[count...]))
    }
    return count
  }

  /// Decompresses the next part of a member with zlib, and returns the number of bytes.
  private func inflate(into output: UnsafeMutableRawBufferPointer) throws -> Int {
    let room = UInt32(clamping: output.count)
    stream.next_in = input.bindMemory(to: UInt8.self).baseAddress.map { $0 + waiting.lowerBound }
    stream.avail_in = UInt32(waiting.count)
    stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
    stream.avail_out = room
    switch CZlib.inflate(&stream, Z_NO_FLUSH) {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: isInMember = false
    case Z_MEM_ERROR: throw outOfMemory(path)
    default: throw damaged()
    }
    waiting = waiting.upperBound - Int(stream.avail_in)..<waiting.upperBound
    return Int(room - stream.avail_out)
  }

  /// Reads more bytes if fewer than `wanted` bytes wait for decompression.
  private func refill(upTo wanted: Int) throws {
    guard waiting.count < wanted, !isAtEnd else { return }
    let isFirst = waiting.upperBound == 0
    input.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[waiting]))
    waiting = 0..<waiting.count
    let room = isFirst ? Self.firstRead : input.count
    while waiting.count < room {
      let free = UnsafeMutableRawBufferPointer(rebasing: input[waiting.upperBound..<room])
      if mayWait, !StopRequest.waitForInput(descriptor) {
        throw diskError("read", path: path, number: EINTR)
      }
      let count = Glibc.read(descriptor, free.baseAddress, free.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw diskError("read", path: path) }
      guard count > 0 else {
        isAtEnd = true
        break
      }
      waiting = 0..<waiting.count + count
      bytesRead += Int64(count)
    }
    guard isFirst else { return }
    guard !waiting.isEmpty else {
      isEmpty = true
      guard isNamedAsLog else { throw emptyFile(path) }
      throw LogError(.incomplete, path) { "The log \(path) is empty." }
    }
    beginsAsGzip = input[waiting].starts(with: [0x1f, 0x8b].prefix(waiting.count))
  }

  /// The first line of a large file, without a decompression of its whole first member; nil if the
  /// file is not large, or if the line is not found in its first bytes.
  func firstLine() -> [UInt8]? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size > Self.firstRead
    else { return nil }
    var input = [UInt8](repeating: 0, count: 1 << 16)
    var output = input
    let count = pread(descriptor, &input, input.count, 0)
    var stream = z_stream()
    guard count > 0, travelog_inflate_init(&stream) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    let length = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        // An error is reported when the log is read.
        _ = CZlib.inflate(&stream, Z_NO_FLUSH)
        return output.count - Int(stream.avail_out)
      }
    }
    return output[..<length].firstIndex(of: 0x0a).map { Array(output[...$0]) }
  }

  /// Whether the file has the name of a log; content of another kind is then reported as damage.
  private var isNamedAsLog: Bool { path.hasSuffix(".ndjson.gz") }

  /// Whether the file is an SQLite database that a user gave instead of a log.
  private var isDatabase: Bool {
    var magic = [UInt8](repeating: 0, count: 15)
    return pread(descriptor, &magic, 15, 0) == 15 && magic.elementsEqual("SQLite format 3".utf8)
  }

  private func damaged() -> LogError {
    if isDatabase {
      return LogError(.notALog, path) {
        "\(path) is a SQLite database, not a log."
          + "\nTo write its history as logs: travelog export \(path) --to LOGS"
      }
    }
    if !beginsAsGzip, !isNamedAsLog {
      return LogError(.notALog, path) { "\(path) is not a log: it is not compressed with gzip." }
    }
    let detail = stream.msg.map { ": \(String(cString: $0))" } ?? ""
    return LogError(.damaged, path) { "The log \(path) can't be decompressed\(detail)." }
  }
}
