/// A point in the history of one store: everything up to a transaction.
package struct HistoryPoint: Codable, Hashable, Sendable {
  /// The lineage that the history belongs to.
  package var lineage: Int64
  /// The id of the last transaction; zero for the beginning.
  package var transaction: Int64
  /// The digest of that transaction.
  package var digest: Digest

  /// Makes a point.
  package init(lineage: Int64, transaction: Int64, digest: Digest) {
    self.lineage = lineage
    self.transaction = transaction
    self.digest = digest
  }
}

/// How far the history of a store reaches.
package struct HistoryRange: Hashable, Sendable {
  /// The last transaction that was deleted together with all before it; the beginning where none was.
  package var base: HistoryPoint
  /// The id of the oldest transaction that is kept; nil if there is none.
  package var oldest: Int64?
  /// The last transaction.
  package var head: HistoryPoint

  package init(base: HistoryPoint, oldest: Int64?, head: HistoryPoint) {
    self.base = base
    self.oldest = oldest
    self.head = head
  }
}
