import Foundation
import Testing

@testable import Format

@Suite("Stored values in their canonical encoding")
struct CanonicalValueTests {
  static func encode(_ value: Value, as type: ValueType) -> (text: String, special: SpecialValue?) {
    var buffer: [UInt8] = []
    let special = appendCanonical(value, as: type, to: &buffer)
    return (String(decoding: buffer, as: UTF8.self), special)
  }

  static func decode(
    _ text: String,
    special: SpecialValue? = nil,
    as type: ValueType
  ) throws -> Value {
    let result = bytes(text) { bytes in
      Result { () throws in try parseCanonical(bytes, special: special, as: type) }
    }
    return try result.get()
  }

  struct Example: CustomTestStringConvertible {
    var type: ValueType
    var value: Value
    var text: String
    var special: String?

    init(_ type: ValueType, _ value: Value, _ text: String, _ special: String? = nil) {
      self.type = type
      self.value = value
      self.text = text
      self.special = special
    }

    var testDescription: String { "\(type) \(text) \(special ?? "")" }
  }

  static let uuid = "0E984725-C51C-4BF4-9960-E1C80E27ABA0"

  static let numbers: [Example] = [
    Example(.bool, .integer(1), "true"),
    Example(.bool, .integer(0), "false"),
    Example(.bool, .integer(2), "null", "2"),
    Example(.int8, .integer(-128), "-128"),
    Example(.int8, .integer(128), "null", "128"),
    Example(.int64, .integer(.min), "-9223372036854775808"),
    Example(.uint32, .integer(4_294_967_295), "4294967295"),
    Example(.uint32, .integer(-1), "null", "-1"),
    Example(.uint64, .integer(7), "\"7\""),
    Example(.uint64, .text("18446744073709551615"), "\"18446744073709551615\""),
    Example(.uint64, .text("00000000000000000007"), "null", "text:00000000000000000007"),
    Example(.uint64, .text("99999999999999999999"), "null", "text:99999999999999999999"),
    Example(.uint64, .text("09223372036854775808"), "\"9223372036854775808\""),
    Example(.uint64, .integer(-1), "null", "-1"),
    Example(.double, .real(1), "1.0"),
    Example(.double, .integer(1), "1"),
    Example(.double, .real(-0.0), "-0.0"),
    Example(.double, .text("NaN"), "null", "nan"),
    Example(.float, .real(.infinity), "null", "inf"),
    Example(.float16, .real(-.infinity), "null", "-inf"),
    Example(.float, .real(Double(Float(0.1))), "0.10000000149011612"),
    Example(.double, .text("abc"), "null", "text:abc"),
    Example(.decimal, .text("1.5"), "\"1.5\""),
    Example(.decimal, .text("1.50"), "null", "text:1.50"),
    Example(.decimal, .text("NaN"), "null", "nan"),
  ]

  static let others: [Example] = [
    Example(.string, .text("NaN"), "\"NaN\""),
    Example(.string, .text("a\u{0}\"é"), "\"a\\u0000\\\"é\""),
    Example(.string, .text(""), "\"\""),
    Example(.string, .blob(Data([1])), "null", "blob:AQ=="),
    Example(.string, .brokenText(Data([255, 65])), "null", "text64:/0E="),
    Example(.json, .brokenText(Data([0x7b, 0xfe, 0x7d])), "null", "text64:e/59"),
    Example(.uint64, .brokenText(Data([0x80])), "null", "text64:gA=="),
    Example(.string, .text("text64:/0E="), "\"text64:/0E=\""),
    Example(.data, .text("text64:/0E="), "null", "text:text64:/0E="),
    Example(.string, .real(.infinity), "null", "inf"),
    Example(.date, .real(0), "\"2001-01-01T00:00:00Z\""),
    Example(.date, .real(-0.0), "\"2001-01-01T00:00:00Z\"", "-0.0"),
    Example(.date, .integer(1), "\"2001-01-01T00:00:01Z\"", "1"),
    Example(.date, .real(1e12), "null", "1000000000000.0"),
    Example(.date, .text("NaN"), "null", "nan"),
    Example(.date, .integer(.max), "null", "9223372036854775807"),
    Example(.date, .real(.infinity), "null", "inf"),
    Example(.date, .real(-6.4e10), "null", "-64000000000.0"),
    Example(.data, .blob(Data()), "\"\""),
    Example(.data, .blob(Data([255, 0])), "\"/wA=\""),
    Example(.data, .text("x"), "null", "text:x"),
    Example(.transformed, .blob(Data([1])), "\"AQ==\""),
    Example(.uuid, .text(uuid), "\"\(uuid)\""),
    Example(.uuid, .text(uuid.lowercased()), "null", "text:\(uuid.lowercased())"),
    Example(.url, .text("b https://a.example/"), "\"b https://a.example/\""),
    Example(.json, .text("{\"a\":[1]}"), "\"{\\\"a\\\":[1]}\""),
    Example(.json, .null, "null"),
  ]

  @Test(
    "Each type has its encoding, and special values are in the member special.",
    arguments: numbers + others
  )
  func example(_ example: Example) throws {
    let (text, special) = Self.encode(example.value, as: example.type)
    #expect(text == example.text)
    #expect(special?.name == example.special)
    let read = try example.special.map { try #require(SpecialValue(name: $0)) }
    #expect(read == special)
    let value = try Self.decode(text, special: read, as: example.type)
    #expect(Self.isSame(value, example.value))
  }

  /// Whether two values are equal, the sign of zero included.
  static func isSame(_ first: Value, _ second: Value) -> Bool {
    if case .real(let first) = first, case .real(let second) = second {
      return first.bitPattern == second.bitPattern
    }
    return first == second
  }

  static let oddValues: [Value] = [
    .null, .integer(0), .integer(1), .integer(-1), .integer(.min), .integer(.max), .integer(255),
    .integer(65_536), .real(0), .real(-0.0), .real(1), .real(0.5), .real(.infinity),
    .real(-.infinity), .real(1e300), .real(5e-300), .real(datesShown.upperBound),
    .real(datesShown.lowerBound), .text(""), .text("NaN"), .text("nan"), .text("inf"), .text("5"),
    .text("-0"), .text("1.5"), .text("09223372036854775808"), .text("9223372036854775807"),
    .text("09223372036854775807"), .text("text:a"), .text("\u{301}a"),
    .text("a\u{0}b"), .text("null"),
    .text("blob:"), .text("2001-01-01T00:00:00Z"), .text(uuid), .blob(Data()),
    .blob(Data([0, 255, 128])), .brokenText(Data([0, 255, 128])), .text("text64:gA=="),
  ]

  @Test("Every value of every type is read back as it was written, special values included.")
  func total() throws {
    for type in ValueType.allCases {
      for value in Self.oddValues {
        let (text, special) = Self.encode(value, as: type)
        let name = special?.name
        let read = try name.map { try #require(SpecialValue(name: $0)) }
        let back = try Self.decode(text, special: read, as: type)
        #expect(Self.isSame(back, value), "\(value) as \(type) is \(text) \(name ?? "")")
      }
    }
  }

  @Test("Two values of a type never have the same encoding.")
  func injective() {
    for type in ValueType.allCases {
      var seen: Set<String> = []
      for value in Self.oddValues {
        let (text, special) = Self.encode(value, as: type)
        let key = text + " " + (special?.name ?? "-")
        #expect(seen.insert(key).inserted, "\(key) as \(type)")
      }
    }
  }

  @Test(
    "A text with its special value is accepted only if a value of that type is written that way."
  )
  func strict() {
    var texts = ["", "null", "nul", "true", "false", "True", "0", "1", "-0", "01", "128", "-129"]
    texts += ["1.0", "1.50", "\"7\"", "\"07\"", "\"-7\"", "\"1.5\"", "\"1.50\"", "\"\"", "\""]
    texts += ["\"AQ==\"", "\"AR==\"", "\"a\\u0041\"", "\"a", "nan", "[]", "{}", "1e3", " 1", "1 "]
    texts += ["9223372036854775808", "\"18446744073709551616\"", "\"2001-01-01T00:00:00Z\""]
    texts += ["\"2001-01-01T00:00:00.0Z\"", "\"NaN\"", "\"\(Self.uuid.lowercased())\""]
    let specials: [SpecialValue?] =
      [nil, .nan, .infinity, .negativeInfinity] + Self.oddValues.map { .stored($0) }
    for type in ValueType.allCases {
      for text in texts {
        for special in specials {
          // A refusal is one of the two right answers.
          guard let value = try? Self.decode(text, special: special, as: type) else { continue }
          let (again, againSpecial) = Self.encode(value, as: type)
          #expect(again == text && againSpecial == special, "\(text) as \(type)")
        }
      }
    }
  }

  @Test("An error shows what was read and what was expected.")
  func message() {
    #expect(
      throws: CanonicalEncodingError(
        message: "300 is not the canonical form of a value of type int8;"
          + " the text was altered or written by another program"
      )
    ) {
      try Self.decode("300", as: .int8)
    }
    for (count, shown) in [80: 80, 81: 80] {
      let error = #expect(throws: CanonicalEncodingError.self) {
        try Self.decode(String(repeating: "7", count: count), as: .int8)
      }
      let text = String(repeating: "7", count: shown) + (count > shown ? "…" : "")
      #expect(error?.message.hasPrefix(text + " is not") == true)
    }
  }

  @Test(
    "A name that is not the name of a special value is refused.",
    arguments: [
      "", "NaN", "+1", "1e5", "blob:A", "x", "null", "text64:QQ==", "text64:", "text64:/0E",
    ]
  )
  func unknownName(_ name: String) {
    #expect(SpecialValue(name: name) == nil)
  }
}
