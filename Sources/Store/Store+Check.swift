import Changes
import FoundationEssentials
import SQLite

extension Store {
  /// Checks rows, history, constraints and catalog against each other.
  ///
  /// It reads all of the store once, and keeps what history says of each object in a temporary file.
  /// An object that history does not tell of, because it was deleted from it, is taken as it is, unless
  /// there is a store that has the state with which history begins.
  ///
  /// - Parameters:
  ///   - author: Who records what rows and history differ in, as a transaction of op `gap`; nil to
  ///     record nothing.
  ///   - beginning: A replica whose head is the transaction before the oldest that is kept.
  ///   - checksStructure: False if ``checkStructure(_:)`` was called already.
  ///   - body: Called with each finding.
  /// - Returns: What was recorded, and of how much history does not tell.
  /// - Throws: ``StoreError``, with ``StoreError/Code/locked`` where another program is writing, and
  ///   what the body throws.
  @discardableResult
  package func check(
    recording author: Author? = nil,
    since beginning: Store? = nil,
    checksStructure: Bool = true,
    _ body: (CheckFinding) throws -> Void
  ) throws -> CheckResult {
    guard let beginning else {
      return try check(recording: author, after: nil, checksStructure: checksStructure, body)
    }
    return try beginning.read { reader in
      let earlier = EarlierState(schema: beginning.schema, reader: reader)
      return try check(recording: author, after: earlier, checksStructure: checksStructure, body)
    }
  }

  private func check(
    recording author: Author?,
    after beginning: EarlierState?,
    checksStructure: Bool,
    _ body: (CheckFinding) throws -> Void
  ) throws -> CheckResult {
    if !options.isReadOnly { try sealForeignChanges() }
    let schema = try Catalog.schema(of: self)
    if checksStructure { try checkStructure(body) }
    guard let author else {
      try waitUntilShown()
      return try read { reader in
        guard try isReplica || !reader.hasUnshownChanges() else { throw unshown }
        let unsealed = try reader.unsealedHistory()
        return try reader.withPassingValues { passing in
          let check = try StateCheck(reader.connection, schema: schema, blobs: passing.blobs) {
            try passing.removeAll()
          }
          try check.readHistory(unsealed, since: beginning, body)
          try check.compareRows(body)
          // Nobody has counted yet what was not sealed.
          if unsealed == nil { try check.checkBlobs(location.blobFolder, body) }
          return CheckResult(unknown: check.unknown)
        }
      }
    }
    return try maintain { writer in
      let check = try StateCheck(writer.connection, schema: schema, blobs: writer.blobs)
      try check.readHistory(nil, since: beginning, body)
      try check.checkBlobs(location.blobFolder, body)
      let recorded = try GapRecorder(writer, author: author, beginning: beginning).record(
        check,
        body
      )
      return CheckResult(recorded: recorded, unknown: check.unknown)
    }
  }

  /// Checks the file, its tables and triggers, and that every reference leads somewhere.
  ///
  /// A store that was opened for writing has got back the triggers that were missing.
  package func checkStructure(_ body: (CheckFinding) throws -> Void) throws {
    let schema = try Catalog.schema(of: self)
    try read { try StructureCheck($0.connection, schema: schema).run(body) }
  }

  /// Waits for what another program wrote just now: for a second something may join it.
  private func waitUntilShown() throws {
    let end = ContinuousClock.now + .seconds(3)
    while try !isReplica && read({ try $0.hasUnshownChanges() }), ContinuousClock.now < end {
      sleepBriefly()
    }
  }

  private var unshown: StoreError {
    FileFailure.unrecordedChange.at(location.path)
  }
}

extension Catalog {
  /// The schema that a store carries, which may be newer than the one it was opened with as long as
  /// the tables are the same.
  static func schema(of store: Store) throws -> StoreSchema {
    try store.read { try Catalog(on: $0.connection).schema }
  }
}
