import Format
import Store

/// The history of a store at the time when it was opened.
package final class StoreHistory: HistorySource {
  /// The number of transaction ids in one range of ``outline()``.
  private static let stretch: Int64 = 256
  /// The maximum number of ranges.
  ///
  /// The number of ranges needs a limit, because the ids of a forged store can be arbitrarily
  /// large.
  private static let stretches: Int64 = 1 << 16

  private let store: Store
  private let reader: Reader

  package init(path: String) throws {
    store = try readableStore(path, sealsBacklog: false)
    reader = try store.takeReader()
  }

  deinit { store.giveBack(reader) }

  package var proof: HistoryProof { .digests }
  package func state() -> HistoryState { .store }

  package func files() -> [HistoryFile] {
    [HistoryFile(path: store.location.path, isDigestible: false)]
  }

  package func outline() throws -> HistoryOutline {
    let range = try reader.historyRange()
    let base = range.base.transaction
    let head = range.head.transaction
    let facts = try reader.appleFacts()
    let length = max(Self.stretch, (head - base) / Self.stretches + 1)
    let firsts = stride(from: base + 1, through: head, by: Int(length))
    return HistoryOutline(
      path: Store.nameOfApple(store.location.path),
      store: store.identifier,
      lineage: store.lineage,
      schema: store.schema,
      schemas: try reader.schemas().map(\.schema),
      base: base,
      baseDigest: range.base.digest,
      baseTime: try reader.baseTime(),
      head: head,
      stretches: firsts.map { $0...min($0 + length - 1, head) },
      isSplittable: true,
      unshownChanges: try store.capturesChanges ? reader.unshownChanges() : 0,
      uncapturedCommits: store.capturesChanges ? try reader.uncapturedCommits() : 0,
      guessedModel: facts?.guess,
      damagedLog: facts?.damagedLog
    )
  }

  package func schemas() throws -> [StoreSchema] { try reader.schemas().map(\.schema) }

  package func transactions(changing object: ObjectID) throws -> [Int64]? {
    try reader.transactions(changing: object)
  }

  /// The history of an adopted file does not have the rows of the adoption.
  package func row(
    of table: String,
    id: ObjectID,
    after transaction: Int64,
    _ body: (Change) throws -> Void
  ) throws {
    guard store.schema.belongsToProgram else { return }
    try store.read { try PastState($0, after: transaction).row(of: table, id: id, body) }
  }

  package func read(
    _ range: ClosedRange<Int64>,
    wants: (Transaction) -> Bool,
    change: (Change, Transaction) throws -> Void,
    transaction: (Transaction) throws -> Void
  ) throws {
    try describingErrorsOfFiles {
      let cursor = try reader.history(after: range.lowerBound - 1, through: range.upperBound)
      while var next = try cursor.nextTransaction() {
        if next.digest == nil { next.digest = try reader.point(next.id).digest }
        if wants(next) {
          while let one = try cursor.nextChange() { try change(one, next) }
        }
        try transaction(next)
      }
    }
  }
}
