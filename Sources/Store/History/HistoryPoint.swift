/// A point in the history of one store: everything up to a transaction.
public struct HistoryPoint: Hashable, Sendable {
  /// The lineage that the history belongs to.
  public var lineage: Int64
  /// The id of the last transaction; zero for the beginning.
  public var transaction: Int64
  /// The digest of that transaction.
  public var digest: Digest

  /// Makes a point.
  public init(lineage: Int64, transaction: Int64, digest: Digest) {
    self.lineage = lineage
    self.transaction = transaction
    self.digest = digest
  }
}

/// How far the history of a store reaches.
public struct HistoryRange: Hashable, Sendable {
  /// The last transaction that was deleted together with all before it; the beginning where none was.
  public var base: HistoryPoint
  /// The id of the oldest transaction that is kept; nil where there is none.
  public var oldest: Int64?
  /// The last transaction.
  public var head: HistoryPoint
}
