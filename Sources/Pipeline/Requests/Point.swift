import Format
import FoundationEssentials
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
  package init?(_ text: String) {
    if text == "head" {
      self = .head
    } else if let id = Int64(text) {
      guard id >= 0 else { return nil }
      self = .transaction(id)
    } else if let time = Self.time(text) {
      self = .time(timeText(time))
    } else {
      return nil
    }
  }

  /// Returns a time in the form that history uses; nil if the text is neither a day nor a time.
  ///
  /// A day as a point means midnight in UTC at the beginning of the day.
  private static func time(_ text: String) -> Date? {
    var text = text
    if text.utf8.count == 10 { text += "T00:00:00Z" }
    let bytes = Array(text.utf8)
    guard bytes.count >= 17, bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":") else {
      return nil
    }
    if bytes[16] != UInt8(ascii: ":") {
      text.insert(contentsOf: ":00", at: text.index(text.startIndex, offsetBy: 16))
    }
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
    // The error is ignored, because the caller reports an error that lists the accepted forms.
    guard let date = try? style.parse(text) else { return nil }
    // Foundation reads the 30th of February as a day in March, and 08:75 as 09:15, so the minute is
    // compared with the text.
    let minute = date.formatted(.iso8601).prefix(16)
    return minute == text.prefix(16) || !text.hasSuffix("Z") ? date : nil
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
