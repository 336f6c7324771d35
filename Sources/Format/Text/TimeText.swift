import FoundationEssentials
import Glibc

/// The current time in the text form that history uses: RFC 3339 in UTC with six digits after the second.
package func currentTime() -> String {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  return timeText(seconds: now.tv_sec, microseconds: Int(now.tv_nsec) / 1000)
}

/// The nearest microsecond of a date, in the text form that history uses.
///
/// A date can't represent every microsecond exactly. Without rounding, the result would often be
/// the microsecond before.
package func timeText(_ time: Date) -> String {
  let instant = time.timeIntervalSince1970.isNaN ? 0 : time.timeIntervalSince1970
  let seconds = instant.rounded(.down)
  let fraction = ((instant - seconds) * 1_000_000).rounded()
  let isNext = fraction >= 1_000_000
  let ends = writtenTimes
  return timeText(
    seconds: Int(
      min(max(seconds + (isNext ? 1 : 0), Double(ends.lowerBound)), Double(ends.upperBound))
    ),
    microseconds: fraction.isFinite && !isNext ? Int(fraction) : 0
  )
}

/// The current time in milliseconds since 1970.
package func currentMilliseconds() -> Int64 {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
}

/// A time in the text form that history uses, from milliseconds since 1970.
package func timeText(milliseconds: Int64) -> String {
  let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
  // The remainder is negative before 1970, but microseconds must be positive.
  return rest < 0
    ? timeText(seconds: Int(seconds) - 1, microseconds: Int(rest + 1000) * 1000)
    : timeText(seconds: Int(seconds), microseconds: Int(rest) * 1000)
}

/// The years 1 to 9999, in seconds since 1970; other times are clamped to this range.
private let writtenTimes = -62_135_596_800...253_402_300_799

/// A time in the text form that history uses, from seconds since 1970 and additional microseconds.
package func timeText(seconds: Int, microseconds: Int) -> String {
  var parts = tm()
  var seconds = min(max(seconds, writtenTimes.lowerBound), writtenTimes.upperBound)
  gmtime_r(&seconds, &parts)
  return String(unsafeUninitializedCapacity: 32) { text in
    var end = 0
    func append(_ number: Int, width: Int, next: Unicode.Scalar) {
      var rest = number
      for place in (end..<end + width).reversed() {
        text[place] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      }
      text[end + width] = UInt8(ascii: next)
      end += width + 1
    }
    append(Int(parts.tm_year) + 1900, width: 4, next: "-")
    append(Int(parts.tm_mon) + 1, width: 2, next: "-")
    append(Int(parts.tm_mday), width: 2, next: "T")
    append(Int(parts.tm_hour), width: 2, next: ":")
    append(Int(parts.tm_min), width: 2, next: ":")
    append(Int(parts.tm_sec), width: 2, next: ".")
    append(min(max(microseconds, 0), 999_999), width: 6, next: "Z")
    return end
  }
}

/// Reads a day, which begins at midnight UTC, or a time with its zone: `2026-11-03`,
/// `2026-11-03T08:00Z`, `2026-11-03 09:00:07.5+01:00`; nil for anything else.
package func readTime(_ text: String) -> Date? {
  let day = text.prefix(10)
  guard let mark = text.dropFirst(10).first else { return universalTime("\(day)T00:00:00") }
  let rest = text.dropFirst(11)
  guard mark == "T" || mark == " ", let zone = rest.firstIndex(where: { "Z+-".contains($0) }),
    let offset = offset(of: rest[zone...])
  else { return nil }
  let clock = rest[..<zone]
  return universalTime("\(day)T\(clock)\(clock.count == 5 ? ":00" : "")")
    .map { $0.addingTimeInterval(-offset) }
}

/// What to write instead of a time without its zone; nil for any other text.
///
/// Without a zone, a command would find other transactions on another computer.
package func hintOfZone(_ text: String) -> String? {
  guard text.count > 10, readTime(text + "Z") != nil else { return nil }
  return "The time zone is missing: \(text)Z for UTC, or an offset such as \(text)+01:00."
}

private func universalTime(_ text: String) -> Date? {
  let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
  // The error is ignored, because callers report an error that lists the accepted forms.
  guard let time = try? style.parse(text + "Z") else { return nil }
  // Foundation reads the 30th of February as a day in March, and 08:75 as 09:15, so the minute is
  // compared with the text.
  return time.formatted(.iso8601).prefix(16) == text.prefix(16) ? time : nil
}

/// The seconds of a zone such as `Z`, `+01:00`, `+0100` or `+01`.
private func offset(of zone: Substring) -> Double? {
  guard zone != "Z" else { return 0 }
  var digits = zone.dropFirst()
  if digits.count == 5, digits.dropFirst(2).first == ":" {
    digits = digits.prefix(2) + digits.suffix(2)
  }
  guard digits.count == 2 || digits.count == 4,
    digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
    let hours = Double(digits.prefix(2)), hours < 24,
    let minutes = Double(digits.count == 4 ? digits.suffix(2) : "0"), minutes < 60
  else { return nil }
  return (zone.first == "-" ? -1 : 1) * (hours * 60 + minutes) * 60
}
