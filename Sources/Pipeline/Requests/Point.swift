import Format
import Store

/// A point in a history as users write it: a transaction, a time, or the head.
package enum Point: Hashable, Sendable, CustomStringConvertible {
  /// The history up to the given transaction, including this transaction.
  case transaction(Int64)
  /// The history up to the given time; it ends before the first transaction with a later time. The
  /// text has the form of times in history.
  case time(String)
  /// The whole history.
  case head

  /// The forms that ``init(_:)`` reads, for messages.
  package static let forms =
    "a transaction such as 412, a time such as 2026-11-03T08:00Z or 2026-11-03, or head"

  /// Reads `412`, `2026-11-03T08:00Z`, `2026-11-03` or `head`; nil for anything else.
  ///
  /// A day as a point means midnight in UTC at the beginning of the day.
  package init?(_ text: String) {
    if text == "head" {
      self = .head
    } else if let id = Int64(text) {
      guard id >= 0 else { return nil }
      self = .transaction(id)
    } else if let time = readTime(text) {
      self = .time(timeText(time))
    } else {
      return nil
    }
  }

  /// The point in a form that ``init(_:)`` reads.
  package var description: String {
    switch self {
    case .transaction(let id): String(id)
    case .time(let text): text
    case .head: "head"
    }
  }
}

extension Point {
  /// The last transaction that is in a range of ids and not after the point.
  func transaction(in reader: Reader, after first: Int64, through last: Int64) throws -> Int64 {
    switch self {
    case .head: last
    case .transaction(let id): min(id, last)
    case .time(let time):
      try reader.lastTransaction(beforeTime: time, orAt: true, from: first, through: last)
    }
  }
}
