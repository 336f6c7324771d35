import Foundation
import TestSupport
import Testing

@testable import Format

@Suite("Decimals as text")
struct DecimalTextTests {
  @Test("The canonical text has plain digits and no superfluous zeros.")
  func known() throws {
    let expected: [(String, String)] = [
      ("0", "0"), ("-0", "0"), ("0.00", "0"), ("1.50", "1.5"), ("-1.50", "-1.5"), ("100", "100"),
      ("1e3", "1000"), ("1.5e-3", "0.0015"), ("19.99", "19.99"), ("-0.10", "-0.1"),
    ]
    for (input, text) in expected {
      let number = try #require(Decimal(string: input))
      #expect(decimalText(number) == text)
      #expect(decimal(fromText: text) == number)
    }
    #expect(decimalText(.nan) == nil)
  }

  /// A decimal with any 128-bit mantissa and any exponent.
  static func random(using generator: inout SeededGenerator) -> Decimal {
    let bits = Int.random(in: 0...128, using: &generator)
    var mantissa = UInt128(generator.next()) << 64 | UInt128(generator.next())
    mantissa = bits == 0 ? 0 : mantissa >> UInt128(128 - bits)
    if Int.random(in: 0..<3, using: &generator) == 0 {
      let power = Int.random(in: 0..<20, using: &generator)
      for _ in 0..<power { mantissa /= 10 }
      for _ in 0..<power { mantissa *= 10 }
    }
    return Decimal(
      sign: generator.next() & 1 == 0 ? .plus : .minus,
      exponent: Int.random(in: -128...127, using: &generator),
      significand: Decimal(string: String(mantissa)) ?? 0
    )
  }

  @Test("Every decimal is read back as an equal one, and its text is canonical.")
  func roundTrip() {
    var generator = SeededGenerator(for: "decimals")
    for _ in 0..<trials(3000, long: 500_000) {
      let number = Self.random(using: &generator)
      // The exponent of some is out of range.
      if number.isNaN { continue }
      guard let text = decimalText(number) else {
        Issue.record("\(number) has no text")
        continue
      }
      #expect(bytes(text, isCanonicalDecimal))
      #expect(decimal(fromText: text) == number)
      #expect(decimal(fromText: text).flatMap(decimalText) == text)
    }
  }

  @Test("The largest and the smallest decimals are read back.")
  func edges() throws {
    let largest = Decimal.greatestFiniteMagnitude
    for number in [
      largest, -largest, Decimal.leastNonzeroMagnitude, -Decimal.leastNonzeroMagnitude,
      Decimal(sign: .plus, exponent: -128, significand: largest.significand),
      Decimal(sign: .plus, exponent: 127, significand: 1),
    ] {
      let text = try #require(decimalText(number))
      #expect(bytes(text, isCanonicalDecimal))
      #expect(decimal(fromText: text) == number)
    }
    for zeros in 120...165 {
      let text = "1" + String(repeating: "0", count: zeros)
      #expect(decimal(fromText: text).flatMap(decimalText) == text)
    }
    #expect(decimal(fromText: "1" + String(repeating: "0", count: 166)) == nil)
    #expect(decimal(fromText: "340282366920938463463374607431768211455") != nil)
    #expect(decimal(fromText: "340282366920938463463374607431768211456") == nil)
    #expect(decimal(fromText: String(repeating: "9", count: 39)) == nil)
    #expect(decimal(fromText: String(repeating: "9", count: 40)) == nil)
    #expect(decimal(fromText: "0." + String(repeating: "0", count: 128) + "1") == nil)
  }

  @Test(
    "A decimal in another form is refused.",
    arguments: [
      "", "-", "+1", "-0", "00", "01", "1.", ".1", "1.0", "1.10", "-0.0", "1e3", "NaN", " 1",
      "1,5", "1.5.5", "--1", "1-", "0.", "-.5",
    ]
  )
  func refused(_ text: String) {
    #expect(!bytes(text, isCanonicalDecimal))
    #expect(decimal(fromText: text) == nil)
  }
}

/// The canonical text of a decimal; nil for NaN.
private func decimalText(_ value: Decimal) -> String? {
  guard !value.isNaN else { return nil }
  if value.isZero { return "0" }
  // `description` has all digits and never an exponent, but it keeps zeros at the end.
  let text = value.description
  guard text.utf8.contains(0x2e) else { return text }
  var digits = Substring(text)
  while digits.utf8.last == 0x30 { digits.removeLast() }
  if digits.utf8.last == 0x2e { digits.removeLast() }
  return String(digits)
}
