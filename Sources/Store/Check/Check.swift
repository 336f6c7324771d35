import FoundationEssentials
import SQLite

extension Store {
  /// Checks rows, history, constraints and catalog against each other.
  ///
  /// It reads all of the store once, and keeps what history says of each object in a temporary file.
  /// An object that history does not tell of, because it was deleted from it, is taken as it is.
  ///
  /// - Parameters:
  ///   - author: Who records what rows and history differ in, as a transaction of op `gap`; nil to
  ///     record nothing.
  ///   - body: Called with each finding.
  /// - Returns: The transaction that was recorded; nil for none.
  /// - Throws: ``StoreError``, with ``StoreError/Code/locked`` where another program is writing, and
  ///   what the body throws.
  @discardableResult
  public func check(
    recording author: Author? = nil,
    _ body: (CheckFinding) throws -> Void
  ) throws -> Int64? {
    if !options.isReadOnly { try sealForeignChanges() }
    let schema = try Catalog.schema(of: self)
    guard let author else {
      try read { reader in
        guard try isReplica || !reader.hasUnshownChanges() else { throw unshown }
        try StructureCheck(reader.connection, schema).run(body)
        let unsealed = try reader.unsealedHistory()
        try reader.withPassingValues { passing in
          let check = try StateCheck(reader.connection, schema, passing.blobs)
          check.passed = { try passing.removeAll() }
          try check.readHistory(unsealed, body)
          try check.compareRows(body)
          // Nobody has counted yet what was not sealed.
          if unsealed == nil { try check.checkBlobs(location.blobFolder, body) }
        }
      }
      return nil
    }
    try read { try StructureCheck($0.connection, schema).run(body) }
    return try maintain { writer in
      let check = try StateCheck(writer.connection, schema, writer.blobs)
      try check.readHistory(nil, body)
      try check.checkBlobs(location.blobFolder, body)
      return try GapRecorder(writer, author).record(check, body)
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

  init(_ writer: Writer, _ author: Author) {
    self.writer = writer
    self.author = author
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
