import Foundation
import Testing

@testable import CommandLineKit

@Suite("Values on a command line")
struct ValueTypeTests {
  @Test("Durations have a unit.")
  func durations() {
    let type = ValueType<Duration>.duration
    let accepted: [String: Duration] = [
      "90s": .seconds(90), "5m": .seconds(300), "2h": .seconds(7200), "7d": .seconds(604_800),
      "500ms": .milliseconds(500), "0s": .zero, "0": .zero,
    ]
    for (text, value) in accepted { #expect(type.parse(text) == value, "\(text)") }
    for text in [
      "", "5", "m", "5 m", "-5m", "1.5h", "5M", "９s", "99999999999999999999d",
      "9223372036854775807d",
    ] {
      #expect(type.parse(text) == nil, "\(text)")
    }
  }

  @Test("A size has a unit and is not below the smallest one.")
  func sizes() {
    let type = ValueType<Int64>.size(from: 64 << 10, name: "64KiB")
    let accepted: [String: Int64] = [
      "65536B": 65_536, "64KiB": 65_536, "10MiB": 10_485_760, "1GiB": 1 << 30,
    ]
    for (text, value) in accepted { #expect(type.parse(text) == value, "\(text)") }
    for text in [
      "", "KiB", "100kb", "100 KiB", "-1", "9223372036854775807GiB", "0", "65536", "63KiB", "7B",
    ] {
      #expect(type.parse(text) == nil, "\(text)")
    }
  }

  @Test("The error of a number without a unit names the units.")
  func missingUnits() {
    func hint<Value>(_ type: ValueType<Value>, _ text: String) -> String? {
      #expect(throws: CommandError.self) { try type.value(of: "--flag", text: text) }?.hint
    }
    #expect(hint(.duration, "10") == "A unit is missing: 10s, 10m, 10h or 10d.")
    #expect(hint(.size(from: 1, name: "1B"), "64") == "A unit is missing: 64KiB, 64MiB or 64GiB.")
    #expect(hint(.duration, "10x") == nil)
  }

  @Test("Dates are days or instants, and a day that does not exist is refused.")
  func dates() {
    let type = ValueType<Date>.date
    let accepted: [String: Double] = [
      "1970-01-02": 86_400, "1970-01-01T00:00:01Z": 1, "1970-01-01T00:00:01.500Z": 1.5,
      "1970-01-01T02:00:00+02:00": 0, "2024-02-29": 1_709_164_800,
    ]
    for (text, value) in accepted {
      #expect(type.parse(text)?.timeIntervalSince1970 == value, "\(text)")
    }
    for text in [
      "", "today", "2026-3-1", "2026-02-30", "2025-02-29", "2026-13-01", "01.02.2026",
      "2026-03-01T25:00:00Z", "2026-03-01 08:30", "7d",
    ] {
      #expect(type.parse(text) == nil, "\(text)")
    }
  }

  @Test("Whole numbers must be within their range, and the error names the range.")
  func integers() {
    #expect(ValueType<Int>.integer(in: 1...3).parse("3") == 3)
    #expect(ValueType<Int>.integer(in: 1...3).parse("4") == nil)
    #expect(ValueType<Int>.integer(in: 1...3).forms == "a whole number from 1 to 3")
    #expect(ValueType<Int>.integer(in: 1...(.max)).forms == "a whole number that is at least 1")
    #expect(ValueType<UInt64>.natural.parse("18446744073709551615") == .max)
    #expect(ValueType<UInt64>.natural.parse("-1") == nil)
  }
}
