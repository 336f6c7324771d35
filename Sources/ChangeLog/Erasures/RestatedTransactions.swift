import Changes
import Synchronization

/// The transactions whose remaining values a later transaction of the logs confirms.
///
/// All logs of a store are read for them, but only if one has erased values. A command that verifies the
/// logs verifies these transactions too.
package final class RestatedTransactions: Sendable {
  /// What a transaction of the chain says of the lines of an earlier one.
  struct Entry: Hashable, Sendable {
    let lines: Digest
    let by: HistoryPoint
  }

  private let files: @Sendable () throws -> [String]
  private let known = Mutex<[Digest: [Entry]]?>(nil)

  /// Describes the restatements in some logs, which are listed when they are needed.
  package init(_ files: @escaping @Sendable () throws -> [String]) { self.files = files }

  /// Describes the restatements in the logs of a store.
  package convenience init(_ folder: LogFolder, store: String) {
    self.init {
      try folder.lineages(of: store).flatMap { lineage in
        try folder.files(of: store, lineage: lineage).map(\.path)
      }
    }
  }

  /// The transaction that confirms these lines of the transaction with a digest; nil if none does.
  func restating(_ transaction: Digest, as lines: Digest) throws -> HistoryPoint? {
    try known.withLock { known in
      let entries = try known ?? read()
      known = entries
      return entries[transaction]?.last { $0.lines == lines }?.by
    }
  }

  private func read() throws -> [Digest: [Entry]] {
    var result: [Digest: [Entry]] = [:]
    for path in try files() {
      do {
        let reader = try LogReader(path: path) {
          Erasures(uncheckedIn: $0)
        }
        while let transaction = try reader.next(checksValues: false) {
          guard let erasure = transaction.erasure, let digest = transaction.digest else { continue }
          let point = HistoryPoint(
            lineage: reader.header.lineage,
            transaction: transaction.id,
            digest: digest
          )
          for one in erasure.restatements {
            result[one.digest, default: []].append(Entry(lines: one.lines, by: point))
          }
        }
      } catch is LogError {
        // The reader of this log reports why it can't be read. What it would confirm is unknown.
        continue
      }
    }
    return result
  }
}
