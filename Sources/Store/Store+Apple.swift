import AppleStores
import Format
import FoundationEssentials
import Glibc
import Pages
import SQLite
import Stopping
import Synchronization

extension Store {
  /// The history files of stores of Apple's frameworks that this process reads, by absolute paths.
  private static let appleHistories = Mutex<[String: (history: String, given: String)]>([:])

  /// The history file with which a store of Core Data or SwiftData is read; nil for any other path.
  ///
  /// Without a folder of logs, the history file is temporary. `folder` finds the folder that keeps it,
  /// from the store's identifier. A history file that exists already reads what is new; `acceptingGap`
  /// says whether it may lack transactions that the app deleted before they were read.
  package static func appleHistory(
    of path: String,
    in folder: ((_ identifier: String) throws -> String)? = nil,
    acceptingGap: Bool = false
  ) throws -> String? {
    let place = absolutePath(path)
    let known = appleHistories.withLock { $0[place] }
    if folder == nil, let known { return known.history }
    guard let identifier = try appleIdentifier(of: path) else { return nil }
    let history: String
    if let folder {
      history = try folder(identifier) + "/_apple.history"
    } else {
      let temporary =
        FileManager.default.temporaryDirectory.path + "/travelog-\(UUID().uuidString)"
      Leftovers.add(temporary)
      try FileManager.default.createDirectory(
        atPath: temporary,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
      history = temporary + "/apple.history"
    }
    // A reading that was killed can leave an empty file.
    if try isUnmadeStore(at: history) {
      _ = try follow(path, history: history)
    } else {
      var options = Options()
      options.database = path
      options.acceptsGap = acceptingGap
      // A history file that this user may not write to is read as it is.
      options.isReadOnly = access(history, W_OK) != 0
      _ = try open(.file(URL(fileURLWithPath: history)), options: options)
    }
    let given = known?.given ?? path
    appleHistories.withLock { $0[place] = (history, given) }
    return history
  }

  /// Throws if a file is a store of Core Data or SwiftData, which would have to be written to.
  package static func refuseApple(_ path: String) throws {
    guard try !isOfApple(path) else { throw appleStore(at: path) }
  }

  /// Whether a file is a store of Core Data or SwiftData.
  package static func isOfApple(_ path: String) throws -> Bool {
    try appleHistories.withLock { $0[absolutePath(path)] } != nil
      || appleIdentifier(of: path) != nil
  }

  /// An error that names a store of Apple's frameworks instead of the history file with which it is read.
  package static func namingAppleStore(_ error: StoreError) -> StoreError {
    appleHistories.withLock { $0 }.values.reduce(error) {
      $0.naming($1.given, insteadOf: $1.history)
    }
  }

  /// The path of the store of Apple's frameworks that a history file reads; any other path is returned.
  package static func nameOfApple(_ path: String) -> String {
    appleHistories.withLock { $0 }.values.first { $0.history == path }?.given ?? path
  }

  /// The UUID of a store of Apple's frameworks; nil for any other file.
  private static func appleIdentifier(of path: String) throws -> String? {
    try withApple(path) { try AppleDatabase.identifier(of: $0) }
  }

  /// Throws if a file is a store of Apple's frameworks whose model can only be guessed.
  package static func checkAppleModel(of path: String) throws {
    do {
      _ = try withApple(path) { _ = try AppleDatabase($0, isStrict: true) }
    } catch let error as StoreError where error.code == .damaged && error.path == nil {
      throw StoreError(.damaged, at: path, cause: error) {
        "The model in \(path) can't be read. " + error.wording
      }
    }
  }

  /// Calls the closure with a store of Apple's frameworks; nil for any other file.
  private static func withApple<Result>(
    _ path: String,
    _ body: (DatabaseSnapshot) throws -> Result
  ) throws -> Result? {
    guard try describingErrors(at: path, { try mayBeApple(path) }) else { return nil }
    return try DatabaseFiles.whileUnchanged(absolutePath(path)) { files -> Result?? in
      let folder = FileManager.default.temporaryDirectory.path
      guard let snapshot = try DatabaseSnapshot(files, folder: folder) else { return nil }
      guard try AppleDatabase.isStore(snapshot) else { return .some(nil) }
      return try body(snapshot)
    }
  }

  /// Whether a file can be a store of Apple's frameworks.
  ///
  /// SQLite reads only the main file, so that no lock is taken or lost, and no file is created. What
  /// can't be read is reported by the caller, which opens the file next.
  private static func mayBeApple(_ path: String) throws -> Bool {
    guard access(path, R_OK) == 0 else { return false }
    let names: [String]
    do {
      let connection = try Connection(path: path, mode: .immutable)
      let header = try connection.firstBytes(100)
      guard header.count == 100,
        header[68..<72].reduce(Int32(0), { $0 << 8 | Int32($1) }) != Catalog.applicationID
      else { return false }
      names = try connection.all(
        "SELECT name FROM sqlite_schema WHERE type = 'table' LIMIT 10000"
      ) { $0.string(at: 0) }
    } catch let error as SQLiteError
      where error.primaryCode != SQLiteError.noMemory
      && error.code != SQLiteError.inputOutputNoMemory
    {
      return false
    }
    // All tables can still be in the write-ahead log.
    if names.isEmpty { return access(path + "-wal", R_OK) == 0 }
    return AppleStore.signs.isSubset(of: names)
  }

  /// Makes the history file of a store of Apple's frameworks; nil if the store changed meanwhile.
  static func makeAppleHistory(
    _ snapshot: DatabaseSnapshot,
    _ history: String
  ) throws -> AdoptionResult? {
    let apple = try AppleDatabase(snapshot)
    let identifier = try apple.identifier()
    let provenance = Provenance(
      birth: { Provenance.Birth(identifier: identifier, time: currentTime()) },
      stamp: Provenance.system.stamp
    )
    let connection = try Connection(path: history, mode: .readWriteCreate)
    try connection.setTriggers(enabled: false)
    try connection.setForeignKeys(enforced: false)
    // These settings must be made before the first table exists.
    try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    let reading = DatabaseReading(
      connection: connection,
      location: .file(URL(fileURLWithPath: history))
    )
    let isRead = try reading.read(apple) {
      try Catalog.create(apple.schema, on: connection, provenance: provenance)
      try AppleTransactions.create(on: connection)
      return AppleProgress()
    }
    guard isRead, let progress = try AppleProgress(on: connection) else { return nil }
    return AdoptionResult(identifier: identifier, prefix: "", tables: [], rows: progress.rows)
  }
}

extension DatabaseReading {
  /// Reads what is new in a store of Apple's frameworks; nil if it changed meanwhile.
  func readApple(_ files: DatabaseFiles) throws -> Bool? {
    guard let snapshot = try DatabaseSnapshot(files, folder: location.folder) else { return nil }
    guard try AppleDatabase.isStore(snapshot) else {
      throw StoreError(.otherStore, at: files.path) {
        "\(files.path) is not a store of Core Data any more.\nName the file that \(connection.path) follows."
      }
    }
    let apple = try AppleDatabase(snapshot)
    try AppleReading.checkIdentifier(of: apple, on: connection)
    try migrate(to: apple)
    return try read(apple) {
      try AppleProgress(on: connection) ?? AppleProgress()
    } ? true : nil
  }

  /// Reads a store in one SQL transaction; false if the store changed meanwhile, and nothing was written.
  ///
  /// `begin` returns what an earlier reading noted.
  fileprivate func read(_ apple: AppleDatabase, begin: () throws -> AppleProgress) throws -> Bool {
    let place = try isEmpty(connection) ? nil : ReadDatabase(on: connection)?.log?.position
    let first = try apple.firstCommit(after: place)
    do {
      return try read(apple, from: first, begin: begin)
    } catch  where first < apple.snapshot.lastCommit && isAboutRules(error) {
      // The rules of the last state, by which the tables were made, do not hold for an earlier one.
      return try read(apple, from: apple.snapshot.lastCommit, begin: begin)
    }
  }

  /// Whether a row breaks a rule of its table.
  private func isAboutRules(_ error: any Error) -> Bool {
    switch error {
    case let error as SQLiteError: error.primaryCode == SQLiteError.constraint
    case let error as StoreError:
      [.duplicate, .missingValue, .missingReference, .replayMismatch].contains(error.code)
    default: false
    }
  }

  private func read(
    _ apple: AppleDatabase,
    from first: Int,
    begin: () throws -> AppleProgress
  ) throws -> Bool {
    struct Changed: Error {}
    var reading: AppleReading?
    do {
      try connection.inTransaction {
        let progress = try begin()
        // Earlier versions made history files without this table.
        try AppleLeaves.create(on: connection)
        let made = try AppleReading(
          apple,
          into: connection,
          location: location,
          progress: progress,
          acceptsGap: acceptsGap
        )
        reading = made
        try made.run(from: first).note(on: connection)
        guard try apple.snapshot.isTrue(from: first) else { throw Changed() }
        try ReadDatabase(apple, time: currentTime()).note(on: connection)
      }
      reading?.committed()
      return true
    } catch {
      reading?.abandon()
      if error is Changed { return false }
      throw apple.error ?? error
    }
  }

  /// Gives the history file the tables of a store that the app has migrated.
  private func migrate(to apple: AppleDatabase) throws {
    let catalog = try Catalog(on: connection)
    guard !apple.schema.differences(fromStored: catalog.schema).isEmpty else { return }
    let plan = try MigrationPlan(
      from: catalog.schema,
      to: apple.schema.withDefaults,
      path: connection.path
    )
    try Migration.apply(plan, on: connection, author: Author(process: ""))
    try connection.setForeignKeys(enforced: false)
  }
}

extension StoreSchema {
  /// The schema with a value for each required attribute, which the rows get until they are compared
  /// with those of the store.
  fileprivate var withDefaults: StoreSchema {
    var schema = self
    for entity in schema.entities.indices {
      for place in schema.entities[entity].attributes.indices {
        let attribute = schema.entities[entity].attributes[place]
        guard !attribute.isOptional, attribute.defaultValue == nil else { continue }
        schema.entities[entity].attributes[place].defaultValue = attribute.type.placeholder(for: 0)
      }
    }
    return schema
  }
}

extension ReadDatabase {
  fileprivate init(_ apple: AppleDatabase, time: String) {
    self.init(
      path: apple.path,
      stamp: apple.snapshot.files.stamp,
      log: apple.snapshot.log.map { LogPlace($0.position) },
      schemaCookie: 0,
      time: time
    )
  }
}
