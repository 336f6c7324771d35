/// The first 32 bytes of a write-ahead log, as "WAL File Format" in the file format defines them.
package struct LogHeader: Hashable, Sendable {
  static let size = 32

  package let pageSize: Int
  /// How many times the log was checkpointed and begun again.
  package let checkpointSequence: UInt32
  /// Two numbers that change when SQLite begins the log again.
  ///
  /// Each frame repeats them, so that frames from before are not mistaken for new ones.
  package let salts: UInt64
  let checksum: LogChecksum

  /// Reads the header at the beginning of a log; nil if SQLite would ignore the log, because it is
  /// empty or its header is damaged.
  package init?(_ source: ByteSource) throws(PageError) {
    let bytes = try source.bytes(Self.size, at: 0)
    guard bytes.count == Self.size else { return nil }
    // The lowest bit is the byte order of the words that are added to checksums.
    guard bytes.uint32(at: 0) & ~1 == 0x377f_0682, PageLayout.isPageSize(Int(bytes.uint32(at: 8)))
    else { return nil }
    var checksum = LogChecksum(isBigEndian: bytes.uint32(at: 0) & 1 == 1)
    bytes.withUnsafeBytes { checksum.add(UnsafeRawBufferPointer(rebasing: $0[..<24])) }
    guard checksum.first == bytes.uint32(at: 24), checksum.second == bytes.uint32(at: 28) else {
      return nil
    }
    guard bytes.uint32(at: 4) == 3_007_000 else {
      throw PageError(
        .newerFormat,
        "the write-ahead log has the unknown format \(bytes.uint32(at: 4))"
      )
    }
    pageSize = Int(bytes.uint32(at: 8))
    checkpointSequence = bytes.uint32(at: 12)
    salts = UInt64(bytes.uint32(at: 16)) << 32 | UInt64(bytes.uint32(at: 20))
    self.checksum = checksum
  }

  /// A page that a commit wrote.
  package struct Frame {
    /// The place in the log, from one.
    package let number: UInt32
    package let page: UInt32
    package let endsCommit: Bool
    /// The bytes of the page, which are valid until the next frame.
    package let content: UnsafeRawBufferPointer
  }

  /// Calls the closure with each frame of the log, in order, up to the first one that is not valid.
  ///
  /// Programs may write to the log while it is read; frames of an unfinished transaction are included.
  package func forEachFrame(in source: ByteSource, _ body: (Frame) throws -> Void) throws {
    var reader = FrameReader(source, self, after: 0, checksum)
    while let (page, pageCount) = try reader.next() {
      try body(
        Frame(
          number: reader.number,
          page: page,
          endsCommit: pageCount > 0,
          content: reader.content
        )
      )
    }
  }

  var frameSize: Int { PageBuffer.frameHeaderSize + pageSize }

  /// The offset of a frame; the first frame is 1.
  func offset(ofFrame frame: UInt32) -> Int64 {
    Int64(Self.size) + Int64(frame - 1) * Int64(frameSize)
  }
}
