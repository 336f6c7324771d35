import Adoption
import Changes
import SQLite

extension AdoptedSeal {
  /// The maximum depth of triggers in SQLite, which limits how many updates run inside each other.
  private static let depth = 1000

  /// An update whose beginning was captured.
  private struct Beginning {
    /// The row before the update, and the row after it.
    let before: [UInt8]
    let after: [UInt8]
    /// The first event that changes the row again; nil if there is none.
    var next: Int64?
  }

  /// Finds the updates of a table whose row was changed again before the update was captured.
  ///
  /// An update that changes a key first runs the actions of foreign keys, which can change the
  /// updated row again. So the event of the update follows the events of these actions, although
  /// the update was first. Its place is directly before the first event that changes its row again.
  ///
  /// The place is not the beginning of the update, because `REPLACE` deletes rows after the
  /// beginning and before the update.
  func findMoves(_ table: Int, touched: TouchedRows) throws {
    let columns = tables[table].layout.columns.indices.filter {
      tables[table].isWritten(ColumnIndex($0))
    }
    let list = (["id", "kind"] + ["b", "a"].flatMap { side in columns.map { "\(side)\($0)" } })
      .joined(separator: ", ")
    let rows = try connection.prepare(
      """
      SELECT \(list) FROM \(names.rows(table))
      WHERE kind IN (\(CapturedKind.update.rawValue), \(CapturedKind.move.rawValue)) ORDER BY id
      """
    )
    // The beginnings of updates whose events were not found yet. An update that a conflict clause
    // ignores has no event.
    var open: [Beginning] = []
    while try rows.step() {
      let isBeginning = rows.int64(at: 1) == CapturedKind.move.rawValue
      guard isBeginning || !open.isEmpty else { continue }
      let count = Int32(truncatingIfNeeded: columns.count)
      let (before, after) = (text(rows, from: 2, count), text(rows, from: 2 + count, count))
      if isBeginning {
        open.append(Beginning(before: before, after: after))
        if open.count > Self.depth { open.removeFirst() }
        continue
      }
      let event = rows.int64(at: 0)
      var isMoved = false
      if let index = open.lastIndex(where: { $0.before == before && $0.after == after }) {
        if let next = open[index].next {
          try touched.noteMove(event, before: next, table: table)
          isMoved = true
        }
        // Updates that began later ran inside this update, and have ended.
        open.removeSubrange(index...)
      }
      guard !isMoved else { continue }
      for index in open.indices where open[index].next == nil && open[index].after == before {
        open[index].next = event
      }
    }
  }

  /// The values of some columns, as bytes that are equal only for equal values.
  private func text(_ row: Statement, from first: Int32, _ count: Int32) -> [UInt8] {
    var values: [UInt8] = []
    for column in first..<first + count {
      appendCanonical(row.value(at: column), as: .any, to: &values)
      values.append(UInt8(ascii: "\n"))
    }
    return values
  }
}
