import Adoption
import Changes
import SQLite

extension AdoptedSeal {
  /// The maximum depth of triggers in SQLite, which limits how many updates run inside each other.
  private static let depth = 1000

  /// Finds the event of each update of a table that begins at a captured row of kind
  /// ``CapturedKind/move``.
  ///
  /// An update that changes a key first runs the actions of foreign keys, which can change the
  /// updated row again. So the event of the update has a later number of the clock than the events
  /// of these actions, although the update was first.
  func findMoves(_ table: Int, touched: TouchedRows) throws {
    let columns = tables[table].layout.columns.indices.filter {
      tables[table].isWritten(ColumnIndex($0))
    }
    let list = (["id", "kind"] + columns.map { "b\($0), a\($0)" }).joined(separator: ", ")
    let rows = try connection.prepare(
      """
      SELECT \(list) FROM \(names.rows(table))
      WHERE kind IN (\(CapturedKind.update.rawValue), \(CapturedKind.move.rawValue)) ORDER BY id
      """
    )
    // The beginnings of updates whose events were not found yet. An update that a conflict clause
    // ignores has no event.
    var open: [(row: Int64, values: [UInt8])] = []
    while try rows.step() {
      let isMove = rows.int64(at: 1) == CapturedKind.move.rawValue
      guard isMove || !open.isEmpty else { continue }
      let row = rows.int64(at: 0)
      var values: [UInt8] = []
      for column in 0..<2 * Int32(truncatingIfNeeded: columns.count) {
        appendCanonical(rows.value(at: 2 + column), as: .any, to: &values)
        values.append(UInt8(ascii: "\n"))
      }
      if isMove {
        open.append((row, values))
        if open.count > Self.depth { open.removeFirst() }
      } else if let index = open.lastIndex(where: { $0.values == values }) {
        try touched.noteMove(open[index].row, event: row, table: table)
        // Updates that began later ran inside this update, and have ended.
        open.removeSubrange(index...)
      }
    }
  }
}
