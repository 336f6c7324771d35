import Foundation
import Testing

@testable import Changes

@Suite("Values that the type of their column can't express")
struct SpecialValueTests {
  @Test("Each integer type has exactly the range of its Swift type, and other types have none.")
  func ranges() {
    let expected: [ValueType: ClosedRange<Int64>] = [
      .bool: 0...1, .int8: -128...127, .int16: -32_768...32_767,
      .int32: -2_147_483_648...2_147_483_647,
      .int64: -9_223_372_036_854_775_808...9_223_372_036_854_775_807, .uint8: 0...255,
      .uint16: 0...65_535, .uint32: 0...4_294_967_295, .uint64: 0...9_223_372_036_854_775_807,
    ]
    for type in ValueType.allCases { #expect(type.integers == expected[type], "\(type)") }
  }

  @Test("Only types of numbers with a fraction, decimals and dates can have the text NaN.")
  func nanTypes() {
    let types = ValueType.allCases.filter(\.hasNaN)
    #expect(types == [.float16, .float, .double, .decimal, .date])
    #expect(ValueType.declared == ValueType.allCases.filter { $0 != .any })
    for type in ValueType.allCases {
      let value = SpecialValue(.text("NaN"), as: type)
      #expect(value == (types.contains(type) ? .nan : .stored(.text("NaN"))))
      #expect(SpecialValue(.text("nan"), as: type) == .stored(.text("nan")))
      #expect(SpecialValue(.real(.infinity), as: type) == .infinity)
      #expect(SpecialValue(.real(-.infinity), as: type) == .negativeInfinity)
      #expect(SpecialValue(.real(1), as: type) == .stored(.real(1)))
      #expect(SpecialValue(.real(.nan), as: type) == .nan)
    }
  }

  @Test("Each special value has one name, and is read from this name.")
  func names() {
    let names: [(SpecialValue, String, Value)] = [
      (.nan, "nan", .text("NaN")), (.infinity, "inf", .real(.infinity)),
      (.negativeInfinity, "-inf", .real(-.infinity)),
      (.stored(.integer(-7)), "-7", .integer(-7)), (.stored(.real(7)), "7.0", .real(7)),
      (.stored(.real(1e300)), "1e+300", .real(1e300)), (.stored(.text("")), "text:", .text("")),
      (.stored(.text("a\u{301}")), "text:a\u{301}", .text("a\u{301}")),
      (.stored(.blob(Data())), "blob:", .blob(Data())),
      (.stored(.blob(Data([1, 2]))), "blob:AQI=", .blob(Data([1, 2]))),
      (.stored(.brokenText(Data([0xff]))), "text64:/w==", .brokenText(Data([0xff]))),
    ]
    for (special, name, value) in names {
      #expect(special.name == name)
      #expect(special.value.isSame(as: value))
      #expect(SpecialValue(name: name) == special)
    }
    #expect(SpecialValue.stored(.null).name == "null" && SpecialValue.stored(.null).value == .null)
  }

  @Test(
    "A text that is not the name of a special value is refused.",
    arguments: [
      "", "null", "NaN", "+inf", "Inf", "07", "7.", "1.50", "text", "text;a", "blob", "blob:A",
      "blob:AQI", "blob:AQJ=", "text64:", "text64:YQ==", "text64:/w", "erased", "redacted",
      "missing", "text:\u{301}a", "9223372036854775808",
    ]
  )
  func refused(name: String) {
    // The first byte of a combining accent after the colon is a part of the text.
    let isText = name.utf8.starts(with: "text:".utf8)
    #expect((SpecialValue(name: name) == nil) == !isText)
    if isText { #expect(SpecialValue(name: name)?.name == name) }
  }

  @Test("A note of a filtered log is the word redacted, or a prefix and 64 hexadecimal digits.")
  func redacted() {
    let digits = String(repeating: "0a", count: 32)
    #expect(SpecialValue.isRedacted("redacted") && SpecialValue.isRedacted("hash:" + digits))
    for name in [
      "", "hash:", "hash", digits, "erased", "missing", "redacted ", "hash:" + digits.dropLast(),
      "hash:0" + digits, "hash:" + digits.uppercased(), "Hash:" + digits, "redacted:" + digits,
    ] {
      #expect(!SpecialValue.isRedacted(name), "\(name)")
    }
    #expect(SpecialValue.erasedName == "erased" && SpecialValue.missingName == "missing")
  }

  @Test("Values are the same only if they have the same storage class and the same bits.")
  func sameness() {
    let values: [Value] = [
      .null, .integer(0), .integer(1), .real(0), .real(-0.0), .real(1), .text(""), .text("a"),
      .text("\u{e9}"), .text("e\u{301}"), .blob(Data()), .blob(Data([1])), .blob(Data([2])),
      .brokenText(Data([0xff])), .brokenText(Data([0xfe])),
    ]
    for (index, value) in values.enumerated() {
      for (place, other) in values.enumerated() {
        #expect(value.isSame(as: other) == (index == place), "\(value) \(other)")
      }
    }
    #expect(Value.real(.nan).isSame(as: .real(.nan)))
  }

  @Test("Stored text that is not UTF-8 keeps its bytes.")
  func storedText() {
    func stored(_ bytes: [UInt8]) -> Value { bytes.withUnsafeBytes { Value(text: $0) } }
    func plain(_ bytes: [UInt8]) -> Value { bytes.withUnsafeBytes { Value(PlainValue.text($0)) } }
    for make in [stored, plain] {
      #expect(make([]) == .text(""))
      #expect(make([0x61, 0]) == .text("a\0"))
      #expect(make([0xc3, 0xa9]) == .text("é"))
      #expect(make([0xc3]) == .brokenText(Data([0xc3])))
    }
    #expect([1, 2].withUnsafeBytes { Value(PlainValue.blob($0)).isSame(as: .blob(Data($0))) })
    #expect(Value(PlainValue.null) == .null && Value(PlainValue.integer(3)) == .integer(3))
    #expect(Value(PlainValue.real(-0.0)).isSame(as: .real(-0.0)))
  }
}
