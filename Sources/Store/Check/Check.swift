import FoundationEssentials
import SQLite

/// What a check came to, besides its findings.
public struct CheckResult: Hashable, Sendable {
  /// The transaction that was recorded; nil for none.
  public var recorded: Int64?
  /// The objects of which history does not tell all, so that not all of them was compared.
  public var unknown: Int64 = 0
  /// False where tables are not those of the schema, so that rows and history were not compared.
  public var isComplete = true

  /// The result of a check of which nothing is to be told but its findings.
  public init() {}

  init(recorded: Int64? = nil, unknown: Int64) {
    self.recorded = recorded
    self.unknown = unknown
  }
}

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
  ///   - checksStructure: False where ``checkStructure(_:)`` was called already.
  ///   - body: Called with each finding.
  /// - Returns: What was recorded, and of how much history does not tell.
  /// - Throws: ``StoreError``, with ``StoreError/Code/locked`` where another program is writing, and
  ///   what the body throws.
  @discardableResult
  public func check(
    recording author: Author? = nil,
    since beginning: Store? = nil,
    checksStructure: Bool = true,
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
          let check = try StateCheck(reader.connection, schema, passing.blobs)
          check.passed = { try passing.removeAll() }
          try check.readHistory(unsealed, since: beginning, body)
          try check.compareRows(body)
          // Nobody has counted yet what was not sealed.
          if unsealed == nil { try check.checkBlobs(location.blobFolder, body) }
          return CheckResult(unknown: check.unknown)
        }
      }
    }
    return try maintain { writer in
      let check = try StateCheck(writer.connection, schema, writer.blobs)
      try check.readHistory(nil, since: beginning, body)
      try check.checkBlobs(location.blobFolder, body)
      let recorded = try GapRecorder(writer, author, beginning).record(check, body)
      return CheckResult(recorded: recorded, unknown: check.unknown)
    }
  }

  /// Checks the file, its tables and triggers, and that every reference leads somewhere.
  ///
  /// A store that was opened for writing has got back the triggers that were missing.
  public func checkStructure(_ body: (CheckFinding) throws -> Void) throws {
    let schema = try Catalog.schema(of: self)
    try read { try StructureCheck($0.connection, schema).run(body) }
  }

  /// Waits for what another program wrote just now: for a second something may join it.
  private func waitUntilShown() throws {
    let end = ContinuousClock.now + .seconds(3)
    while try !isReplica && read({ try $0.hasUnshownChanges() }), ContinuousClock.now < end {
      sleepBriefly()
    }
  }

  private var unshown: StoreError {
    StoreError(
      .locked,
      "Another program is changing the store \(location.path), and history does not have that yet;"
        + " check it again when it has finished.",
      path: location.path
    )
  }
}

extension Catalog {
  /// The schema that a store carries, which may be newer than the one it was opened with as long as
  /// the tables are the same.
  static func schema(of store: Store) throws -> StoreSchema {
    try store.read { try Catalog(on: $0.connection).schema }
  }
}

/// Records what rows and history differ in.
struct GapRecorder {
  private let writer: Writer
  private let author: Author
  /// Large values that are gone come from the store that history begins with.
  private let values: ChangeValues?

  init(_ writer: Writer, _ author: Author, _ beginning: Store?) {
    self.writer = writer
    self.author = author
    values = beginning.map { beginning in
      ChangeValues(decoders: [], blobs: writer.blobs) { digest in
        try beginning.read { try $0.largeValue(digest) }
      }
    }
  }

  /// Records all differences, and returns the transaction; nil where there are none.
  func record(_ check: StateCheck, _ body: (CheckFinding) throws -> Void) throws -> Int64? {
    let (transaction, firstRow) = try writer.recorder.header.next()
    var sequence: Int64 = 0
    // What went comes first, so that another kind of object may take its id.
    for kinds in [[ChangeKind.delete], [.insert, .update]] {
      try check.compareRows(of: kinds) { finding in
        try body(finding)
        guard case .row(var change) = finding else { return }
        change.sequence = sequence
        if change.kind == .delete,
          let entity = check.layouts.first(where: {
            change.entity.elementsEqual($0.entity.name.utf8)
          })
        {
          let key = RowKey(entity: entity.index, id: change.object)
          try writer.recorder.erasure.eraseEarlier(key, before: firstRow)
        }
        try values?.keep(change)
        try writer.recorder.row.copy(change, id: firstRow + sequence, transaction: transaction)
        sequence += 1
      }
    }
    try check.correctBlobCounts()
    guard sequence > 0 else { return nil }
    try writer.recorder.header.insert(
      transaction,
      author,
      firstRow: firstRow,
      count: sequence,
      operation: .gap
    )
    try writer.blobs.prepareToCommit()
    return transaction
  }
}
