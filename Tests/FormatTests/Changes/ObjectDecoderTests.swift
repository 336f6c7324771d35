import TestSupport
import Testing

@testable import Format

@Suite("Reading the properties of an object")
struct ObjectDecoderTests {
  private let trip = 3

  private func value(_ text: String, _ index: Int, special: SpecialValue? = nil) throws -> Value {
    let decoder = try ChangeFormat(tripSchema).decoders[trip]
    return try Array(text.utf8).withUnsafeBytes {
      try decoder.value(ObjectDecoder.Member(index: index, value: $0), special: special)
    }
  }

  @Test("A reference is an id between the prefix of its entity and a quote and a brace.")
  func references() throws {
    #expect(try value(#"{"entity":"Person","id":"75"}"#, 3) == .integer(75))
    #expect(try value("null", 3) == .null)
    let refused = [
      #"{"entity":"Person","id":"75}"#, #"{"entity":"Person","id":"75"]"#,
      #"{"entity":"Person","id":""}"#, #"{"entity":"Person","id":"}"#,
      #"{"entity":"Person","id":"07"}"#, #"{"entity":"Persom","id":"7"}"#, "",
      #"{"entity":"Person","id":"7"} "#, "{}", "7",
    ]
    for text in refused {
      #expect(throws: CanonicalEncodingError.self, "\(text)") { try value(text, 3) }
    }
  }

  @Test("An attribute has the value of its type, with its special value.")
  func attributes() throws {
    #expect(try value(#""a\n""#, 0) == .text("a\n"))
    #expect(try value("1.5", 2) == .real(1.5))
    #expect(try value("null", 2) == .null)
    #expect(try value("null", 2, special: SpecialValue(name: "inf")) == .real(.infinity))
    #expect(throws: CanonicalEncodingError.self) { try value("1.50", 2) }
    #expect(throws: CanonicalEncodingError.self) { try value("1.5", 0) }
  }

  @Test("The error of an invalid property shows at most 80 bytes of its text.")
  func refusal() throws {
    let decoder = try ChangeFormat(tripSchema).decoders[trip]
    func message(_ count: Int) -> String {
      [UInt8](repeating: 0x78, count: count).withUnsafeBytes { decoder.refusal($0).message }
    }
    let limit = String(repeating: "x", count: 80)
    #expect(message(80).hasPrefix(limit + " "))
    #expect(message(81).hasPrefix(limit + "… "))
  }

  @Test("An object is split into its members, in the order of the columns and then of the links.")
  func split() throws {
    let decoders = try ChangeFormat(tripSchema).decoders
    #expect(decoders.map(\.columnCount) == [2, 1, 1, 4])
    #expect(decoders.map { $0.joins.count } == [0, 0, 1, 0])
    #expect(
      decoders[2].keys.map { String(decoding: $0, as: UTF8.self) } == [#""word":"#, #""trips":"#]
    )
    let text = #"{"word":"a,}","trips":[{"entity":"Trip","id":"5"}]}"#
    try Array(text.utf8).withUnsafeBytes { bytes in
      var members: [ObjectDecoder.Member] = []
      try decoders[2].split(bytes, into: &members)
      #expect(members.map(\.index) == [0, 1])
      let texts = members.map { String(decoding: $0.value, as: UTF8.self) }
      #expect(texts == [#""a,}""#, #"[{"entity":"Trip","id":"5"}]"#])
      #expect(try decoders[2].links(members[1]) == [5])
    }
  }

  @Test("A value of more than 1 MiB must be in a file, however long its text in the line is.")
  func largeValues() throws {
    let decoder = try ChangeFormat(tripSchema).decoders[2]
    func split(_ value: String) throws {
      try Array(#"{"word":"\#(value)"}"#.utf8).withUnsafeBytes { bytes in
        var members: [ObjectDecoder.Member] = []
        try decoder.split(bytes, into: &members)
      }
    }
    try split(String(repeating: "a", count: LargeValue.limit))
    try split(String(repeating: #"\n"#, count: LargeValue.limit))
    #expect(throws: CanonicalEncodingError.self) {
      try split(String(repeating: "a", count: LargeValue.limit + 1))
    }
  }
}
