import Testing

@testable import Changes

/// A fast check that refuses a usual value changes no result, but it makes reading slow.
@Suite("Fast checks of canonical texts")
struct FastCheckTests {
  @Test("The fast check accepts the usual values of each type.")
  func usualValues() {
    let values: [(ValueType, [String])] = [
      (.bool, ["true", "false"]), (.int8, ["-128", "0", "127"]), (.int16, ["-32768", "32767"]),
      (.int32, ["-2147483648", "2147483647"]), (.int64, ["0", "-1"]), (.uint8, ["0", "255"]),
      (.uint16, ["65535"]), (.uint32, ["4294967295"]), (.uint64, [#""0""#, #""18""#]),
      (.float, ["0.5", "-1.25"]), (.double, ["0.0", "0.0001", "123456.789"]),
      (.float16, ["1.5"]), (.string, [#""""#, #""a""#, #""ü\n""#, #""\u0001""#]),
      (.url, [#""https://example.org""#]), (.json, [#""{\"a\":1}""#]),
      (.decimal, [#""0""#, #""12.5""#]), (.date, [#""2026-11-23T12:00:00Z""#]),
      (.uuid, [#""11111111-2222-3333-4444-555555555555""#]), (.data, [#""""#, #""AAE=""#]),
      (.transformed, [#""AAE=""#]), (.any, [#""text:a""#]),
    ]
    for (type, texts) in values {
      for text in texts + ["null"] {
        #expect(bytes(text) { isPlainlyCanonical($0, as: type) }, "\(text) as \(type)")
      }
    }
  }

  @Test("The fast check refuses integers that are out of range, and texts without their quotes.")
  func others() {
    let values: [(ValueType, [String])] = [
      (.bool, ["", "t", "tru", "truE", "0"]), (.int8, ["128", "-129"]), (.uint8, ["-1", "256"]),
      (.uint16, ["65536", "-1"]), (.uint32, ["4294967296"]), (.int16, ["32768", "-32769"]),
      (.int32, ["2147483648", "-2147483649"]), (.string, [#"""#, "a", #""a"#, #"a""#, #""\/""#]),
      (.any, [#""txt:a""#, #""text""#]), (.data, [#""AAF=""#]),
      (.double, ["0.00001", "1", "1.50"]),
    ]
    for (type, texts) in values {
      for text in texts + ["nul", "nulL"] {
        #expect(!bytes(text) { isPlainlyCanonical($0, as: type) }, "\(text) as \(type)")
      }
    }
  }

  @Test("The range of each integer type is that of Swift; no other type has one.")
  func ranges() {
    let ranges: [ValueType: ClosedRange<Int64>] = [
      .bool: 0...1, .int8: -128...127, .int16: -32768...32767,
      .int32: -2_147_483_648...2_147_483_647,
      .int64: .min ... .max, .uint8: 0...255, .uint16: 0...65535, .uint32: 0...4_294_967_295,
      .uint64: 0...(.max),
    ]
    for type in ValueType.allCases { #expect(type.integers == ranges[type], "\(type)") }
  }

  @Test("A short number is read without a comparison, unless it is written with an exponent.")
  func shortNumbers() {
    let numbers: [(String, Double?)] = [
      ("0.0", 0), ("1.0", 1), ("-1.5", -1.5), ("0.0001", 0.0001), ("-0.0001", -0.0001),
      ("0.00009", nil), ("0.1", 0.1), ("12345678.25", 12_345_678.25), ("1.50", nil), ("1.", nil),
      (".5", nil), ("-.5", nil), ("1", nil), ("", nil), ("-", nil), ("01.5", nil), ("1.5e3", nil),
    ]
    for (text, number) in numbers { #expect(bytes(text, parseShortDouble) == number, "\(text)") }
    #expect(bytes("-0.0", parseShortDouble)?.sign == .minus)
  }

  @Test("Each escape of canonical JSON is accepted at the beginning and at the end of a text.")
  func escapes() {
    for escape in [#"\""#, #"\\"#, #"\b"#, #"\t"#, #"\n"#, #"\f"#, #"\r"#, #"\u0001"#, #"\u001f"#] {
      for text in [escape, "a" + escape, escape + "a", escape + escape, "123456789" + escape] {
        #expect(bytes(text, hasCanonicalEscapes), "\(text)")
        for count in 1..<escape.utf8.count where text.hasSuffix(escape) {
          #expect(!bytes(String(text.dropLast(count)), hasCanonicalEscapes), "\(text) cut")
        }
      }
    }
    for text in [#"\/"#, #"\u0041"#, #"\u001F"#, #"\u000a"#, #"\x"#, "\"", "\u{1}"] {
      #expect(!bytes(text, hasCanonicalEscapes), "\(text)")
    }
  }
}
