/// Where the valid part of a log ends, and why.
package struct LogEnd: Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    case endOfFile
    /// The file ends inside of a frame.
    case incompleteFrame
    /// The frame was written before the log was begun again.
    case olderFrame
    case badChecksum
    case impossiblePage
  }

  package let reason: Reason
  /// The first frame that is not valid.
  package let frame: UInt32
  /// The offset of that frame in the log.
  package let offset: Int64
}

/// Reads the frames of a log in order, until one is not valid; SQLite stops at the same frame.
struct FrameReader: ~Copyable {
  private static let roomSize = 1 << 18

  private let source: ByteSource
  private let header: LogHeader
  private let room: UnsafeMutableRawBufferPointer
  /// The part of the room that was not used yet.
  private var unused = 0..<0
  /// The last frame that was read.
  private(set) var number: UInt32
  private(set) var checksum: LogChecksum
  /// Where and why the valid part of the log ends; nil as long as the reader has not seen the end.
  private(set) var end: LogEnd?

  /// Starts after a frame, with the checksum after that frame.
  init(_ source: ByteSource, _ header: LogHeader, after number: UInt32, _ checksum: LogChecksum) {
    self.source = source
    self.header = header
    self.number = number
    self.checksum = checksum
    room = .allocate(byteCount: max(Self.roomSize, header.frameSize), alignment: 8)
  }

  deinit { room.deallocate() }

  /// Reads a page number, and the number of pages of the database if the frame ends a commit;
  /// otherwise that number is zero.
  mutating func next() throws(PageError) -> (page: UInt32, pageCount: UInt32)? {
    guard end == nil else { return nil }
    if unused.count < header.frameSize {
      let count = try source.read(into: room, at: header.offset(ofFrame: number + 1))
      unused = 0..<count
    }
    guard unused.count >= header.frameSize, number < UInt32.max - 1 else {
      return stop(unused.isEmpty ? .endOfFile : .incompleteFrame)
    }
    let frame = UnsafeRawBufferPointer(
      rebasing: room[unused.lowerBound..<unused.lowerBound + header.frameSize]
    )
    let start = frame.baseAddress.unsafelyUnwrapped
    guard start.uint64(at: 8) == header.salts else { return stop(.olderFrame) }
    guard start.uint32(at: 0) > 0 else { return stop(.impossiblePage) }
    // The checksum covers the page number, the number of pages, and the page.
    var sum = checksum
    sum.add(UnsafeRawBufferPointer(rebasing: frame[..<8]))
    sum.add(UnsafeRawBufferPointer(rebasing: frame[PageBuffer.frameHeaderSize...]))
    guard start.uint32(at: 16) == sum.first, start.uint32(at: 20) == sum.second else {
      return stop(.badChecksum)
    }
    checksum = sum
    number += 1
    unused = unused.lowerBound + header.frameSize..<unused.upperBound
    return (start.uint32(at: 0), start.uint32(at: 4))
  }

  /// The page of the last frame, until the next one is read.
  var content: UnsafeRawBufferPointer {
    let start = unused.lowerBound - header.frameSize + PageBuffer.frameHeaderSize
    return UnsafeRawBufferPointer(rebasing: room[start..<unused.lowerBound])
  }

  private mutating func stop(_ reason: LogEnd.Reason) -> (page: UInt32, pageCount: UInt32)? {
    let offset = header.offset(ofFrame: number + 1)
    end = LogEnd(reason: reason, frame: number + 1, offset: offset)
    return nil
  }
}
