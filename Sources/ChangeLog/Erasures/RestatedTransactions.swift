import Format
import Synchronization

/// The erased transactions whose remaining values are confirmed by later transactions.
///
/// If a log has erased values, all logs of the store are read to find the transactions that record
/// erasures. A command that verifies the logs also verifies the transactions that record erasures.
package final class RestatedTransactions: Sendable {
  /// One line of an erased transaction, and the transaction that confirms this line.
  struct Entry: Hashable, Sendable {
    let line: RestatedLine
    let by: HistoryPoint
  }

  private let read: @Sendable () throws -> [Digest: [Entry]]
  private let known = Mutex<[Digest: [Entry]]?>(nil)

  /// Creates the list from a function that returns the entries of all erased transactions.
  ///
  /// The key is the digest of the transaction. Each line of the transaction has one entry, in the
  /// order of the lines.
  init(read: @escaping @Sendable () throws -> [Digest: [Entry]]) { self.read = read }

  /// The last of the transactions that confirm the lines of an erased transaction; nil if a line is
  /// not confirmed.
  ///
  /// `transaction` is the digest of the erased transaction.
  func restating(_ transaction: Digest, as lines: [RestatedLine]) throws -> HistoryPoint? {
    try known.withLock { known in
      let all = try known ?? read()
      known = all
      guard let entries = all[transaction] else { return nil }
      var last: HistoryPoint?
      var place = entries.startIndex
      for line in lines {
        var by: HistoryPoint?
        while place < entries.endIndex, entries[place].line.sequence <= line.sequence {
          if entries[place].line == line { by = entries[place].by }
          place += 1
        }
        guard let by else { return nil }
        if let last, (last.lineage, last.transaction) > (by.lineage, by.transaction) { continue }
        last = by
      }
      return last
    }
  }
}
