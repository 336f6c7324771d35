import Adoption
import Format
import SQLite

/// The place of the last commit of an adopted file, from which later commits can be counted.
struct CommitPlace: Hashable {
  private static let key = "commit_place"

  /// The salts of the write-ahead log, zero if the log is missing or empty; nil if the file has a
  /// rollback journal.
  let salts: UInt64?
  /// The number of frames in the log, or the change counter of the file.
  let number: Int64

  private init(salts: UInt64?, number: Int64) {
    self.salts = salts
    self.number = number
  }

  /// Reads the present place; nil if the file is not a database.
  init?(on connection: Connection) throws {
    guard try connection.isForWriteAheadLog else {
      let bytes = try connection.fileBytes(4, at: 24)
      guard bytes.count == 4 else { return nil }
      self.init(salts: nil, number: bytes.reduce(0) { $0 << 8 | Int64($1) })
      return
    }
    var number: Int64 = 0
    let salts = try forEachLogFrame(of: connection.path) { frame in
      if frame.endsCommit { number = Int64(frame.number) }
    }
    self.init(salts: number > 0 ? salts : 0, number: number)
  }

  // MARK: The catalog

  /// The place in the catalog, and whether all rows equalled those in history there; nil if there is
  /// none.
  private static func noted(
    on connection: Connection
  ) throws -> (place: CommitPlace, isCompared: Bool)? {
    guard case .text(let text) = try Catalog.value(key, on: connection) else { return nil }
    let parts = text.split(separator: " ")
    guard parts.count == 3, let number = Int64(parts[2]) else { return nil }
    let salts = UInt64(parts[1])
    guard salts != nil || parts[1] == "journal" else { return nil }
    return (CommitPlace(salts: salts, number: number), parts[0] == "compared")
  }

  /// Notes the present place in the open transaction of the caller.
  ///
  /// The caller must have the write lock, so that its commit is the next one after the place.
  ///
  /// `isCompared` says whether all rows equal those in history now.
  static func note(isCompared: Bool, on connection: Connection) throws {
    guard let place = try CommitPlace(on: connection) else {
      return try Catalog.remove(key, on: connection)
    }
    let words = [
      isCompared ? "compared" : "changed", place.salts.map { "\($0)" } ?? "journal",
      "\(place.number)",
    ]
    try Catalog.set(key, value: .text(words.joined(separator: " ")), on: connection)
  }

  /// Whether no program has committed anything since the last comparison, except the commit that
  /// noted it.
  ///
  /// While a file has a write-ahead log, its change counter does not count commits. So nothing is
  /// known if SQLite had removed or emptied the log, or has done so since.
  static func isCompared(on connection: Connection) throws -> Bool {
    guard let (place, isCompared) = try noted(on: connection), isCompared else { return false }
    let isForLog = try connection.isForWriteAheadLog
    guard let salts = place.salts else {
      return try !isForLog && CommitPlace(on: connection)?.number == place.number + 1
    }
    guard isForLog, salts != 0 else { return false }
    var commits = 0
    let found = try forEachLogFrame(of: connection.path) { frame in
      if frame.number > place.number, frame.endsCommit { commits += 1 }
    }
    return found == salts && commits == 1
  }

  // MARK: Commits that were not captured

  /// The number of commits in the write-ahead log, since the last place that was noted, that changed recorded
  /// tables without the triggers.
  ///
  /// A captured change also changes the clock, which has a page of its own. Only pages that were not
  /// written again since are looked at, because they still belong to the same table. The result is
  /// zero if the log was emptied, or if SQLite may have moved pages.
  static func uncapturedCommits(names: CaptureNames, on connection: Connection) throws -> Int64 {
    guard let place = try noted(on: connection)?.place, try connection.isForWriteAheadLog,
      try connection.integer("PRAGMA auto_vacuum") == 0,
      let context = try connection.integer(
        "SELECT rootpage FROM sqlite_schema WHERE name = '\(names.context)'"
      )
    else { return 0 }
    var commits: [(end: Int64, isCaptured: Bool)] = []
    var last: [UInt32: Int] = [:]
    var isCaptured = false
    let salts = try forEachLogFrame(of: connection.path) { frame in
      last[frame.page] = commits.count
      if Int64(frame.page) == context { isCaptured = true }
      guard frame.endsCommit else { return }
      commits.append((Int64(frame.number), isCaptured))
      isCaptured = false
    }
    let begin = salts == place.salts ? place.number : 0
    let silent = Set(commits.indices.filter { !commits[$0].isCaptured && commits[$0].end > begin })
    let pages = last.filter { silent.contains($0.value) }
    guard !pages.isEmpty, let reading = try connection.pagesByTable() else { return 0 }
    var found: Set<Int> = []
    for entity in try Catalog(on: connection).schema.entities {
      try reading.bind(1, .text(entity.name))
      while try reading.step() {
        if let commit = pages[UInt32(truncatingIfNeeded: reading.int64(at: 0))] {
          found.insert(commit)
        }
      }
      reading.reset()
    }
    return Int64(found.count)
  }
}

extension Connection {
  /// A statement that reads the numbers of a table's pages; nil if SQLite was built without it.
  fileprivate func pagesByTable() throws -> Statement? {
    do {
      return try prepare("SELECT pageno FROM dbstat WHERE name = ?1")
    } catch let error as SQLiteError where error.primaryCode == SQLiteError.error {
      return nil
    }
  }
}
