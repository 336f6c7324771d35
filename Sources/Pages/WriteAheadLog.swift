/// The commits of a write-ahead log, and the places of their pages.
package struct WriteAheadLog: Sendable {
  /// The largest number of frames, whose places need less than 32 MiB.
  package static let largestFrameCount = 1 << 21

  package struct Commit: Hashable, Sendable {
    /// The last frame of the commit, from one.
    package let lastFrame: UInt32
    /// The number of pages of the database after the commit.
    package let pageCount: UInt32
  }

  package let source: ByteSource
  package let header: LogHeader
  package private(set) var commits: [Commit] = []
  /// Where the valid part of the log ends, which includes the frames of an unfinished transaction.
  package private(set) var end: LogEnd
  /// The place after the last commit.
  package private(set) var position: LogPosition
  /// The page of each frame up to the last commit.
  private var pages: [UInt32] = []
  /// The indexes of these frames, in the order of their pages; the frames of a page are in order.
  private var order: [UInt32] = []

  /// Reads the frames of a log; nil if SQLite would ignore the log, because it is empty or its
  /// header is damaged.
  package init?(_ source: ByteSource) throws(PageError) {
    guard let header = try LogHeader(source) else { return nil }
    self.source = source
    self.header = header
    position = LogPosition(salts: header.salts, frame: 0, checksum: header.checksum)
    end = LogEnd(reason: .endOfFile, frame: 1, offset: header.offset(ofFrame: 1))
    try readFrames()
  }

  /// Reads the commits after the last known one.
  ///
  /// If the result is ``LogPosition/Change/restarted``, nothing is read, and the log must be opened
  /// again.
  package mutating func update() throws(PageError) -> LogPosition.Change {
    let change = try position.change(in: source)
    if change == .committed { try readFrames() }
    return change
  }

  /// Forgets the commits after a frame, which ends the last commit that the programs know.
  ///
  /// A program that is killed after it wrote a commit can leave it in the log without telling the others.
  /// They ignore its frames, and the next commit overwrites them.
  package mutating func removeCommits(after last: UInt32) throws(PageError) {
    guard last < position.frame else { return }
    commits.removeAll { $0.lastFrame > last }
    let count = commits.last?.lastFrame ?? 0
    pages.removeSubrange(Int(count)...)
    order.removeAll { $0 >= count }
    var checksum = header.checksum
    if count > 0 {
      let bytes = try source.bytes(PageBuffer.frameHeaderSize, at: header.offset(ofFrame: count))
      guard bytes.count == PageBuffer.frameHeaderSize else {
        throw PageError(.changedMeanwhile, frame: count, "the log was begun again")
      }
      checksum = LogChecksum(
        isBigEndian: checksum.isBigEndian,
        first: bytes.uint32(at: 16),
        second: bytes.uint32(at: 20)
      )
    }
    position = LogPosition(salts: header.salts, frame: count, checksum: checksum)
  }

  private mutating func readFrames() throws(PageError) {
    var reader = FrameReader(source, header, after: position.frame, position.checksum)
    var found: (pages: [UInt32], commits: [Commit]) = ([], [])
    var position = position
    while let frame = try reader.next() {
      guard pages.count + found.pages.count < Self.largestFrameCount else {
        throw PageError(
          .tooLarge,
          frame: reader.number,
          "the log has more than \(Self.largestFrameCount) frames"
        )
      }
      found.pages.append(frame.page)
      guard frame.pageCount > 0 else { continue }
      found.commits.append(Commit(lastFrame: reader.number, pageCount: frame.pageCount))
      position = LogPosition(salts: header.salts, frame: reader.number, checksum: reader.checksum)
    }
    if let end = reader.end { self.end = end }
    // SQLite ignores frames after the last commit. The next transaction overwrites them.
    order += self.position.frame..<position.frame
    pages += found.pages.prefix(Int(position.frame) - pages.count)
    commits += found.commits
    self.position = position
    order.sort { [pages] in (pages[Int($0)], $0) < (pages[Int($1)], $1) }
  }

  /// The newest frame of a page among the frames up to a last one; zero if there is none.
  func frame(of page: UInt32, through last: UInt32) -> UInt32 {
    // The first place in the order that is after the wanted frame.
    var (low, high) = (0, order.count)
    while low < high {
      let middle = (low + high) / 2
      let index = order[middle]
      let other = pages[Int(index)]
      if other < page || other == page && index < last {
        low = middle + 1
      } else {
        high = middle
      }
    }
    guard low > 0, pages[Int(order[low - 1])] == page else { return 0 }
    return order[low - 1] + 1
  }

  /// The pages of a range of frames, without repetitions, in order.
  func pages(ofFrames frames: Range<UInt32>) -> [UInt32] {
    var result: [UInt32] = []
    for page in frames.map({ pages[Int($0) - 1] }).sorted() where result.last != page {
      result.append(page)
    }
    return result
  }

  /// Calls the closure with each page of the log and its frames, in the order of the pages.
  package func forEachPage(
    _ body: (UInt32, _ frames: [UInt32]) throws(PageError) -> Void
  ) throws(PageError) {
    var place = 0
    while place < order.count {
      let page = pages[Int(order[place])]
      let next = order[place...].firstIndex { [pages] in pages[Int($0)] != page } ?? order.count
      try body(page, order[place..<next].map { $0 + 1 })
      place = next
    }
  }

  /// Reads the page of a frame; the buffer then contains its bytes.
  package func read(_ frame: UInt32, of page: UInt32, into buffer: PageBuffer) throws(PageError) {
    let count = try source.read(into: buffer.frame, at: header.offset(ofFrame: frame))
    let start = UnsafeRawPointer(buffer.frame.baseAddress.unsafelyUnwrapped)
    // Frames of commits change only if SQLite begins the log again.
    guard count == header.frameSize, start.uint64(at: 8) == header.salts,
      start.uint32(at: 0) == page
    else {
      throw PageError(.changedMeanwhile, page: page, frame: frame, "the log was begun again")
    }
  }
}
