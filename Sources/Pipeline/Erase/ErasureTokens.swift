import ChangeLog
import Format

/// Adds the last erasure record of each lineage to the token of a store, and the points of this
/// token to the tokens of the store's filtered logs.
///
/// Without a store, an erasure records no transaction, so the tokens would not change. Programs
/// that read the logs of many stores read only the tokens to find out which logs changed.
func addToTokens(
  _ records: [(lineage: Int64, erasures: Erasures)],
  of store: String,
  logs: LogFolder
) throws {
  var points: [String: HistoryPoint] = [:]
  for (lineage, erasures) in records {
    guard let transaction = erasures.lastTransaction else { continue }
    points["\(store)/lineage=\(lineage)/erasures"] = HistoryPoint(
      lineage: lineage,
      transaction: transaction,
      digest: erasures.head
    )
  }
  guard let token = try addToToken(points, at: logs.token(of: store)) else { return }
  for name in try logs.partials(of: store) {
    _ = try addToToken(token.points, at: logs.partial(named: name).token(of: store))
  }
}

/// Adds points to a token, and returns the new token; nil if the token is missing or damaged.
///
/// The next export rebuilds a missing or damaged token.
private func addToToken(_ points: [String: HistoryPoint], at path: String) throws -> Bookmark? {
  do {
    guard let old = try readToken(path) else { return nil }
    let new = Bookmark(store: old.store, points: old.points.merging(points) { $1 })
    if new != old { try writeDurably(new.json(), to: path) }
    return new
  } catch  where isDamagedToken(error) {
    return nil
  }
}
