import Changes
import FoundationEssentials
import Store

/// The history that a store keeps, as it was when it was opened.
package final class StoreHistory: HistorySource {
  /// So many transactions are read in one go.
  private static let stretch: Int64 = 256
  /// There are no more stretches than so many, whatever numbers somebody gave to transactions.
  private static let stretches: Int64 = 1 << 16

  private let store: Store
  private let reader: Reader

  /// Opens the store in a file.
  package init(path: String) throws {
    store = try readableStore(path)
    reader = try store.takeReader()
  }

  deinit { store.giveBack(reader) }

  /// What is known of the history before its transactions are read.
  package func outline() throws -> HistoryOutline {
    let range = try reader.historyRange()
    let base = range.base.transaction
    let head = range.head.transaction
    let length = max(Self.stretch, (head - base) / Self.stretches + 1)
    let firsts = stride(from: base + 1, through: head, by: Int(length))
    return HistoryOutline(
      path: store.location.path,
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
      hasUnshownChanges: try reader.hasUnshownChanges()
    )
  }

  /// The schemas that the catalog keeps.
  package func schemas() throws -> [StoreSchema] { try reader.schemas().map(\.schema) }

  /// The transactions that changed an object of some id.
  package func transactions(changing object: Int64) throws -> [Int64]? {
    try reader.transactions(changing: object)
  }

  /// Reads the transactions of a range with their changes.
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
