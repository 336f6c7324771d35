import Adoption
import Format
import FoundationEssentials
import SQLite

package struct AdoptionResult: Sendable {
  package let identifier: String
  package let prefix: String
  /// All tables of the program, each with the way in which it is recorded.
  package let tables: [TableDescription]
  /// The number of rows in the recorded tables.
  package let rows: Int64
}

extension Store {
  /// Reads how the tables of a database would be recorded, without changing anything.
  ///
  /// `leftOut` has the tables and columns to leave out in addition to those that the catalog has.
  package static func describeTables(
    of path: String,
    leavingOut leftOut: [LeftOut] = []
  ) throws -> [TableDescription] {
    try describingErrors(at: path) {
      let connection = try openProgramDatabase(path, mode: .readOnly)
      let prefix = try AdoptedFile.prefix(on: connection)
      var known: [LeftOut] = []
      if let prefix {
        try connection.useTables(prefix: prefix)
        known = try Catalog(on: connection).schema.leftOut ?? []
      }
      let names = prefix.map { CaptureNames(prefix: $0) }
      let added = try checked(leftOut, names: names, on: connection)
      return try readTables(connection, without: names, leavingOut: known + added)
    }
  }

  /// Adds the catalog, the history and the triggers to a database, in one transaction.
  ///
  /// The tables of the program and their rows are not changed.
  ///
  /// - Parameters:
  ///   - path: The database.
  ///   - prefix: The beginning of all names that are added.
  ///   - leftOut: The tables and columns that must not get into history.
  ///   - busyTimeout: The maximum time to wait for another writer.
  /// - Returns: The identity of the file, and the way in which its tables are recorded.
  /// - Throws: ``StoreError``; the database is then unchanged.
  package static func adopt(
    _ path: String,
    prefix: String = CaptureNames.usualPrefix,
    leavingOut leftOut: [LeftOut] = [],
    busyTimeout: Duration = .seconds(10)
  ) throws -> AdoptionResult {
    try describingErrors(at: path) {
      guard CaptureNames.isPrefix(prefix) else { throw wrongPrefix(prefix, at: path) }
      let connection = try openProgramDatabase(path, mode: .readWrite, busyTimeout: busyTimeout)
      return try connection.inTransaction {
        guard try AdoptedFile.prefix(on: connection) == nil else {
          throw StoreError(.misuse, at: path) {
            "\(path) is adopted already.\nTo list the history: travelog log \(path)"
          }
        }
        let names = CaptureNames(prefix: prefix)
        if let taken = try AdoptedFile.ours(names, on: connection).first {
          throw StoreError(.misuse, at: path) {
            "\(path) already has '\(taken.name)', which begins with the prefix '\(prefix)'."
              + "\nChoose another prefix: travelog adopt --prefix NAME_ \(path)"
          }
        }
        return try install(
          names,
          leavingOut: checked(leftOut, names: names, on: connection),
          on: connection
        )
      }
    }
  }

  /// Opens a database that is not a store of the library.
  private static func openProgramDatabase(
    _ path: String,
    mode: Connection.Mode,
    busyTimeout: Duration = .seconds(10)
  ) throws -> Connection {
    // Opening it as below could empty its write-ahead log.
    try refuseApple(path)
    let connection = try Connection(path: path, mode: mode)
    connection.setBusyTimeout(busyTimeout)
    guard mode == .readOnly || !connection.isReadOnly else {
      throw writeProtected(at: path)
    }
    let application = try connection.integer("PRAGMA application_id")
    guard application != Int64(Catalog.applicationID) else {
      throw StoreError(.misuse, at: path) {
        "\(path) is a store, which has history already.\nTo list the history: travelog log \(path)"
      }
    }
    return connection
  }

  static func install(
    _ names: CaptureNames,
    leavingOut leftOut: [LeftOut],
    on connection: Connection
  ) throws -> AdoptionResult {
    try connection.useTables(prefix: names.prefix)
    let program = try ProgramSchema(
      connection,
      names: names,
      leavingOut: leftOut,
      version: "1"
    )
    guard !program.schema.entities.isEmpty else {
      guard try isEmpty(connection) else { throw nothingToRecord(at: connection.path) }
      throw StoreError(.misuse, at: connection.path) {
        "\(connection.path) has no tables.\nCreate the tables with your program first."
      }
    }
    try connection.execute(Catalog.statements(connection.tables))
    for statement in names.contextStatements { try connection.execute(statement) }
    try AdoptedFile.install(program, names: names, on: connection)
    try Catalog.set(AdoptedFile.mark, value: .text(names.prefix), on: connection)
    let schemaID = try Catalog.add(program.schema, on: connection)
    try Catalog.set("schema", value: .integer(schemaID), on: connection)
    try Catalog.set("format", value: .integer(Int64(Catalog.format)), on: connection)
    let (identifier, rows) = try begin(program.schema, schemaID: schemaID, on: connection)
    try Capture.noteVersion(on: connection)
    return AdoptionResult(
      identifier: identifier,
      prefix: names.prefix,
      tables: program.tables,
      rows: rows
    )
  }

  /// Gives a file an identity, and begins its history with a transaction that has the digests of
  /// the tables.
  static func begin(
    _ schema: StoreSchema,
    schemaID: Int64,
    on connection: Connection
  ) throws -> (identifier: String, rows: Int64) {
    let birth = Provenance.system.birth()
    try Catalog.set("identifier", value: .text(birth.identifier), on: connection)
    try Catalog.set("lineage", value: .integer(0), on: connection)
    try Catalog.set("created", value: .text(birth.time), on: connection)
    let blobs = Blobs(connection, folder: nil)
    let layouts = try schema.layouts()
    var rows: Int64 = 0
    var details = Array(#"{"tables":{"#.utf8)
    for layout in layouts {
      let table = Table(connection, layout: layout, layouts: layouts)
      var sum = RowsDigest()
      let content = try TableDigest(table) { sum.add($0, values: table.stored($1)) }
      try RowsDigests.set(sum, of: layout.entity.name, on: connection)
      rows += content.rows
      if layout.index.number > 0 { details.append(UInt8(ascii: ",")) }
      appendJSONString(layout.entity.name, to: &details)
      details += #":{"rows":\#(content.rows),"digest":"\#(content.digest)"}"#.utf8
    }
    details += "}}".utf8
    let recorder = try Capture.recorder(schema, id: schemaID, blobs: blobs, on: connection)
    try recorder.begin()
    try recorder.close(
      Author(),
      operation: .adopt,
      details: String(decoding: details, as: UTF8.self)
    )
    try CommitPlace.note(isCompared: true, on: connection)
    return (birth.identifier, rows)
  }

  /// The tables of an adopted file whose rows are not recorded; nil for a store of the library.
  package func unrecordedTables() throws -> [String]? {
    guard schema.belongsToProgram, capturesChanges else { return nil }
    return try read { reader in
      let connection = reader.connection
      let tables = try readTables(
        connection,
        without: connection.captureNames,
        leavingOut: schema.leftOut ?? []
      )
      return tables.compactMap { table in
        switch table.recording {
        case .refused(.leftOut): nil
        case .refused: table.name
        case .triggers, .through, .part: nil
        }
      }
    }
  }

  /// The tables and columns of an adopted file that are left out, as in `user.password`.
  package var leftOutNames: [String] { (schema.leftOut ?? []).map(\.name) }

  /// Throws if the store is an adopted file, whose rows can't be written through models.
  func refuseIfAdopted() throws {
    guard schema.belongsToProgram else { return }
    throw StoreError(.misuse, at: location.path) {
      "\(location.path) has the tables of another program. Models can't write the rows of these"
        + " tables.\nUse the other program to change the rows."
    }
  }

  /// Opens an adopted file for a change that a replica refuses, unless `allowsReplica` is true.
  static func openAdopted(
    _ path: String,
    busyTimeout: Duration,
    allowsReplica: Bool = false
  ) throws -> Connection {
    let connection = try openProgramDatabase(path, mode: .readWrite, busyTimeout: busyTimeout)
    guard let prefix = try AdoptedFile.prefix(on: connection) else {
      throw StoreError(.notAStore, at: path) {
        "\(path) is not adopted.\nTo add a history: travelog adopt \(path)"
      }
    }
    try connection.useTables(prefix: prefix)
    guard try allowsReplica || !Catalog(on: connection).isReplica else {
      throw replicaRefusal(at: path)
    }
    guard try !ReadDatabase.isThere(on: connection) else { throw followerRefusal(at: path) }
    return connection
  }

  /// Removes everything that ``adopt(_:prefix:busyTimeout:)`` added.
  ///
  /// The program's own tables do not change.
  ///
  /// - Parameters:
  ///   - path: The adopted file, which can be a replica.
  ///   - logged: The transactions that logs contain; nil if no logs are known.
  ///   - refusal: Returns the error to throw if this would delete changes that are in no log; nil to
  ///     delete them.
  ///   - busyTimeout: The maximum time to wait for another writer.
  /// - Throws: ``StoreError``, and the error that `refusal` returns; the file is then unchanged.
  package static func detach(
    _ path: String,
    logged: ClosedRange<Int64>? = nil,
    refusal: ((UnloggedHistory) -> any Error)? = nil,
    busyTimeout: Duration = .seconds(10)
  ) throws {
    try describingErrors(at: path, timeout: busyTimeout) {
      let connection = try openAdopted(path, busyTimeout: busyTimeout, allowsReplica: true)
      guard let names = AdoptedFile.names(on: connection) else { return }
      try AdoptedFile.inTransaction(waiting: busyTimeout, on: connection) {
        if let refusal {
          let unlogged = try UnloggedHistory(besides: logged, names: names, on: connection)
          if let unlogged { throw refusal(unlogged) }
        }
        try AdoptedFile.removeAll(names: names, on: connection)
      }
    }
  }

  /// Gives a copy of an adopted file its own identity.
  ///
  /// The history of the copy begins again.
  ///
  /// - Returns: The new identifier.
  package static func renewIdentity(
    _ path: String,
    busyTimeout: Duration = .seconds(10)
  ) throws -> String {
    try describingErrors(at: path) {
      let connection = try openAdopted(path, busyTimeout: busyTimeout)
      guard let names = AdoptedFile.names(on: connection) else { return "" }
      return try AdoptedFile.inTransaction(waiting: busyTimeout, on: connection) {
        let catalog = try Catalog(on: connection)
        let tables = connection.tables
        for table in try CapturedTables.names(on: connection) + [
          names.bracket, tables.change, tables.transaction,
        ] {
          try connection.execute("DELETE FROM \(table)")
        }
        for key in [
          "history_base", "history_base_digest", "history_base_time", Capture.sealed,
        ] {
          try Catalog.remove(key, on: connection)
        }
        try SealingMark.remove(on: connection)
        try forgetExports(on: connection)
        return try begin(catalog.schema, schemaID: catalog.schemaID, on: connection).identifier
      }
    }
  }
}

/// The error for a store of Apple's frameworks that would have to be written to.
func appleStore(at path: String) -> StoreError {
  StoreError(.notAStore, at: path) {
    "\(path) is a store of Apple's Core Data or SwiftData, which Travelog only reads."
      + "\nTo list its history: travelog log \(path). To make a store of its objects that a program can"
      + " open: travelog export \(path) --to LOGS, then travelog import LOGS --into NEW, then travelog"
      + " promote NEW."
  }
}

func nothingToRecord(at path: String) -> StoreError {
  StoreError(.misuse, at: path) {
    "\(path) has no table that can be recorded.\nTo see why: travelog adopt --dry-run \(path)"
  }
}

func wrongPrefix(_ prefix: String, at path: String) -> StoreError {
  StoreError(.misuse, at: path) {
    "The prefix '\(abbreviated(prefix))' is not a name of ASCII letters, digits and '_'."
      + "\nUse a prefix such as audit_."
  }
}

/// The error for a change of rows or triggers in the history file of a database.
func followerRefusal(at path: String) -> StoreError {
  StoreError(.misuse, at: path) {
    "\(path) has the history of a database that Travelog only reads, so this command can't change it."
      + "\nTo end the history, delete this file; the database has nothing of Travelog."
  }
}
