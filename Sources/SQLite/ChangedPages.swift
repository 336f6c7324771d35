import CSQLite

/// The pages of a file that were written after unused bytes were last cleared.
///
/// The write-ahead log contains the numbers of the pages of a commit. The numbers are read before
/// another commit can overwrite them. If another connection commits, its pages are not known. After
/// such a commit, and at the beginning, any page may have been written.
package final class ChangedPages {
  /// If more pages than this number were written, all pages are read.
  private static let largestCount = 1 << 16
  /// The number of frames at which the log is checkpointed, which is SQLite's default.
  private static let longestLog: Int32 = 1000

  private let connection: Connection
  /// The written pages; nil if any page may have been written.
  private var pages: Set<UInt32>?
  /// The bytes in the log's header that change when the log begins again, and the number of frames
  /// that were read.
  private var run: [UInt8] = []
  private var frames = 0
  /// The data version of the database, which changes with commits of other connections.
  private var version: Int64 = 0
  /// The number of pages that were read to find unused bytes.
  package private(set) var pagesRead: Int64 = 0

  /// Watches the commits of a connection.
  ///
  /// Pages that were written earlier are not known, so at first any page may have been written.
  fileprivate init(_ connection: Connection) {
    self.connection = connection
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_wal_hook(
      connection.database,
      { context, _, _, frames in
        guard let context else { return SQLITE_OK }
        let pages = Unmanaged<ChangedPages>.fromOpaque(context).takeUnretainedValue()
        pages.committed(frames)
        return SQLITE_OK
      },
      context
    )
  }

  deinit { sqlite3_wal_autocheckpoint(connection.database, Self.longestLog) }

  /// Notes the pages of a commit.
  ///
  /// `count` is the number of frames in the log.
  private func committed(_ count: Int32) {
    do {
      try note(Int(count))
    } catch {
      // If another connection wrote, all pages must be checked.
      pages = nil
    }
    // The commit is complete, so an error of the checkpoint is ignored. For example, another
    // connection can prevent the checkpoint.
    if count >= Self.longestLog { _ = sqlite3_wal_checkpoint(connection.database, "main") }
  }

  private func note(_ count: Int) throws {
    guard pages != nil, let log = travelog_sqlite_log_file(connection.database) else { return }
    var header = [UInt8](repeating: 0, count: 32)
    try connection.checkFile(travelog_sqlite_file_read(log, &header, 32, 0))
    let pageSize = number(header[8..<12])
    let run = Array(header[16..<24])
    if run != self.run { frames = 0 }
    self.run = run
    var frame = [UInt8](repeating: 0, count: 4)
    for index in min(frames, count)..<count {
      let offset = 32 + Int64(index) * (24 + Int64(pageSize))
      try connection.checkFile(travelog_sqlite_file_read(log, &frame, 4, offset))
      pages?.insert(number(frame[...]))
    }
    frames = count
    if let known = pages, known.count > Self.largestCount { pages = nil }
  }

  private func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Overwrites unused bytes inside pages with zeros, while no other connection writes.
  ///
  /// If only this connection wrote, only the written pages are read. Otherwise all pages are read.
  ///
  /// - Returns: False if the write-ahead log is not empty, because it contains newer versions of
  ///   pages.
  /// - Throws: ``SQLiteError/busy`` if another connection writes.
  package func clearGaps() throws -> Bool {
    guard let file = travelog_sqlite_file(connection.database),
      let log = travelog_sqlite_log_file(connection.database)
    else { return false }
    try connection.execute("BEGIN IMMEDIATE")
    do {
      // While this connection has the write lock and the log is empty, no page of the file changes.
      var size: sqlite3_int64 = 0
      try connection.checkFile(travelog_sqlite_file_size(log, &size))
      guard size == 0 else {
        try connection.execute("ROLLBACK")
        return false
      }
      let now = try dataVersion()
      try connection.checkFile(travelog_sqlite_file_size(file, &size))
      let scan = try PageGaps(connection, file: file, size: size)
      let result = try scan?.run(now == version ? pages : nil)
      pagesRead += result?.read ?? 0
      pages = result == nil ? nil : []
      run = []
      frames = 0
      version = now
      // The caches of all connections contain the old pages, which must not be written again. A
      // commit makes all connections read the file.
      sqlite3_db_release_memory(connection.database)
      if result?.hasWritten == true { try touch() }
      try connection.execute("COMMIT")
      return result != nil
    } catch {
      pages = nil
      connection.rollBack()
      throw error
    }
  }

  /// A number that changes with each commit of another connection.
  private func dataVersion() throws -> Int64 {
    let reading = try connection.cached("PRAGMA data_version")
    defer { reading.reset() }
    return try reading.step() ? reading.int64(at: 0) : 0
  }

  /// Writes a page with the same contents, as a change that all connections notice.
  private func touch() throws {
    let reading = try connection.prepare("PRAGMA user_version")
    let version = try reading.step() ? reading.int64(at: 0) : 0
    reading.reset()
    try connection.execute("PRAGMA user_version = \(version)")
  }
}

extension Connection {
  /// The object that watches the commits of this connection; the same object for all callers.
  package func watchPages() -> ChangedPages {
    if let changedPages { return changedPages }
    let pages = ChangedPages(self)
    changedPages = pages
    return pages
  }
}
