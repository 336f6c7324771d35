import Format
import SQLite

/// The digests of transactions, and the points at which history begins and ends.
extension HistoryRows {
  /// Computes the digest of a transaction from its changes, which must exist, and the previous
  /// digest.
  func digest(of transaction: Transaction, after previous: Digest) throws -> Digest {
    var digest = TransactionDigest(transaction, after: previous)
    let rows = try connection.cached(changes)
    try rows.bind(1, transaction.firstChange)
    defer { rows.reset() }
    for _ in 0..<transaction.count {
      guard try rows.step(), rows.int64(at: 9) == transaction.id else {
        throw damaged("changes of transaction \(transaction.id) are missing")
      }
      digest.take(try change(at: rows))
    }
    do throws(ProofError) {
      return try digest.close(TransactionLines(transaction)).transaction
    } catch {
      throw unreadableTransaction(transaction.id, error.message, at: path)
    }
  }

  /// The digest of a transaction or of the base; nil if history contains neither.
  func digest(of id: Int64) throws -> Digest? {
    var known = id
    var digest: Digest?
    while digest == nil {
      guard let transaction = try transaction(known) else {
        let base = try base()
        if known == base.transaction {
          digest = base.digest
          break
        }
        if known == id { return nil }
        throw damaged("transaction \(known) is missing")
      }
      digest = transaction.chainDigest
      if digest == nil { known -= 1 }
    }
    while known < id, let previous = digest, let next = try transaction(known + 1) {
      digest = try self.digest(of: next, after: previous)
      known += 1
    }
    return digest
  }

  func range() throws -> HistoryRange {
    let base = try base()
    // The query has two inner SELECTs, because SQLite reads every row for `SELECT min(id),
    // max(id)`.
    let ends = try connection.cached(
      "SELECT (SELECT min(id) FROM \(tables.transaction)),"
        + " (SELECT max(id) FROM \(tables.transaction))"
    )
    defer { ends.reset() }
    guard try ends.step(), !ends.isNull(at: 0) else {
      return HistoryRange(base: base, oldest: nil, head: base)
    }
    let last = ends.int64(at: 1)
    for id in [ends.int64(at: 0), last] where !Self.ids.contains(id) {
      throw impossible(id, "the id of a transaction")
    }
    guard let digest = try digest(of: last) else { throw damaged("transaction \(last) is missing") }
    return HistoryRange(
      base: base,
      oldest: ends.int64(at: 0),
      head: HistoryPoint(lineage: base.lineage, transaction: last, digest: digest)
    )
  }
}
