import Format
import SQLite

/// The links that a migration moved, as pairs.
extension KnownObjects {
  func set(_ move: MovedLinks.Move, holder: Int64, target: Int64, isLinked: Bool) throws {
    let pair = move.isReversed ? [target, holder] : [holder, target]
    try connection.run(
      isLinked
        ? "INSERT OR IGNORE INTO link VALUES (?1, ?2, ?3)"
        : "DELETE FROM link WHERE place = ?1 AND holder = ?2 AND target = ?3",
      values: [.integer(Int64(move.place))] + pair.map { .integer($0) }
    )
  }

  /// Removes all links of a past holder, or all links that refer to a past target.
  func removeLinks(_ move: MovedLinks.Move, of object: Int64, isTarget: Bool = false) throws {
    let column = move.isReversed == isTarget ? "holder" : "target"
    try connection.run(
      "DELETE FROM link WHERE place = ?1 AND \(column) = ?2",
      values: [.integer(Int64(move.place)), .integer(object)]
    )
  }

  /// The targets of an object's links in a relationship of the present schema, in ascending order.
  func targets(of holder: Int64, place: Int) throws -> [Int64] {
    let rows = try connection.query(
      "SELECT target FROM link WHERE place = ?1 AND holder = ?2 ORDER BY target",
      values: [.integer(Int64(place)), .integer(holder)]
    )
    var result: [Int64] = []
    while try rows.step() { result.append(rows.int64(at: 0)) }
    return result
  }
}
