/// A point in the history of one store: everything up to a transaction.
package struct HistoryPoint: Codable, Hashable, Sendable {
  package var lineage: Int64
  /// The id of the last transaction; zero before the first transaction.
  package var transaction: Int64
  package var digest: Digest

  package init(lineage: Int64, transaction: Int64, digest: Digest) {
    self.lineage = lineage
    self.transaction = transaction
    self.digest = digest
  }
}

package struct HistoryRange: Hashable, Sendable {
  /// The last deleted transaction before the range; the beginning of history if no transaction was
  /// deleted.
  package var base: HistoryPoint
  /// The id of the oldest transaction in the range; nil if the range is empty.
  package var oldest: Int64?
  package var head: HistoryPoint

  package init(base: HistoryPoint, oldest: Int64?, head: HistoryPoint) {
    self.base = base
    self.oldest = oldest
    self.head = head
  }
}
