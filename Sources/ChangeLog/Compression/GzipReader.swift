import CZlib
import Glibc
import Stopping

/// Reads what one or more gzip members hold, a piece at a time.
///
/// Where there is libdeflate, a member that is in memory as a whole, and for which there is room, is
/// taken at once. All others, and those that are damaged, are zlib's.
package final class GzipReader {
  /// More than any member of a log takes, but for those with very long lines.
  private static let memberRoom = 1_200_000

  private var stream = z_stream()
  private let descriptor: Int32
  private let path: String
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 21, alignment: 16)
  /// Whether reading may wait, as from a pipe.
  private let mayWait: Bool
  /// What was read and not yet decompressed.
  private var waiting = 0..<0
  /// True between the beginning of a member and its end, where zlib reads it.
  private var isInMember = false
  private var isAtEnd = false
  /// True once it has turned out that there is not a single byte.
  private(set) var isEmpty = false
  /// Whether the file begins as gzip does, or nothing was read yet.
  private var beginsAsGzip = true
  /// Why the next member can't be read.
  private var damage: (any Error)?
  /// How many bytes were taken from the file.
  private(set) var bytesRead: Int64 = 0
  #if DEFLATE
  private let members: DeflateMembers
  #endif

  /// Reads from a file that is open, which the caller closes.
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

  /// True when nothing more will come.
  var isFinished: Bool { isAtEnd && waiting.isEmpty && !isInMember && damage == nil }

  /// Puts what comes next into a buffer, and returns how much; zero at the end.
  ///
  /// Whole members before a damaged one are given, and the next call throws.
  /// - Throws: ``LogError`` with ``LogError/Code/incomplete`` where the file ends inside a member,
  ///   and ``LogError/Code/damaged`` where its bytes are none that gzip writes.
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
        // The next member has a better chance in an empty buffer.
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

  /// Passes over so many bytes; false if there are less.
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

  /// Lets zlib go on with a member, and returns how much it gave.
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

  /// Reads on where less than so many bytes wait.
  private func refill(upTo wanted: Int) throws {
    guard waiting.count < wanted, !isAtEnd else { return }
    let isFirst = waiting.upperBound == 0
    input.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[waiting]))
    waiting = 0..<waiting.count
    while waiting.count < input.count {
      let free = UnsafeMutableRawBufferPointer(rebasing: input[waiting.upperBound...])
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

  /// A file with another name was perhaps never a log; one with this name was.
  private var isNamedAsLog: Bool { path.hasSuffix(".ndjson.gz") }

  /// Whether somebody took a store for a log, which only a file can tell.
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
