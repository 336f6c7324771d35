/// A state of a database: the pages of its file, and of its write-ahead log up to a commit.
///
/// The view only reads, and takes no locks. A checkpoint of later commits overwrites pages that the
/// state needs. Unless the caller prevents it, the caller must update the log after reading: the
/// state was read correctly if there is no later commit, or if the state is not before
/// ``WriteAheadLog/firstReadableCommit(in:)``. Without a log, the caller must prevent writers.
package final class DatabaseView: Sendable {
  package let file: ByteSource
  package let log: WriteAheadLog?
  /// The number of the log's commits that the state contains.
  package let commit: Int
  package let layout: PageLayout
  /// The header of the state; nil if the database is empty.
  package let header: DatabaseHeader?
  package let pageCount: UInt32
  private let filePageCount: UInt32
  let lastFrame: UInt32

  /// Opens a state of a database.
  ///
  /// `commit` is the number of commits of the log that the state contains. By default, the state
  /// contains all of them. The caller passes no log if the database does not have one.
  package init(_ file: ByteSource, log: WriteAheadLog? = nil, commit: Int? = nil) throws(PageError)
  {
    self.file = file
    self.log = log
    let last = log?.commits.count ?? 0
    self.commit = max(0, min(commit ?? last, last))
    let end = self.commit > 0 ? log?.commits[self.commit - 1] : nil
    lastFrame = end?.lastFrame ?? 0
    let size = try file.size()
    let frame = log?.frame(of: 1, through: lastFrame) ?? 0
    guard size > 0 || frame > 0 else {
      (layout, header, pageCount, filePageCount) = (.empty, nil, 0, 0)
      return
    }
    let first: [UInt8]
    if let log, frame > 0 {
      let buffer = PageBuffer(count: log.header.pageSize)
      try log.read(frame, of: 1, into: buffer)
      first = Array(buffer.bytes.prefix(DatabaseHeader.size))
    } else {
      first = try file.bytes(DatabaseHeader.size, at: 0)
    }
    let header = try DatabaseHeader(first)
    guard end == nil || log?.header.pageSize == header.layout.pageSize else {
      throw .corrupt(page: 1, "the write-ahead log has pages of another size")
    }
    self.header = header
    layout = header.layout
    let count = size / Int64(layout.pageSize)
    filePageCount = UInt32(clamping: count)
    pageCount = end?.pageCount ?? header.pageCount ?? filePageCount
    guard pageCount > 0, end != nil || pageCount <= filePageCount else {
      throw PageError(.truncated, "the file has \(count) pages instead of \(pageCount)")
    }
  }

  /// The number of pages that the file and the log have, which is independent of what pages claim.
  var existingPageCount: Int { Int(filePageCount) + Int(lastFrame) }

  /// The frame of the log with a page; zero if the page is in the database file.
  ///
  /// A page that is in the same frame or in the database file in two states has the same bytes in
  /// both states.
  package func frame(of page: UInt32) -> UInt32 { log?.frame(of: page, through: lastFrame) ?? 0 }

  /// Reads a page; the buffer then contains its bytes.
  ///
  /// `origin` is the page that refers to it, for errors.
  package func read(
    _ page: UInt32,
    into buffer: PageBuffer,
    from origin: UInt32 = 0
  ) throws(PageError) {
    guard page > 0, page <= pageCount, page != layout.lockBytePage else {
      throw .corrupt(page: origin, "page \(page) is not one of the \(pageCount) usable pages")
    }
    let frame = frame(of: page)
    if let log, frame > 0 { return try log.read(frame, of: page, into: buffer) }
    let offset = Int64(page - 1) * Int64(layout.pageSize)
    guard try file.read(into: buffer.page, at: offset) == layout.pageSize else {
      throw PageError(.truncated, page: page, "the file ends before the end of the page")
    }
  }
}
