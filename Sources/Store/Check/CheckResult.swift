import Format

/// The result of a check, except the findings.
package struct CheckResult: Hashable, Sendable {
  /// The transaction that records the differences; nil if nothing was recorded.
  package var recorded: Int64?
  /// The number of objects that were not fully compared, because history does not have all their
  /// values.
  package var unknown: Int64 = 0
  /// Whether rows and history were compared; false if the tables differ from the schema.
  package var isComplete = true
  /// SQLite's messages about rows of an adopted file that violate constraints of its program.
  package var violations: [String] = []

  package init() {}

  init(recorded: Int64? = nil, unknown: Int64) {
    self.recorded = recorded
    self.unknown = unknown
  }
}

/// The state of the objects before the oldest transaction of history.
struct EarlierState {
  let schema: StoreSchema
  /// A reader of a replica that ends at the transaction before the oldest one in the store's
  /// history.
  let reader: Reader
}

/// Records the differences between rows and history.
struct GapRecorder {
  private let writer: Writer
  private let author: Author
  /// Gets missing large values from the replica that ``EarlierState`` reads.
  private let values: ChangeValues?

  init(_ writer: Writer, author: Author, beginning: EarlierState?) {
    self.writer = writer
    self.author = author
    values = beginning.map { beginning in
      ChangeValues(decoders: [], blobs: writer.blobs) { digest in
        try beginning.reader.largeValue(digest)
      }
    }
  }

  /// Records the differences as one transaction, and returns its id; nil if there are no
  /// differences.
  func record(_ check: StateCheck, _ body: (CheckFinding) throws -> Void) throws -> Int64? {
    let recorder = writer.recorder
    try recorder.begin()
    // Deletions are recorded first, because an inserted object can have the id of a deleted object
    // of another entity.
    for kinds in [[ChangeKind.delete], [.insert, .update]] {
      try check.compareRows(of: kinds) { finding in
        try body(finding)
        guard case .row(var change) = finding else { return }
        change.sequence = recorder.count
        if change.kind == .delete,
          let entity = check.layouts.first(where: {
            change.entity.elementsEqual($0.entity.name.utf8)
          })
        {
          try recorder.eraseEarlier(RowKey(entity: entity.index, id: ObjectID(change.object)))
        }
        try values?.keep(change)
        try recorder.copy(change, of: recorder.transaction)
      }
    }
    try check.correctBlobCounts()
    guard recorder.count > 0 else { return nil }
    try recorder.close(author, operation: .gap)
    try writer.blobs.prepareToCommit()
    return recorder.transaction
  }
}
