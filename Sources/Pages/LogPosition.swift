/// The place after a commit in a log, from which a later reader continues without reading the log
/// again.
package struct LogPosition: Hashable, Sendable {
  package let salts: UInt64
  /// The last frame of the commit, from one; zero at the beginning of the log.
  package let frame: UInt32
  package let checksum: LogChecksum

  /// Creates a position from the parts that were stored.
  package init(salts: UInt64, frame: UInt32, checksum: LogChecksum) {
    self.salts = salts
    self.frame = frame
    self.checksum = checksum
  }

  /// What happened to a log after a position.
  package enum Change: Hashable, Sendable {
    /// There is no later commit.
    case unchanged
    /// There is a later commit.
    case committed
    /// The log was begun again or removed; the commits between the position and its end are only in
    /// the database file.
    case restarted
  }

  /// Looks for a commit after the position.
  ///
  /// If there is none, this reads the header of the log and two frames, or what an unfinished
  /// transaction has written.
  package func change(in source: ByteSource) throws(PageError) -> Change {
    guard let header = try LogHeader(source), header.salts == salts,
      try isIn(source, header)
    else { return .restarted }
    var reader = FrameReader(source, header, after: frame, checksum)
    while let frame = try reader.next() {
      if frame.pageCount > 0 { return .committed }
    }
    return .unchanged
  }

  /// Whether the log still has the last frame of the position.
  ///
  /// A log that was cut, or replaced by a copy with the same salts, does not.
  func isIn(_ source: ByteSource, _ header: LogHeader) throws(PageError) -> Bool {
    guard frame > 0 else { return header.checksum == checksum }
    let bytes = try source.bytes(header.frameSize, at: header.offset(ofFrame: frame))
    return bytes.count == header.frameSize && bytes.uint32(at: 16) == checksum.first
      && bytes.uint32(at: 20) == checksum.second
  }
}

extension WriteAheadLog {
  /// The number of commits up to a position; nil if the log was begun again since, or lost frames.
  package func commit(at position: LogPosition) throws(PageError) -> Int? {
    guard position.salts == header.salts, try position.isIn(source, header) else { return nil }
    if position.frame == 0 { return 0 }
    return commits.firstIndex { $0.lastFrame == position.frame }.map { $0 + 1 }
  }
}
