import Format
import Pages

/// Calls the closure with each frame of the write-ahead log beside a database, in order.
///
/// - Returns: The salts of the log, which change when SQLite resets it; nil if there is no valid log.
/// - Throws: ``StoreError`` if the log can't be read, and the errors of the body.
@discardableResult
func forEachLogFrame(
  of database: String,
  _ body: (LogHeader.Frame) throws -> Void
) throws -> UInt64? {
  let path = database + "-wal"
  guard let file = try OpenedFile(path) else { return nil }
  return try withExtendedLifetime(file) {
    do {
      let source = ByteSource.descriptor(file.descriptor)
      guard let header = try LogHeader(source) else { return nil }
      try header.forEachFrame(in: source, body)
      return header.salts
    } catch let error as PageError {
      throw StoreError(.inputOutput, at: path, cause: error) {
        "The write-ahead log \(path) can't be read: \(error.message)"
          + "\nCheck the disk, and the permissions of the file."
      }
    }
  }
}

/// Calls the closure for each commit in the write-ahead log beside a database, in order, with the
/// content of a page at that commit.
///
/// Commits before the first write of the page are skipped, because the log does not contain the
/// earlier content of the page.
func forEachLoggedCommit(
  of database: String,
  with page: UInt32,
  _ body: (UnsafeRawBufferPointer) throws -> Void
) throws {
  var content: [UInt8] = []
  try forEachLogFrame(of: database) { frame in
    if frame.page == page { content = Array(frame.content) }
    if frame.endsCommit, !content.isEmpty { try content.withUnsafeBytes(body) }
  }
}
