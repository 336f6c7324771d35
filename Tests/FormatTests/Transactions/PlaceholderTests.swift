import Foundation
import Testing

@testable import Format

@Suite("Placeholders for erased values")
struct PlaceholderTests {
  private func placeholder(
    _ type: ValueType,
    isOptional: Bool = false,
    for object: Int64
  ) throws -> Value {
    let attribute = Attribute(name: "a", type: type, isOptional: isOptional)
    let schema = StoreSchema(
      version: "1",
      entities: [Entity(name: "E", attributes: [attribute])]
    )
    return try schema.layouts()[0].columns[0].placeholder(for: object)
  }

  @Test("An optional value becomes null, and a required reference becomes the id 0.")
  func nullable() throws {
    for type in ValueType.declared {
      #expect(try placeholder(type, isOptional: true, for: 5) == .null)
    }
    let leader = Relationship(
      name: "leader",
      destination: "E",
      isToMany: false,
      isOptional: false,
      storage: .column("leader")
    )
    let schema = StoreSchema(version: "1", entities: [Entity(name: "E", relationships: [leader])])
    #expect(try schema.layouts()[0].columns[0].placeholder(for: 5) == .integer(0))
  }

  @Test("An integer becomes the negative id, the id if only that fits, or 0.")
  func integers() throws {
    #expect(try placeholder(.bool, for: 5) == .integer(0))
    #expect(try placeholder(.int8, for: 128) == .integer(-128))
    #expect(try placeholder(.int8, for: -127) == .integer(127))
    #expect(try placeholder(.int8, for: -128) == .integer(-128))
    #expect(try placeholder(.int8, for: 129) == .integer(0))
    #expect(try placeholder(.int64, for: .min) == .integer(.min))
    #expect(try placeholder(.uint8, for: 255) == .integer(255))
    #expect(try placeholder(.uint8, for: -255) == .integer(255))
    #expect(try placeholder(.uint8, for: 256) == .integer(0))
  }

  @Test("Values of other types contain the id in the form of the type.")
  func others() throws {
    for type: ValueType in [.float16, .float, .double, .date] {
      #expect(try placeholder(type, for: 7) == .real(7))
    }
    #expect(try placeholder(.decimal, for: -7) == .text("-7"))
    #expect(try placeholder(.string, for: 7) == .text("erased 7"))
    #expect(try placeholder(.url, for: 7) == .text("erased:7"))
    #expect(try placeholder(.json, for: 7) == .text("null"))
    for type: ValueType in [.data, .transformed] {
      #expect(try placeholder(type, for: 7) == .blob(Data("erased 7".utf8)))
    }
    #expect(
      try placeholder(.uuid, for: 0x1234_5678_9abc_def0)
        == .text("00000000-0000-0000-1234-56789ABCDEF0")
    )
    #expect(try placeholder(.uuid, for: -1) == .text("00000000-0000-0000-FFFF-FFFFFFFFFFFF"))
  }
}
