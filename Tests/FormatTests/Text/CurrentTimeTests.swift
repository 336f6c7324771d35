import Format
import Foundation
import TestSupport
import Testing

@Suite("Times in history")
struct CurrentTimeTests {
  @Test(
    "A time has all its digits, and one outside the years 1 to 9999 is clamped to their ends.",
    arguments: [
      (0, 0, "1970-01-01T00:00:00.000000Z"),
      (1_704_697_200, 42, "2024-01-08T07:00:00.000042Z"),
      (-1, 999_999, "1969-12-31T23:59:59.999999Z"),
      (951_782_400, 100_000, "2000-02-29T00:00:00.100000Z"),
      (-62_135_596_800, 0, "0001-01-01T00:00:00.000000Z"),
      (253_402_300_799, 999_999, "9999-12-31T23:59:59.999999Z"),
      (Int.min, -7, "0001-01-01T00:00:00.000000Z"),
      (Int.max, Int.max, "9999-12-31T23:59:59.999999Z"),
    ]
  )
  func text(seconds: Int, microseconds: Int, expected: String) {
    #expect(timeText(seconds: seconds, microseconds: microseconds) == expected)
  }

  @Test("A date that was made from a microsecond gives that microsecond, and not the one before.")
  func microseconds() {
    var generator = SeededGenerator(for: "microseconds")
    for _ in 0..<20_000 {
      let seconds = Int.random(in: 0...4_000_000_000, using: &generator)
      let microseconds = Int.random(in: 0...999_999, using: &generator)
      let date = Date(timeIntervalSince1970: Double(seconds) + Double(microseconds) / 1_000_000)
      #expect(timeText(date) == timeText(seconds: seconds, microseconds: microseconds))
    }
    let nearlyNext = Date(timeIntervalSinceReferenceDate: 1.0.nextDown)
    #expect(timeText(nearlyNext) == "2001-01-01T00:00:01.000000Z")
    for (instant, text) in [
      (1.999_999_6, "1970-01-01T00:00:02.000000Z"), (1.999_999_4, "1970-01-01T00:00:01.999999Z"),
      (-0.000_000_4, "1970-01-01T00:00:00.000000Z"), (-0.000_000_6, "1969-12-31T23:59:59.999999Z"),
      (.infinity, "9999-12-31T23:59:59.000000Z"), (-.infinity, "0001-01-01T00:00:00.000000Z"),
    ] {
      #expect(timeText(Date(timeIntervalSince1970: instant)) == text)
    }
  }

  @Test("A date that is not a number, or outside the clock's range, has a text.")
  func dates() {
    #expect(timeText(Date(timeIntervalSince1970: .nan)) == "1970-01-01T00:00:00.000000Z")
    #expect(timeText(.distantFuture).hasPrefix("4001-01-01T00:00:00"))
    #expect(timeText(Date(timeIntervalSince1970: .infinity)).hasPrefix("9999-12-31T23:59:59"))
    #expect(timeText(Date(timeIntervalSince1970: -.infinity)).hasPrefix("0001-01-01T00:00:00"))
  }
}
