import Adoption
import Format
import Glibc
import Pages
import SQLite

/// Reads what is new in a database into the history file beside it.
///
/// If the write-ahead log continues where the last reading ended, each commit becomes a transaction.
/// Otherwise the tables are compared with the rows that were seen last, and all differences together
/// become one transaction.
struct DatabaseReading {
  /// The connection to the history file, which runs no triggers and enforces no foreign keys.
  let connection: Connection
  let location: Location
  /// The present path of the database, if it was moved.
  var path: String?
  /// Whether transactions may be missing that an app deleted before they were read.
  var acceptsGap = false

  /// Files of the database that must stay open; they are used again as long as the database is the same
  /// file.
  var kept: DatabaseFiles?

  /// Reads until nothing is new.
  ///
  /// - Returns: Whether anything was new.
  @discardableResult
  func run() throws -> Bool {
    guard let known = try ReadDatabase(on: connection), !known.isCopy else { return false }
    let present = path.map(absolutePath) ?? known.path
    return try DatabaseFiles.whileUnchanged(present, sharing: kept) { files in
      guard let known = try ReadDatabase(on: connection) else { return false }
      guard path == nil || files.path == known.path, try files.isUnchanged(since: known) else {
        return try read(files)
      }
      try noteTime(known)
      return false
    }
  }

  /// Notes that nothing was new, at most every ten seconds.
  private func noteTime(_ known: ReadDatabase) throws {
    guard known.time < timeText(milliseconds: currentMilliseconds() - 10_000) else { return }
    try connection.inTransaction {
      guard var present = try ReadDatabase(on: connection), present.time == known.time else {
        return
      }
      present.time = currentTime()
      try present.note(on: connection)
    }
  }

  /// Reads the present states; nil if the database changed meanwhile, and nothing was written.
  private func read(_ files: DatabaseFiles) throws -> Bool? {
    if try AppleProgress(on: connection) != nil { return try readApple(files) }
    guard let snapshot = try DatabaseSnapshot(files, folder: location.folder) else { return nil }
    struct Changed: Error {}
    do {
      try connection.inTransaction {
        // Another process may have read the same states meanwhile.
        guard var known = try ReadDatabase(on: connection) else { return }
        let plan = try plan(snapshot, since: known)
        known.schemaCookie = try write(plan, of: snapshot, since: known)
        guard try snapshot.isTrue(from: plan.first) else { throw Changed() }
        known.path = files.path
        known.stamp = files.stamp
        known.noteLog(at: snapshot.log?.position)
        known.time = currentTime()
        try known.note(on: connection)
      }
      return true
    } catch is Changed {
      return nil
    }
  }

  // MARK: States

  private struct Plan {
    /// The first state that is read: a number of commits in the log.
    let first: Int
    /// Whether the first state is compared with the rows that were seen last; otherwise it is the
    /// state that was seen last.
    let isCompared: Bool
    /// Why the commits before the first state can't be read one by one; nil if that is usual.
    var remark: String?
  }

  private func plan(_ snapshot: DatabaseSnapshot, since known: ReadDatabase) throws -> Plan {
    var first = snapshot.firstReadable
    if known.log == nil, first == 0, snapshot.files.stamp == known.stamp {
      // All commits of the log are new.
      return Plan(first: 0, isCompared: false)
    }
    let seen = try known.log.flatMap { try snapshot.log?.commit(at: $0.position) }
    if let seen {
      first = max(first, seen)
    } else if let log = snapshot.log, known.isPutBack(log.header) {
      // The commits of a copy are perhaps those that were read before.
      first = log.commits.count
    }
    guard snapshot.files.stamp.isSameFile(as: known.stamp) else {
      return Plan(first: first, isCompared: true, remark: "the database is another file")
    }
    guard known.log != nil else { return Plan(first: first, isCompared: true) }
    guard let seen else {
      let remark = "the write-ahead log was begun again or removed since"
      return Plan(first: first, isCompared: true, remark: remark)
    }
    if seen == first { return Plan(first: seen, isCompared: false) }
    let remark = "a checkpoint overwrote pages that the commits need"
    return Plan(first: first, isCompared: true, remark: remark)
  }

  /// Writes the states of a plan, and returns the schema cookie of the last one.
  private func write(
    _ plan: Plan,
    of snapshot: DatabaseSnapshot,
    since known: ReadDatabase
  ) throws -> UInt32 {
    let last = snapshot.log?.commits.count ?? 0
    if !plan.isCompared, plan.first == last { return known.schemaCookie }
    let states = try DatabaseStates(snapshot, at: plan.first, names: names)
    do {
      return try write(plan, states, through: last, since: known)
    } catch {
      // SQLite does not say why it could not read a page.
      throw states.error ?? error
    }
  }

  /// Writes the states from the first one of a plan to a last one.
  private func write(
    _ plan: Plan,
    _ states: DatabaseStates,
    through last: Int,
    since known: ReadDatabase
  ) throws -> UInt32 {
    var tables = try tables(states)
    /// Follows a change of the schema; false if the rows must still be compared.
    func followSchema(_ reading: Reading) throws -> Bool {
      let program = try states.programSchema(since: tables.catalog)
      guard differs(program.schema, from: tables.catalog.schema) else { return false }
      try tables.complete()
      let isCompared = try change(tables.catalog, to: program, states: states, since: reading)
      tables = try self.tables(states)
      return isCompared
    }
    let comparison = known.reading(isCommit: false, remark: plan.remark)
    let commit = known.reading(isCommit: true)
    if plan.isCompared {
      let isOther = !states.files.stamp.isSameFile(as: known.stamp)
      let names = Set(tables.catalog.schema.entities.map(\.name))
      if try followSchema(comparison) {
        let common = tables.catalog.schema.entities.count { names.contains($0.name) }
        if isOther, 2 * common < min(names.count, tables.catalog.schema.entities.count) {
          throw otherDatabase(states.database.path)
        }
      } else {
        try tables.record(.difference, details: comparison.details) {
          try tables.compare(with: states.view, roots: states.roots)
        }
        if isOther, !tables.hasMostRows { throw otherDatabase(states.database.path) }
      }
    } else if states.view.header?.schemaCookie != known.schemaCookie {
      _ = try followSchema(comparison)
    }
    if plan.first < last {
      for number in plan.first + 1...last {
        let next = try states.state(at: number)
        guard next.view.header?.schemaCookie == states.view.header?.schemaCookie else {
          try states.show(next)
          if try followSchema(commit) { continue }
          try tables.record(.foreign, details: commit.details) {
            try tables.compare(with: states.view, roots: states.roots)
          }
          continue
        }
        let changed = try tables.changedRows(
          Pages.Comparison(states.view, next.view),
          roots: (states.roots, next.roots)
        )
        try states.show(next)
        try tables.record(.foreign, details: commit.details) {
          try tables.write(changed)
        }
        if states.hasNewHeader(since: tables.catalog.schema) { _ = try followSchema(commit) }
      }
    }
    try tables.complete()
    try tables.blobs.prepareToCommit()
    try AdoptedReplica.raise(
      readSequences(states.database),
      of: tables.catalog.schema,
      on: connection
    )
    return states.view.header?.schemaCookie ?? 0
  }

  private func tables(_ states: DatabaseStates) throws -> ReadState {
    try ReadState(connection, database: states.database, location: location)
  }

  var names: CaptureNames { connection.captureNames }

  private func otherDatabase(_ path: String) -> StoreError {
    StoreError(.historyDiverged, at: path) {
      "\(path) is not the database that \(connection.path) follows: it is another file, and most of"
        + " its rows differ.\nIf the right one was moved: travelog adopt HISTORY --database PATH. To follow this"
        + " one: travelog adopt \(path) --history NEW"
    }
  }
}

extension DatabaseFiles {
  /// Runs a function that reads a database, until no program changes the database meanwhile, at most
  /// five times; the function returns nil if it has to be run again.
  static func whileUnchanged<Result>(
    _ path: String,
    sharing other: DatabaseFiles? = nil,
    _ body: (DatabaseFiles) throws -> Result?
  ) throws -> Result {
    for attempt in 0..<5 {
      if attempt > 0 { usleep(UInt32(20_000 << attempt)) }
      let files = try DatabaseFiles(path, sharing: other)
      if let result = try files.describingErrors({ try body(files) }) { return result }
    }
    throw StoreError(.locked, at: path) {
      "A program changes \(path) again and again while it is read."
        + "\nTry again when the program writes less."
    }
  }

  /// Runs a function that reads the files, and converts its errors; nil if it failed because a program
  /// changed the files meanwhile.
  func describingErrors<Result>(_ body: () throws -> Result?) throws -> Result? {
    do {
      return try body()
    } catch {
      // A file that is changed while it is read looks damaged.
      if mayHaveChanged { return nil }
      switch error {
      case let error as PageError: throw error.asStoreError(at: path)
      // Other errors of SQLite are about the history file.
      case let error as SQLiteError where error.path == path:
        let code: StoreError.Code = error.primaryCode == SQLiteError.corrupt ? .damaged : .database
        throw StoreError(code, at: path, cause: error) {
          "\(path) can't be read: \(error.message).\nRun PRAGMA integrity_check. The history file keeps"
            + " what was read before."
        }
      default: throw error
      }
    }
  }
}

extension PageError {
  func asStoreError(at path: String) -> StoreError {
    let code: StoreError.Code =
      switch self.code {
      case .notADatabase, .encrypted: .notADatabase
      case .newerFormat: .newerFormat
      case .truncated, .corrupt, .tooLarge: .damaged
      case .changedMeanwhile: .locked
      case .inputOutput: .inputOutput
      }
    return StoreError(code, at: path, cause: self) {
      "\(path) can't be read. \(message)\nThe history file keeps what was read before."
    }
  }
}
