import Format
import Foundation
import Store
import Testing

@Suite("Values that can't be read")
struct UnreadableValueTests {
  private func layout(
    _ type: ValueType,
    isOptional: Bool = false,
    isExternal: Bool = false
  ) throws
    -> EntityLayout
  {
    let schema = StoreSchema(
      version: "1",
      entities: [
        Entity(
          name: "A",
          attributes: [
            Attribute(name: "x", type: type, isOptional: isOptional, isExternal: isExternal)
          ]
        )
      ]
    )
    return try #require(try schema.layouts().first)
  }

  private let samples: [Value] = [
    .null, .integer(0), .integer(1), .integer(-129), .integer(70_000), .integer(.max), .real(0.5),
    .real(.infinity), .text("NaN"), .text("1.5"), .text("18446744073709551615"), .text("word"),
    .text("E621E1F8-C36C-495A-93FC-0C247A3E6E5F"), .blob(Data([1])),
  ]

  @Test(
    "Each type reads the values that its column accepts, and no others.",
    arguments: ValueType.declared
  )
  func agreesWithColumn(type: ValueType) throws {
    let schema = try layout(type)
    try withStore(
      .memory,
      schema: StoreSchema(version: "1", entities: [schema.entity])
    ) { store, _ in
      for sample in self.samples {
        var stored: Value?
        do {
          try store.write(Author()) { writer in
            try writer.insert(0, id: 1, values: [sample])
            // SQLite converts a number to text if the column is TEXT.
            stored = try writer.row(0, id: 1)?.first
            try writer.delete(0, id: 1)
          }
        } catch is StoreError {}
        if schema.isReadable(sample, at: 0) {
          #expect(stored == sample, "\(type) reads \(sample), which its column does not take")
        }
        if let stored, !schema.isReadable(stored, at: 0) {
          // The form of these texts is checked only by the reader.
          #expect([.decimal, .uuid].contains(type), "\(type) takes \(stored) and can't read it")
        }
      }
    }
  }

  @Test("Null is read if the attribute is optional.")
  func null() throws {
    #expect(try layout(.string, isOptional: true).isReadable(.null, at: 0))
    #expect(try !layout(.string).isReadable(.null, at: 0))
  }

  @Test("An external attribute reads blobs and digests.")
  func external() throws {
    let layout = try layout(.data, isExternal: true)
    #expect(layout.isReadable(.blob(Data()), at: 0))
    #expect(layout.isReadable(.text(String(repeating: "a", count: 64)), at: 0))
    #expect(!layout.isReadable(.text(String(repeating: "A", count: 64)), at: 0))
    #expect(!layout.isReadable(.text("x"), at: 0))
  }

  @Test("The error names the object, the property, the found and the expected value.")
  func sentence() throws {
    let layout = try layout(.uuid)
    let error = #expect(throws: StoreError.self) { try layout.check([.text("secret")], id: 7) }
    #expect(error?.code == .unreadableValue)
    for part in ["A 7", "x has a text of 6 bytes", "UUID"] {
      #expect(error?.message.contains(part) == true, "\(part)")
    }
    try layout.check([.text("E621E1F8-C36C-495A-93FC-0C247A3E6E5F")], id: 7)
  }

  @Test("The messages about values count one byte without an s.")
  func byteCounts() throws {
    let layout = try layout(.uuid)
    for (count, words) in [(1, "1 byte "), (2, "2 bytes ")] {
      let data = Data(repeating: 0xff, count: count)
      let text = String(repeating: "a", count: count)
      for value in [.text(text), .brokenText(data), .blob(data)] as [Value] {
        let error = #expect(throws: StoreError.self) { try layout.check([value], id: 7) }
        #expect(error?.message.contains(words) == true, "\(value)")
      }
      let step = MigrationStep.addAttribute(entity: "A", name: "x", value: .blob(data))
      #expect(step.description.contains(words))
    }
  }
}
