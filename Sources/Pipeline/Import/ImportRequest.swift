import ChangeLog
import Format
import FoundationEssentials
import Store

package struct ImportRequest: Sendable {
  package var logs: LogFolder
  /// The file of the replica; the import creates the file if it is missing.
  package var store: String
  /// The identifier of the store whose logs are imported; nil if the folder has the logs of only
  /// one store.
  package var origin: String?
  /// The lineage to import; nil for the lineage of an existing replica, or else for the latest
  /// lineage.
  package var lineage: Int64?
  package var until = Point.head
  /// Whether a new replica begins with the newest snapshot.
  package var fromSnapshot = false
  /// For each proven lineage its last proven transaction, and a part that is not proven; nil to
  /// apply all transactions.
  package var proven: [Int64: (transaction: Int64, unproven: String?)]?
  /// Whether the import may apply what nothing proves, such as a snapshot.
  package var allowsUnproven = false
  /// Whether to report what the import would do, without changing the replica.
  package var isDryRun = false

  package init(logs: LogFolder, store: String) {
    self.logs = logs
    self.store = store
  }
}

package struct ImportResult: Codable, Hashable, Sendable {
  package var store: String
  /// The identifier of the origin.
  package var identifier: String
  /// The last transaction of the replica before this import.
  package var from: HistoryPoint
  /// The last transaction of the replica after this import.
  package var to: HistoryPoint
  package var transactions: Int64 = 0
  package var changes: Int64 = 0
  /// The number of objects in the snapshot with which the replica began.
  package var snapshotObjects: Int64 = 0
  /// The number of logs that were read.
  package var files = 0
  /// Whether the replica was created.
  package var isNew = false
  /// The number of dangling links that a foreign writer left in the origin.
  package var danglingLinks: Int64 = 0
  /// The unique indexes that the replica lacks, because rows of the origin violate them.
  package var violatedIndexes: [String] = []
  /// Whether the file of the replica may still contain bytes of erased values, because another
  /// program was reading it.
  ///
  /// The next import removes these bytes.
  package var hasErasedBytes = false

  /// Returns the sum of this result and the result of an earlier reading in the same import.
  func added(to earlier: ImportResult?) -> ImportResult {
    guard let earlier else { return self }
    var result = self
    if earlier.to != earlier.from { result.from = earlier.from }
    result.isNew = earlier.isNew || isNew
    result.transactions += earlier.transactions
    result.changes += earlier.changes
    result.snapshotObjects += earlier.snapshotObjects
    result.files += earlier.files
    return result
  }
}

/// Throws if a replica already has transactions after the requested end of an import.
///
/// A file that is not a replica is not an error here. The import reports such a file.
///
/// - Throws: ``PipelineError`` with ``PipelineError/Code/misuse``, or ``StoreError``.
package func checkIsNotPast(_ until: Point, store: String) throws {
  guard until != .head, try !Store.isUnmade(URL(fileURLWithPath: store)) else { return }
  let replica = try readableStore(store)
  guard replica.isReplica else { return }
  try replica.read { try $0.checkIsNotPast(until, store: store) }
}

extension Reader {
  func checkIsNotPast(_ until: Point, store: String) throws {
    let head = try historyRange().head.transaction
    let isPast =
      switch until {
      case .head: false
      case .transaction(let id): id < head
      case .time(let time): try firstTransaction(afterTime: time) != nil
      }
    guard isPast else { return }
    let end = if case .transaction(let id) = until { "transaction \(id)" } else { "\(until)" }
    throw PipelineError(.misuse) {
      "The replica \(store) is at transaction \(head), which is later than \(end), and an import"
        + " never removes transactions."
        + "\nName a file that does not exist yet: --into new.store --until \(until)"
    }
  }
}
