import CZlib
import Glibc

/// Reads what one or more gzip members hold, a piece at a time.
public final class GzipReader {
  private var stream = z_stream()
  private let descriptor: Int32
  private let path: String
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  /// True between the beginning of a member and its end.
  private var isInMember = false
  private var isAtEnd = false
  private var hasRead = false

  /// Reads from a file that is open, which the caller closes.
  public init(descriptor: Int32, path: String) throws {
    self.descriptor = descriptor
    self.path = path
    guard travelog_inflate_init(&stream) == Z_OK else {
      throw LogError(.inputOutput, "There is no memory to read the log \(path).", path: path)
    }
  }

  deinit {
    inflateEnd(&stream)
    input.deallocate()
  }

  /// Fills a buffer as far as there is something, and returns how much; zero at the end.
  ///
  /// - Throws: ``LogError`` with ``LogError/Code/incomplete`` where the file ends inside a member,
  ///   and ``LogError/Code/damaged`` where its bytes are none that gzip writes.
  public func read(into output: UnsafeMutableRawBufferPointer) throws -> Int {
    stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
    stream.avail_out = UInt32(clamping: output.count)
    while stream.avail_out > 0 {
      if stream.avail_in == 0, try !refill() { break }
      if !isInMember {
        guard inflateReset(&stream) == Z_OK else { throw damaged() }
        isInMember = true
      }
      switch inflate(&stream, Z_NO_FLUSH) {
      case Z_OK, Z_BUF_ERROR: continue
      case Z_STREAM_END: isInMember = false
      default: throw damaged()
      }
    }
    return output.count - Int(stream.avail_out)
  }

  private func refill() throws -> Bool {
    guard !isAtEnd else { return false }
    var count: Int
    repeat {
      count = Glibc.read(descriptor, input.baseAddress, input.count)
    } while count < 0 && errno == EINTR
    guard count >= 0 else {
      throw LogError(
        .inputOutput,
        "The log \(path) can't be read: \(String(cString: strerror(errno))).",
        path: path
      )
    }
    stream.next_in = input.bindMemory(to: UInt8.self).baseAddress
    stream.avail_in = UInt32(count)
    hasRead = hasRead || count > 0
    guard count == 0 else { return true }
    isAtEnd = true
    guard !isInMember, hasRead else {
      throw LogError(
        .incomplete,
        "The log \(path) is \(hasRead ? "cut off in the middle" : "empty"); export it again, or copy"
          + " it again from where it came from.",
        path: path
      )
    }
    return false
  }

  private func damaged() -> LogError {
    let reason = stream.msg.map { ": \(String(cString: $0))" } ?? ""
    return LogError(
      .damaged,
      "The log \(path) can't be decompressed\(reason). Its bytes were changed, or it is no log; copy"
        + " it again from where it came from.",
      path: path
    )
  }
}
