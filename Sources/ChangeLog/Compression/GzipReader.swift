import CZlib
import Glibc
import Stopping

/// Reads the content of gzip members, a piece at a time.
///
/// libdeflate, if available, decompresses a member if the whole member is in memory and the output has
/// room for it. zlib decompresses all other members, and damaged ones.
package final class GzipReader {
  /// More than any member of a log needs, unless it has very long lines.
  private static let memberRoom = 1_200_000
  /// The number of bytes that are read at first, enough for most members.
  ///
  /// Some readers want no more than a header or a few transactions.
  private static let firstRead = 1 << 19

  private var stream = z_stream()
  private let descriptor: Int32
  private let path: String
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 21, alignment: 16)
  /// Whether a read may wait for the writer of a pipe.
  private let mayWait: Bool
  /// The bytes that were read and are not decompressed yet.
  private var waiting = 0..<0
  /// Whether zlib has decompressed only a part of the current member.
  private var isInMember = false
  private var isAtEnd = false
  /// Whether the file is empty.
  private(set) var isEmpty = false
  /// Whether the file begins like a gzip file, or nothing was read yet.
  private var beginsAsGzip = true
  /// The reason why the next member can't be read.
  private var damage: (any Error)?
  /// The number of bytes that were read from the file.
  private(set) var bytesRead: Int64 = 0
  #if DEFLATE
  private let members: DeflateMembers
  #endif

  /// Reads from an open file, which the caller closes.
  package init(descriptor: Int32, path: String) throws {
    self.descriptor = descriptor
    self.path = path
    var status = stat()
    mayWait = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    #if DEFLATE
    members = try DeflateMembers(path: path)
    #endif
    guard travelog_inflate_init(&stream) == Z_OK else { throw LogFailure.outOfMemory.at(path) }
  }

  deinit {
    inflateEnd(&stream)
    input.deallocate()
  }

  /// Whether everything was read.
  var isFinished: Bool { isAtEnd && waiting.isEmpty && !isInMember && damage == nil }

  /// Reads the next bytes into a buffer, and returns their number; zero at the end.
  ///
  /// Whole members before a damaged one are returned first; the next call throws.
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
      if !isInMember { whole = count }
      if !isInMember {
        try refill(upTo: Self.memberRoom)
        guard !waiting.isEmpty else { break }
        #if DEFLATE
        // If the buffer has little room left, the next member is decompressed later, into an empty
        // buffer.
        guard count == 0 || output.count - count >= Self.memberRoom else { break }
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
      guard !waiting.isEmpty else { throw failure(.cutOff) }
      count += try inflate(into: UnsafeMutableRawBufferPointer(rebasing: output[count...]))
    }
    return count
  }

  /// Skips bytes; false if there are fewer.
  func skip(_ count: Int64) throws -> Bool {
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { scratch.deallocate() }
    var left = count
    while left > 0 {
      let part = scratch.prefix(Int(min(left, Int64(scratch.count))))
      let read = try read(into: UnsafeMutableRawBufferPointer(rebasing: part))
      guard read > 0 else { return false }
      left -= Int64(read)
    }
    return true
  }

  /// Continues a member with zlib, and returns the number of bytes.
  private func inflate(into output: UnsafeMutableRawBufferPointer) throws -> Int {
    let room = UInt32(clamping: output.count)
    stream.next_in = input.bindMemory(to: UInt8.self).baseAddress.map { $0 + waiting.lowerBound }
    stream.avail_in = UInt32(waiting.count)
    stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
    stream.avail_out = room
    switch CZlib.inflate(&stream, Z_NO_FLUSH) {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: isInMember = false
    case Z_MEM_ERROR: throw LogFailure.outOfMemory.at(path)
    default: throw damaged()
    }
    waiting = waiting.upperBound - Int(stream.avail_in)..<waiting.upperBound
    return Int(room - stream.avail_out)
  }

  /// Reads more if fewer than `wanted` bytes are waiting.
  private func refill(upTo wanted: Int) throws {
    guard waiting.count < wanted, !isAtEnd else { return }
    let isFirst = waiting.upperBound == 0
    input.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[waiting]))
    waiting = 0..<waiting.count
    let room = isFirst ? Self.firstRead : input.count
    while waiting.count < room {
      let free = UnsafeMutableRawBufferPointer(rebasing: input[waiting.upperBound..<room])
      if mayWait, !StopRequest.waitForInput(descriptor) {
        throw LogFailure.system(verb: "read", EINTR).at(path)
      }
      let count = Glibc.read(descriptor, free.baseAddress, free.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw LogFailure.system(verb: "read", errno).at(path) }
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
      throw failure(isNamedAsLog ? .emptyLog : .empty)
    }
    beginsAsGzip = input[waiting].starts(with: [0x1f, 0x8b].prefix(waiting.count))
  }

  /// Whether the file was probably a log, so that other content means damage.
  private var isNamedAsLog: Bool { path.hasSuffix(".ndjson.gz") }

  /// Whether the file is an SQLite database that was passed as a log.
  private var isDatabase: Bool {
    var magic = [UInt8](repeating: 0, count: 15)
    return pread(descriptor, &magic, 15, 0) == 15 && magic.elementsEqual("SQLite format 3".utf8)
  }

  private func failure(_ reason: LogFailure) -> LogError { LogError(reason, path: path) }

  private func damaged() -> LogError {
    if isDatabase { return failure(.database) }
    if !beginsAsGzip, !isNamedAsLog { return failure(.notCompressed) }
    return failure(.undecompressible(stream.msg.map { String(cString: $0) }))
  }
}
