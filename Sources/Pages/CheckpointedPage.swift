/// A page that a checkpoint has probably copied from the log to the database file.
///
/// The database file no longer has the bytes that the page had before its first frame. So states
/// before that frame can't be read if they need the page.
package struct CheckpointedPage: Hashable, Sendable {
  package let page: UInt32
  /// The first frame of the log with the page.
  package let firstFrame: UInt32
  /// The newest frame whose bytes are equal to the page in the database file.
  package let equalFrame: UInt32
}

extension WriteAheadLog {
  /// Calls the closure with each page of a database file that is equal to one of its frames.
  ///
  /// A page that a transaction changed back to its earlier bytes is equal too, though there was no
  /// checkpoint. Only the database file and the log cannot show the difference.
  ///
  /// `last` is the last frame that a checkpoint may have copied; the caller knows it from
  /// ``LogIndex``, or passes the greatest number.
  package func forEachCheckpointedPage(
    in file: ByteSource,
    checkpointedThrough last: UInt32 = .max,
    _ body: (CheckpointedPage) throws(PageError) -> Void
  ) throws(PageError) {
    guard last > 0, let layout = PageLayout(pageSize: header.pageSize, reserved: 0) else { return }
    let (present, logged) = (PageBuffer(layout), PageBuffer(layout))
    try forEachPage { (page, frames) throws(PageError) in
      guard frames[0] <= last else { return }
      let offset = Int64(page - 1) * Int64(layout.pageSize)
      guard try file.read(into: present.page, at: offset) == layout.pageSize else { return }
      for frame in frames.reversed() {
        try read(frame, of: page, into: logged)
        guard present.isEqual(to: logged) else { continue }
        return try body(
          CheckpointedPage(page: page, firstFrame: frames[0], equalFrame: frame)
        )
      }
    }
  }

  /// The number of the first commit from which on every state can be read; the states before it need
  /// pages that the database file no longer has.
  package func firstReadableCommit(
    in file: ByteSource,
    checkpointedThrough limit: UInt32 = .max
  ) throws(PageError) -> Int {
    var last: UInt32 = 0
    try forEachCheckpointedPage(in: file, checkpointedThrough: limit) {
      last = max(last, $0.firstFrame)
    }
    return last == 0 ? 0 : (commits.firstIndex { $0.lastFrame >= last } ?? commits.count) + 1
  }
}
