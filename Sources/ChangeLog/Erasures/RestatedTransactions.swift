import Changes
import Synchronization

/// The transactions whose remaining values a later transaction of the logs confirms.
///
/// If a log has erased values, all logs of the store are read to find the transactions that record
/// erasures. A command that verifies the logs verifies these transactions too.
package final class RestatedTransactions: Sendable {
  /// What an `erase` transaction records about the lines of an earlier transaction.
  struct Entry: Hashable, Sendable {
    let lines: Digest
    let by: HistoryPoint
  }

  private let read: @Sendable () throws -> [Digest: [Entry]]
  private let known = Mutex<[Digest: [Entry]]?>(nil)

  /// Keeps the function that reads the entries by the digests of the earlier transactions.
  init(read: @escaping @Sendable () throws -> [Digest: [Entry]]) { self.read = read }

  /// The transaction that confirms these lines of the transaction with a digest; nil if none does.
  func restating(_ transaction: Digest, as lines: Digest) throws -> HistoryPoint? {
    try known.withLock { known in
      let entries = try known ?? read()
      known = entries
      return entries[transaction]?.last { $0.lines == lines }?.by
    }
  }
}
