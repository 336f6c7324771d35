import Foundation
import TestSupport
import Testing

@testable import Format

@Suite("Numbers as text")
struct NumberTextTests {
  @Test("Integers are read back, at the limits and at random.")
  func integers() {
    var generator = SeededGenerator(for: "integers")
    var numbers: [Int64] = [.min, .min + 1, -10, -9, -1, 0, 1, 9, 10, 99, 100, .max - 1, .max]
    for _ in 0..<trials(10_000, long: 1_000_000) {
      let number = Int64.random(in: .min ... .max, using: &generator)
      numbers.append(number >> Int64.random(in: 0..<64, using: &generator))
    }
    for number in numbers {
      let written = text { appendInteger(number, to: &$0) }
      #expect(written == String(number) && bytes(written, parseInteger) == number)
    }
    for number in [UInt64.max, UInt64.max - 1, 1 << 63, 0, 18_446_744_073_709_551_609] {
      let written = text { appendInteger(number, to: &$0) }
      #expect(written == String(number))
      #expect(bytes(written, parseUnsignedInteger) == number)
    }
  }

  @Test(
    "An integer in another form is refused.",
    arguments: [
      "", "-", "+1", "01", "-0", "-01", "1.0", "1e3", " 1", "1 ", "9223372036854775808",
      "-9223372036854775809", "99999999999999999999", "0x1", "٣",
    ]
  )
  func refusedInteger(_ text: String) {
    #expect(bytes(text, parseInteger) == nil)
  }

  @Test(
    "Unsigned integers that are out of range are refused.",
    arguments: [
      "18446744073709551616", "99999999999999999999", "-1", "00", "123456789012345678901",
    ]
  )
  func refusedUnsigned(_ text: String) {
    #expect(bytes(text, parseUnsignedInteger) == nil)
  }

  /// A double with any bit pattern, a price, a time, a whole number, or a neighbour of one.
  static func double(_ index: Int, using generator: inout SeededGenerator) -> Double {
    let number: Double
    switch index % 6 {
    case 0: number = Double(bitPattern: generator.next())
    case 1: number = Double(Int.random(in: -1_000_000_000...1_000_000_000, using: &generator)) / 100
    case 2: number = Double.random(in: 0...1e9, using: &generator)
    case 3: number = (Double.random(in: -1e9...1e9, using: &generator) * 1e6).rounded() / 1e6
    case 4: number = Double(Int64(bitPattern: generator.next() >> 10))
    default: number = Double.random(in: -1e-3...1e-3, using: &generator)
    }
    return index % 5 == 0 ? number.nextUp : number
  }

  static func expectRoundTrip(_ number: Double) {
    let written = text { appendDouble(number, to: &$0) }
    // One `#expect` for each number, because the macro is slow.
    let back = bytes(written, parseDouble)
    if written != number.description || back?.bitPattern != number.bitPattern {
      Issue.record("\(number) is written \(written) and read \(String(describing: back))")
    }
  }

  @Test("Doubles are read back bit by bit, and are written as Swift prints them.")
  func doubles() {
    let numbers: [Double] = [
      0, -0.0, 1, -1, 0.1, 0.5, 1e15, 1e16, 1e17, 9_007_199_254_740_992, 1e-4, 1e-5, 0.00012,
      9.999e-5, 0.000001, 123456.654321, 999_999_999.999999, 9_999_999_999.99999, 1e22, 1e-7,
      .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, .pi, 1 / 3,
    ]
    for number in numbers {
      for near in [number, number.nextUp, number.nextDown] where near.isFinite {
        Self.expectRoundTrip(near)
      }
    }
    var generator = SeededGenerator(for: "doubles")
    for index in 0..<trials(40_000, long: 6_000_000) {
      let number = Self.double(index, using: &generator)
      if number.isFinite { Self.expectRoundTrip(number) }
    }
  }

  @Test("Foundation reads the texts of doubles as the same numbers.")
  func foundation() throws {
    var generator = SeededGenerator(for: "doubles against Foundation")
    for index in 0..<trials(1000, long: 100_000) {
      let number = Self.double(index, using: &generator)
      guard number.isFinite else { continue }
      let written = text { appendDouble(number, to: &$0) }
      let decoded = try JSONDecoder().decode([Double].self, from: Data("[\(written)]".utf8))
      #expect(decoded == [number])
    }
  }

  @Test("Doubles have the layout that the format defines.")
  func layout() {
    let expected: [(Double, String)] = [
      (0, "0.0"), (-0.0, "-0.0"), (5, "5.0"), (0.0001, "0.0001"), (0.00001, "1e-05"),
      (0.000099, "9.9e-05"), (1e15, "1000000000000000.0"),
      (9_007_199_254_740_992, "9007199254740992.0"),
      (9_007_199_254_740_994, "9.007199254740994e+15"), (1e16, "1e+16"), (1.5e300, "1.5e+300"),
      (-1e-7, "-1e-07"), (.leastNonzeroMagnitude, "5e-324"),
    ]
    for (number, written) in expected {
      #expect(text { appendDouble(number, to: &$0) } == written)
    }
    for number in [Double.nan, .infinity, -.infinity] {
      #expect(text { _ = appendDouble(number, to: &$0) } == "")
    }
  }

  @Test(
    "A double in another form is refused.",
    arguments: [
      "", "-", "1", "1.", ".5", "1.50", "01.5", "1.00", "-", "+1.0", "1e5", "1E+16", "1e16",
      "0.00001", "10000000000000000.0", "1.0e+16", "1e+016", "nan", "inf", "Infinity", "0x1p3",
      "1_0.0", "0.1000000000000000055", "--1.0", "1.0 ", " 1.0", "1.-1", "1e+400", "00.5",
    ]
  )
  func refusedDouble(_ text: String) {
    #expect(bytes(text, parseDouble) == nil)
  }
}
