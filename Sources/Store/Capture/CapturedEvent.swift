import Adoption
import Format

/// A captured row, without its values.
struct CapturedEvent {
  let table: Int
  let kind: CapturedKind
  let row: CapturedReference
  var place: EventPlace
  /// The row before the change and after it; nil on a side where the row did not exist.
  let before: RowState?
  let after: RowState?

  var names: [RowName] {
    let names = [before?.name, after?.name].compactMap(\.self)
    return names.count == 2 && names[0] == names[1] ? [names[0]] : names
  }
}

/// A row with certain values.
struct RowState {
  let name: RowName
  /// The fingerprint of the values; zero if the event was read without fingerprints.
  let values: Int64

  /// In place of a fingerprint, says that the row does not exist.
  static let absent: Int64 = 0
}

/// The facts about an event that determine the order and the ends of transactions.
struct EventPlace: Hashable {
  let clock: Int64
  /// The time of the event in milliseconds since 1970.
  let time: Int64
  /// The connection's count of changes at the time of the event.
  let series: Int64

  /// The longest pause between two changes of a transaction, and the longest duration of a
  /// transaction whose end is assumed, in milliseconds.
  private static let pause: Int64 = 1000

  /// Whether a later event seems to belong to another transaction, because another connection made
  /// the event or too much time has passed.
  func seemsOver(before next: EventPlace) -> Bool {
    series >= next.series || isLongBefore(next)
  }

  func isLongBefore(_ next: EventPlace) -> Bool {
    time > next.time || next.time &- time > Self.pause
  }

  /// Whether the same statement of the program captured the next row.
  ///
  /// Between two captured rows of one statement, SQLite counts the first one and the change of the
  /// clock for the second one. The end of a statement adds the rows that the statement changed, and
  /// so do statements in the program's own triggers. During a statement, the time does not change.
  func isInStatement(of next: EventPlace) -> Bool {
    next.series &- series == 2 && next.time == time && next.clock == clock &+ 1
  }
}

/// Where the values of a captured row are.
struct CapturedReference: Hashable {
  /// The id in the table for rows of this width, and whether the row has the values before and
  /// after an update.
  let number: Int64

  init(number: Int64) { self.number = number }

  init(id: Int64, isUpdate: Bool) { number = id << 1 | (isUpdate ? 1 : 0) }

  var id: Int64 { number >> 1 }
  var isUpdate: Bool { number & 1 == 1 }
}
