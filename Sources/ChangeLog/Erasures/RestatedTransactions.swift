import Changes
import Synchronization

/// The transactions whose remaining values a later transaction of the logs confirms.
///
/// If a log has erased values, all logs of the store are read to find the transactions that record
/// erasures. A command that verifies the logs verifies these transactions too.
package final class RestatedTransactions: Sendable {
  /// What a transaction records about one line of an earlier transaction.
  struct Entry: Hashable, Sendable {
    let line: RestatedLine
    let by: HistoryPoint
  }

  private let read: @Sendable () throws -> [Digest: [Entry]]
  private let known = Mutex<[Digest: [Entry]]?>(nil)

  /// Keeps the function that reads the entries by the digests of the earlier transactions, each list
  /// in the order of the lines.
  init(read: @escaping @Sendable () throws -> [Digest: [Entry]]) { self.read = read }

  /// The last of the transactions that confirm these lines of the transaction with a digest; nil if
  /// nothing confirms one of the lines.
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
