import Changes
import FoundationEssentials
import SQLite

/// What a check came to, besides its findings.
package struct CheckResult: Hashable, Sendable {
  /// The transaction that was recorded; nil for none.
  package var recorded: Int64?
  /// The objects of which history does not tell all, so that not all of them was compared.
  package var unknown: Int64 = 0
  /// False if tables are not those of the schema, so that rows and history were not compared.
  package var isComplete = true

  /// The result of a check of which nothing is to be told but its findings.
  package init() {}

  init(recorded: Int64? = nil, unknown: Int64) {
    self.recorded = recorded
    self.unknown = unknown
  }
}

/// The state of the objects before the oldest transaction that history keeps.
struct EarlierState {
  let schema: StoreSchema
  /// Reads a replica whose head is the transaction before the oldest one.
  let reader: Reader
}

/// Records what rows and history differ in.
struct GapRecorder {
  private let writer: Writer
  private let author: Author
  /// Large values that are gone come from the store that history begins with.
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

  /// Records all differences, and returns the transaction; nil if there are none.
  func record(_ check: StateCheck, _ body: (CheckFinding) throws -> Void) throws -> Int64? {
    let recorder = writer.recorder
    try recorder.begin()
    // What went comes first, so that another kind of object may take its id.
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
