import CSQLite

/// The pages of a file that were written since the gaps in them were overwritten last.
///
/// A commit leaves the numbers of its pages in the write-ahead log, from where they are taken before
/// anybody can write over them. What other connections commit is not seen, only that they did; then,
/// and in the beginning, any page may have been written.
package final class ChangedPages {
  /// More than so many are all.
  private static let largestCount = 1 << 16
  /// The log is taken back into the file when it has so many frames, as SQLite does by itself.
  private static let longestLog: Int32 = 1000

  private let connection: Connection
  /// The pages; nil if any may have been written.
  private var pages: Set<UInt32>?
  /// What tells this run of the log from earlier ones, and how many frames of it were looked at.
  private var run: [UInt8] = []
  private var frames = 0
  /// The commits of others that are known of.
  private var version: Int64 = 0
  /// How many pages were read to look for gaps, in all.
  package private(set) var pagesRead: Int64 = 0

  /// Begins to watch the commits of a connection, before which any page may have been written.
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

  /// Takes note of the pages of a commit, after which the log has so many frames.
  private func committed(_ count: Int32) {
    do {
      try note(Int(count))
    } catch {
      // What can't be read is found when all pages are looked at.
      pages = nil
    }
    // The commit is done, and somebody who is at work on the log is no failure of it.
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

  /// Overwrites what lies between the parts of pages with zeros, while nobody else writes.
  ///
  /// Pages that were written are read for it; all where others wrote since.
  ///
  /// - Returns: False if the write-ahead log is not empty, which has newer pages.
  /// - Throws: ``SQLiteError/busy`` where somebody else writes.
  package func clearGaps() throws -> Bool {
    guard let file = travelog_sqlite_file(connection.database),
      let log = travelog_sqlite_log_file(connection.database)
    else { return false }
    try connection.execute("BEGIN IMMEDIATE")
    do {
      // While we may write and the log is empty, nobody changes a page of the file.
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
      // What is in memory is as the file was, here and with those who read meanwhile, and is not to
      // be written to it again: a commit makes all of them forget it.
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

  /// A number that is another one after each commit of another connection.
  private func dataVersion() throws -> Int64 {
    let reading = try connection.cached("PRAGMA data_version")
    defer { reading.reset() }
    return try reading.step() ? reading.int64(at: 0) : 0
  }

  /// Changes the file without changing what it says.
  private func touch() throws {
    let reading = try connection.prepare("PRAGMA user_version")
    let version = try reading.step() ? reading.int64(at: 0) : 0
    reading.reset()
    try connection.execute("PRAGMA user_version = \(version)")
  }
}

extension Connection {
  /// Watches the commits of this connection; there is one for whoever asks.
  package func watchPages() -> ChangedPages {
    if let changedPages { return changedPages }
    let pages = ChangedPages(self)
    changedPages = pages
    return pages
  }
}
