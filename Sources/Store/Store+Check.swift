import Format

extension Store {
  /// Compares rows, history, constraints and catalog.
  ///
  /// The whole store is read once, and the values in history are kept in a temporary file. An
  /// object whose insertion was deleted from history can't be compared, unless `beginning` is
  /// given.
  ///
  /// - Parameters:
  /// - author: The author of a transaction of op `gap`, which records the differences of rows and
  ///   history; nil to record nothing.
  /// - beginning: A replica that ends at the transaction before the oldest transaction in history.
  /// - checksStructure: Whether the structure is checked; false if ``checkStructure(_:)`` has
  ///   already checked it.
  /// - body: Called with each finding.
  /// - Returns: What was recorded, and how many objects are not complete in history.
  /// - Throws: ``StoreError``, with ``StoreError/Code/locked`` if another program is writing, and
  ///   the errors of the body.
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
    if schema.isAdopted {
      var tables: Set<String> = []
      var result = try read { reader in
        try compare(reader, schema: schema, since: beginning) { finding in
          switch finding {
          case .row(let change): tables.insert(String(decoding: change.entity, as: UTF8.self))
          case .rows(let table, _): tables.insert(table)
          default: break
          }
          try body(finding)
        }
      }
      if let author, !tables.isEmpty { result.recorded = try recordAgain(tables, author: author) }
      return result
    }
    if checksStructure { try checkStructure(body) }
    guard let author else {
      return try read { reader in
        guard try isReplica || !reader.hasUnshownChanges() else {
          throw unrecordedChange(at: location.path)
        }
        return try compare(reader, schema: schema, since: beginning, body)
      }
    }
    return try maintain { writer in
      let check = try StateCheck(writer.connection, schema: schema, blobs: writer.blobs)
      try check.readHistory(since: beginning, body)
      try check.checkBlobs(location.blobFolder, body)
      let recorded = try GapRecorder(writer, author: author, beginning: beginning).record(
        check,
        body
      )
      return CheckResult(recorded: recorded, unknown: check.unknown)
    }
  }

  /// Compares rows and history of a state.
  private func compare(
    _ reader: Reader,
    schema: StoreSchema,
    since beginning: EarlierState?,
    _ body: (CheckFinding) throws -> Void
  ) throws -> CheckResult {
    let digests = try DigestCheck(reader)
    var result = CheckResult()
    result.violations = try digests?.checkFile(body) ?? []
    try reader.withPassingValues { passing in
      let check = try StateCheck(
        reader.connection,
        schema: schema,
        blobs: passing.blobs,
        tableDigests: digests
      ) {
        try passing.removeAll()
      }
      try check.readHistory(since: beginning, body)
      try check.compareRows(body)
      result.unknown = check.unknown
      guard let digests else { return try check.checkBlobs(location.blobFolder, body) }
      // If a change that was not captured precedes a captured change of the same row, the last state
      // in history is the row, and only the digest shows that a change is missing.
      let unknown = try digests.compare(check.known, body)
      result.unknown = beginning == nil ? unknown : 0
    }
    return result
  }

  /// Checks the file, its tables and triggers, and all references.
  ///
  /// Call this function before the store is opened for writing, because opening restores missing
  /// triggers.
  package func checkStructure(_ body: (CheckFinding) throws -> Void) throws {
    let schema = try Catalog.schema(of: self)
    // The tables of an adopted file are compared whenever the file is opened, so they are not
    // compared here.
    guard !schema.isAdopted else { return }
    try read { try StructureCheck($0.connection, schema: schema).run(body) }
  }

  /// The tables of an adopted file whose rows changed in a way that no trigger captured, for example
  /// because the program disables triggers.
  ///
  /// In a replica, these are the tables with changes that no import made. All rows are read once,
  /// unless no program has committed anything since the last comparison that was noted.
  ///
  /// `isNoted` says whether to note in the file that nothing was found.
  package func uncapturedTables(isNoted: Bool = false) throws -> [String] {
    guard schema.belongsToProgram else { return [] }
    if !capturesChanges { return try read { try DigestCheck($0)?.uncapturedTables() ?? [] } }
    let (isKnown, place) = try read {
      (try CommitPlace.isCompared(on: $0.connection), try CommitPlace(on: $0.connection))
    }
    if isKnown { return [] }
    let tables = try read { try DigestCheck($0)?.uncapturedTables() ?? [] }
    if isNoted, tables.isEmpty, let place { try noteComparison(at: place) }
    return tables
  }

  /// Notes that all rows equal those in history.
  ///
  /// If a program has committed since or has the file locked, or if this user may not write to the
  /// file, nothing is noted. Then the next comparison reads all rows again.
  private func noteComparison(at place: CommitPlace) throws {
    do {
      try describingErrors(at: location.path) {
        let connection = try Self.openAdopted(location.path, busyTimeout: .zero)
        try connection.inTransaction {
          guard try CommitPlace(on: connection) == place else { return }
          try CommitPlace.note(isCompared: true, on: connection)
        }
      }
    } catch let error as StoreError where [.locked, .readOnly].contains(error.code) {
      return
    }
  }

  /// Records all rows of some tables of an adopted file again.
  ///
  /// The file must be opened again afterwards.
  private func recordAgain(_ tables: Set<String>, author: Author) throws -> Int64? {
    try maintain { writer in
      guard let names = AdoptedFile.names(on: writer.connection) else { return nil }
      let catalog = try Catalog(on: writer.connection)
      let made = try SchemaRenewal(
        connection: writer.connection,
        names: names,
        catalog: catalog,
        blobs: writer.blobs
      ).recordAgain(tables, author: author)
      try writer.blobs.prepareToCommit()
      return made
    }
  }
}

extension Catalog {
  /// The schema in the store's catalog.
  ///
  /// This schema can be newer than the one with which the store was opened, if both have the same
  /// tables.
  static func schema(of store: Store) throws -> StoreSchema {
    try store.read { try Catalog(on: $0.connection).schema }
  }
}

func unrecordedChange(at path: String) -> StoreError {
  StoreError(.locked, at: path) {
    "Another program is changing the store \(path), and history does not have the change yet."
  }
}
