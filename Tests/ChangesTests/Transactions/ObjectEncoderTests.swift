import Foundation
import TestSupport
import Testing

@testable import Changes

@Suite("Writing the properties of an object")
struct ObjectEncoderTests {
  private let layouts: [EntityLayout]
  private let encoder: ObjectEncoder

  init() throws {
    let schema = StoreSchema(
      version: "1",
      entities: [
        Entity(
          name: "A\"b",
          attributes: [
            Attribute(name: "text", type: .string),
            Attribute(name: "file", type: .string, isExternal: true),
            Attribute(name: "data", type: .data),
            Attribute(name: "files", type: .data, isExternal: true),
          ],
          relationships: [
            Relationship(
              name: "next",
              destination: "A\"b",
              isToMany: false,
              storage: .column("next_")
            )
          ]
        )
      ]
    )
    layouts = try schema.layouts()
    encoder = ObjectEncoder(layouts[0], layouts: layouts)
  }

  @Test("A text or bytes of more than 1 MiB are apart, and so is each text of an external column.")
  func apart() {
    let limit = 1_048_576
    for (column, isExternal) in encoder.isExternal.enumerated().prefix(4) {
      for count in [0, 1, limit - 1, limit, limit + 1] {
        let data = Data(count: count)
        let index = ColumnIndex(column)
        #expect(encoder.isApart(.blob(data), at: index) == (count > limit))
        #expect(encoder.isApart(.brokenText(data), at: index) == (count > limit))
        let text = String(repeating: "a", count: count)
        #expect(encoder.isApart(.text(text), at: index) == (count > limit || isExternal))
      }
      for value in [Value.null, .integer(7), .real(0.5)] {
        #expect(!encoder.isApart(value, at: ColumnIndex(column)))
      }
    }
    let half = String(repeating: "é", count: limit / 2)
    #expect(!encoder.isApart(.text(half), at: 0) && encoder.isApart(.text(half + "a"), at: 0))
  }

  @Test("The encoder has the name, the keys and the types of its entity.")
  func names() {
    func string(_ bytes: UnsafeRawBufferPointer) -> String {
      String(decoding: bytes, as: UTF8.self)
    }
    #expect(string(encoder.name) == "A\"b")
    #expect(encoder.count == 5)
    let columns: [ColumnIndex] = [0, 1, 2, 3, 4]
    #expect(
      columns.map { string(encoder.key($0)) }
        == [#""text":"#, #""file":"#, #""data":"#, #""files":"#, #""next":"#]
    )
    #expect(columns.map { encoder.type($0) } == [.string, .string, .data, .data, nil])
    #expect(encoder.isExternal == [false, true, false, true, false])
  }

  @Test("A reference has the name of its entity and the id; any other value of it is null.")
  func references() {
    func written(_ value: Value, _ column: ColumnIndex) -> (text: String, note: SpecialValue?) {
      var buffer: [UInt8] = []
      let note = encoder.append(value, at: column, to: &buffer)
      return (String(decoding: buffer, as: UTF8.self), note)
    }
    for (value, expected) in [
      (Value.integer(-7), #"{"entity":"A\"b","id":"-7"}"#), (.null, "null"), (.text("7"), "null"),
    ] {
      let result = written(value, 4)
      #expect(result.text == expected && result.note == nil)
    }
    let plain = written(.text("a\n"), 0)
    #expect(plain.text == #""a\n""# && plain.note == nil)
    let noted = written(.integer(7), 0)
    #expect(noted.text == "null" && noted.note == .stored(.integer(7)))
  }
}
