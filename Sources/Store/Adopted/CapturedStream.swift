import Adoption
import Changes
import SQLite

/// A captured row, without its values.
struct CapturedEvent {
  /// The index of the table.
  let table: Int
  /// The id of the captured row.
  let row: Int64
  let kind: CapturedKind
  let place: EventPlace
  /// The name of the row before the change and after it; nil on a side where the row did not exist.
  let before: RowName?
  let after: RowName?
}

/// The facts about an event that determine the order and the ends of transactions.
struct EventPlace {
  let clock: Int64
  /// The time of the event in milliseconds since 1970.
  let time: Int64
  /// The connection's count of changes at the time of the event.
  let series: Int64

  /// The longest pause between two changes of a transaction, in milliseconds.
  private static let pause: Int64 = 1000

  /// Whether a later event seems to belong to another transaction, because another connection made
  /// the event or too much time has passed.
  func seemsOver(before next: EventPlace) -> Bool {
    series >= next.series || time > next.time || next.time &- time > Self.pause
  }
}

/// Reads the captured rows of all tables in the order of the clock.
final class CapturedStream {
  private let connection: Connection
  private let names: CaptureNames
  private let tables: [AdoptedTable]
  private let touched: TouchedRows
  private var cursors: [(table: Int, statement: Statement, next: CapturedEvent)] = []
  /// For each table, the event that must follow an update that was captured later.
  private var delayed: [Int: CapturedEvent] = [:]

  /// Reads the tables with these indexes.
  init(
    _ connection: Connection,
    names: CaptureNames,
    tables: [AdoptedTable],
    only indexes: [Int],
    touched: TouchedRows
  ) throws {
    self.connection = connection
    self.names = names
    self.tables = tables
    self.touched = touched
    for index in indexes {
      let statement = try connection.prepare(
        "SELECT \(Self.list(tables[index])) FROM \(names.rows(index)) ORDER BY id"
      )
      if let first = try event(statement, table: index) {
        cursors.append((index, statement, first))
      }
    }
  }

  private static func list(_ table: AdoptedTable) -> String {
    let keys = table.key.map { "b\($0.number), a\($0.number)" }
    return (["id, clock, kind, time, series, bk, ak"] + keys).joined(separator: ", ")
  }

  private func event(_ row: Statement, table index: Int) throws -> CapturedEvent? {
    if let event = delayed.removeValue(forKey: index) { return event }
    while try row.step() {
      let event = try captured(row, table: index)
      // The order of the updates is already known, so the beginnings of updates are not needed.
      guard event.kind != .move,
        try event.kind != .update || !touched.isMoved(event.row, table: index)
      else { continue }
      guard event.kind == .update,
        let earlier = try touched.update(movedBefore: event.row, table: index)
      else { return event }
      delayed[index] = event
      return try update(earlier, before: event)
    }
    return nil
  }

  /// The event of an update that was directly before another event.
  private func update(_ id: Int64, before event: CapturedEvent) throws -> CapturedEvent {
    let row = try connection.prepare(
      "SELECT \(Self.list(tables[event.table])) FROM \(names.rows(event.table)) WHERE id = ?1"
    )
    try row.bind(1, id)
    guard try row.step() else { return event }
    let update = try captured(row, table: event.table)
    return CapturedEvent(
      table: update.table,
      row: id,
      kind: update.kind,
      place: EventPlace(
        clock: event.place.clock,
        time: event.place.time,
        // The connection counted both changes, so this number is greater than the number of the
        // event before the update.
        series: event.place.series &- 1
      ),
      before: update.before,
      after: update.after
    )
  }

  private func captured(_ row: Statement, table index: Int) throws -> CapturedEvent {
    let table = tables[index]
    guard let kind = CapturedKind(rawValue: row.int64(at: 2)) else {
      throw HistoryFailure.damaged(.unknownKind(row.string(at: 2))).at(connection.path)
    }
    func name(_ side: Int32) -> RowName? {
      let key = table.key.indices.map { row.value(at: 7 + 2 * Int32($0) + side) }
      return RowName(key: key, rowid: row.isNull(at: 5 + side) ? nil : row.int64(at: 5 + side))
    }
    return CapturedEvent(
      table: index,
      row: row.int64(at: 0),
      kind: kind,
      place: EventPlace(clock: row.int64(at: 1), time: row.int64(at: 3), series: row.int64(at: 4)),
      before: kind == .insert ? nil : name(0),
      after: kind == .insert || kind == .update ? name(1) : nil
    )
  }

  /// Returns the next event in the order of the clock.
  ///
  /// If two events have the same number of the clock, the row that a statement may replace precedes
  /// the row that the statement writes.
  func next() throws -> CapturedEvent? {
    let first = cursors.indices.min {
      let (left, right) = (cursors[$0].next, cursors[$1].next)
      guard left.place.clock == right.place.clock else {
        return left.place.clock < right.place.clock
      }
      return left.kind == .victim && right.kind != .victim
    }
    guard let first else { return nil }
    let (table, statement, event) = cursors[first]
    if let next = try self.event(statement, table: table) {
      cursors[first].next = next
    } else {
      cursors.remove(at: first)
    }
    return event
  }
}
