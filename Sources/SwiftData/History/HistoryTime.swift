import Format
import Store

/// The times in a history: RFC 3339 in UTC with six decimals of a second, so that sorting the texts
/// sorts the times.
enum HistoryTime {
  /// The time that a text represents; nil if the text has another form.
  static func date(_ text: String) -> Date? {
    // `parseDate` accepts only the form of dates in stores, without trailing zeros. So the zeros
    // are removed.
    var bytes = Array(text.utf8)
    guard bytes.popLast() == UInt8(ascii: "Z") else { return nil }
    if bytes.contains(UInt8(ascii: ".")) {
      while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
      if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
    }
    bytes.append(UInt8(ascii: "Z"))
    return bytes.withUnsafeBytes { parseDate($0) }
      .map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  /// The text of the first time after a date; if `orAt` is true, of the first time that is not
  /// before the date.
  ///
  /// If there is no such time, the result is a text that is sorted last.
  static func first(after date: Date, orAt: Bool) -> String {
    let wanted = date.timeIntervalSinceReferenceDate
    func isThere(_ microsecond: Int64) -> Bool {
      guard let found = self.date(text(microsecond)) else { return microsecond > 0 }
      let seconds = found.timeIntervalSinceReferenceDate
      return orAt ? seconds >= wanted : seconds > wanted
    }
    guard wanted > -63_113_904_000 else { return "" }
    guard wanted < 252_423_993_600 else { return "~" }
    let near = Int64((wanted * 1_000_000).rounded())
    // For times far from 2001, a Double can't distinguish neighbouring microseconds. So the result
    // is searched near the rounded time.
    var low = near - 1000
    var high = near + 1000
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if isThere(middle) { high = middle } else { low = middle }
    }
    return text(high)
  }

  private static func text(_ microsecond: Int64) -> String {
    let (quotient, remainder) = microsecond.quotientAndRemainder(dividingBy: 1_000_000)
    let seconds = remainder < 0 ? quotient - 1 : quotient
    let fraction = remainder < 0 ? remainder + 1_000_000 : remainder
    var bytes: [UInt8] = []
    guard appendDate(secondsSinceReference: Double(seconds), to: &bytes) else {
      return seconds < 0 ? "" : "~"
    }
    let digits = String(fraction)
    return String(decoding: bytes.dropLast(), as: UTF8.self) + "."
      + String(repeating: "0", count: 6 - digits.count) + digits + "Z"
  }
}
