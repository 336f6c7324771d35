import Adoption
import Format
import FoundationEssentials
import Glibc
import Pages
import SQLite

extension Store {
  /// Makes a history file for a database that is only read.
  ///
  /// The history file is a store with the present tables and rows of the database. Nothing is written
  /// to the database or to its folder.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - history: The path of the new file, which must not exist.
  ///   - prefix: The beginning of the names of Travelog's tables in the history file.
  ///   - leftOut: The tables and columns that must not get into history.
  /// - Returns: The identity of the history file, and the way in which the tables are recorded.
  /// - Throws: ``StoreError``; there is then no history file.
  package static func follow(
    _ database: String,
    history: String,
    prefix: String = CaptureNames.usualPrefix,
    leavingOut leftOut: [LeftOut] = []
  ) throws -> AdoptionResult {
    guard CaptureNames.isPrefix(prefix) else { throw wrongPrefix(prefix, at: database) }
    guard try isUnmadeStore(at: history) else {
      throw StoreError(.misuse, at: history) {
        "\(history) exists already.\nName a new file for the history."
      }
    }
    let others = ["-journal", "-wal", "-shm"].map { absolutePath(database) + $0 }
    guard !others.contains(absolutePath(history)) else {
      throw StoreError(.misuse, at: history) {
        "\(history) is the name of a file that SQLite makes and deletes beside \(database)."
          + "\nName another file for the history."
      }
    }
    let isNew = access(history, F_OK) != 0
    do {
      return try describingErrors(at: history) {
        try DatabaseFiles.whileUnchanged(absolutePath(database)) {
          try makeHistory($0, history, prefix, leftOut)
        }
      }
    } catch {
      if isNew { for suffix in ["", "-journal", "-wal", "-shm"] { unlink(history + suffix) } }
      throw error
    }
  }

  /// Reads how the tables of a database would be recorded in a history file; nothing is created.
  package static func describeFollowedTables(
    of database: String,
    leavingOut leftOut: [LeftOut] = []
  ) throws -> [TableDescription] {
    try describingErrors(at: database) {
      try DatabaseFiles.whileUnchanged(absolutePath(database)) { files in
        let folder = FileManager.default.temporaryDirectory.path
        guard let snapshot = try DatabaseSnapshot(files, folder: folder) else { return nil }
        let names = CaptureNames(prefix: CaptureNames.usualPrefix)
        let last = snapshot.log?.commits.count ?? 0
        let states = try DatabaseStates(snapshot, at: last, names: names)
        try checkMayFollow(states.database)
        let parts = try checked(leftOut, names: names, on: states.database)
        let tables = try readTables(states.database, without: names, leavingOut: parts)
        return try snapshot.isTrue(from: last) ? tables : nil
      }
    }
  }

  /// The reason why the history of a database should be in a file of its own; nil if triggers in the
  /// database are better, because they know each change and its author.
  package static func reasonToFollow(_ database: String) throws -> String? {
    guard mayWrite(database), mayWrite(Location.file(URL(fileURLWithPath: database)).folder) else {
      return "this user may not write to it"
    }
    let names = try Set(describeFollowedTables(of: database).map(\.name))
    let signs = [
      ("room_master_table", "Room compares the tables with a checksum of its own"),
      ("android_metadata", "it is a copy from a phone, or its app expects only its own tables"),
      ("moz_places", "Firefox runs TEMP triggers, which come before others"),
      ("moz_cookies", "Firefox runs TEMP triggers, which come before others"),
    ]
    if let sign = signs.first(where: { names.contains($0.0) }) { return sign.1 }
    return names.isSuperset(of: ["meta", "urls"]) ? "Chromium switches triggers off" : nil
  }

  /// Reads the database of a history file at another path, and keeps the path.
  package static func follow(_ history: String, movedTo database: String) throws {
    var options = Options()
    options.database = database
    let store = try open(.file(URL(fileURLWithPath: history)), options: options)
    guard store.followsDatabase else { throw notAHistoryFile(history) }
  }

  /// Makes the history file; nil if the database changed meanwhile.
  private static func makeHistory(
    _ files: DatabaseFiles,
    _ history: String,
    _ prefix: String,
    _ leftOut: [LeftOut]
  ) throws -> AdoptionResult? {
    let location = Location.file(URL(fileURLWithPath: history))
    guard let snapshot = try DatabaseSnapshot(files, folder: location.folder) else {
      return nil
    }
    if try AppleDatabase.isStore(snapshot) {
      guard leftOut.isEmpty else {
        throw StoreError(.misuse, at: files.path) {
          "\(files.path) is a store of Core Data or SwiftData, and only tables can be left out."
            + "\nTo leave out values of entities: travelog export … --redact NAME"
        }
      }
      return try makeAppleHistory(snapshot, history)
    }
    let last = snapshot.log?.commits.count ?? 0
    let states = try DatabaseStates(snapshot, at: last, names: CaptureNames(prefix: prefix))
    try checkMayFollow(states.database)
    let connection = try Connection(path: history, mode: .readWriteCreate)
    try connection.setTriggers(enabled: false)
    try connection.setForeignKeys(enforced: false)
    try connection.execute("PRAGMA ignore_check_constraints = ON")
    // These settings must be made before the first table exists.
    try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    try connection.setEncoding("\(states.database.encoding)")
    try connection.useTables(prefix: prefix)
    do {
      try connection.execute("BEGIN EXCLUSIVE")
      let result = try fill(connection, states, leftOut)
      guard try snapshot.isTrue(from: last) else {
        connection.rollBack()
        return nil
      }
      try ReadDatabase(
        path: files.path,
        stamp: files.stamp,
        log: snapshot.log.map { ReadDatabase.LogPlace($0.position) },
        schemaCookie: states.view.header?.schemaCookie ?? 0,
        time: currentTime()
      ).note(on: connection)
      try connection.execute("COMMIT")
      return result
    } catch {
      connection.rollBack()
      throw states.error ?? error
    }
  }

  private static func fill(
    _ connection: Connection,
    _ states: DatabaseStates,
    _ leftOut: [LeftOut]
  ) throws -> AdoptionResult {
    let names = connection.captureNames
    let program = try ProgramSchema(
      states.database,
      names: names,
      leavingOut: checked(leftOut, names: names, on: states.database),
      version: "1"
    )
    guard !program.schema.entities.isEmpty else {
      throw nothingToRecord(at: states.database.path)
    }
    try connection.execute(Catalog.statements(connection.tables))
    try LeafDigests(connection).create()
    try DatabaseReading.createTables(program.schema, of: states.database, on: connection)
    try Catalog.set(AdoptedFile.mark, value: .text(names.prefix), on: connection)
    let schemaID = try Catalog.add(program.schema, on: connection)
    try Catalog.set("schema", value: .integer(schemaID), on: connection)
    try Catalog.set("format", value: .integer(Int64(Catalog.format)), on: connection)
    let (identifier, rows) = try begin(program.schema, schemaID: schemaID, on: connection)
    return AdoptionResult(
      identifier: identifier,
      prefix: names.prefix,
      tables: program.tables,
      rows: rows
    )
  }

  /// Throws if a database has its history inside.
  private static func checkMayFollow(_ database: Connection) throws {
    let path = database.path
    guard try database.integer("PRAGMA application_id") != Int64(Catalog.applicationID) else {
      throw StoreError(.misuse, at: path) {
        "\(path) is a store, which has history already.\nTo list the history: travelog log \(path)"
      }
    }
    guard try AdoptedFile.prefix(on: database) == nil else {
      throw StoreError(.misuse, at: path) {
        "\(path) is adopted already.\nTo list the history: travelog log \(path)"
      }
    }
  }
}

/// The path of a file without links; the given path if there is no such file.
func absolutePath(_ path: String) -> String {
  guard let resolved = realpath(path, nil) else { return path }
  defer { free(resolved) }
  return String(cString: resolved)
}

func notAHistoryFile(_ path: String) -> StoreError {
  StoreError(.misuse, at: path) {
    "\(path) is not the history file of a database."
      + "\nTo make one: travelog adopt DATABASE --history \(path)"
  }
}
