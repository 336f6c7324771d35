import StoreTesting
import Testing

@testable import Changes
@testable import Store

@Suite("Conversions of attribute types")
struct TypeConversionTests {
  @Test("Values are converted as the statement of a migration converts them.")
  func values() throws {
    let store = try Store.open(.memory("conversions"), schema: sampleSchema)
    let cases: [(ValueType, ValueType, [Value])] = [
      (.int32, .double, [.integer(0), .integer(-7), .integer(Int64(Int32.max)), .null]),
      (.int64, .decimal, [.integer(.min), .integer(-1), .integer(0), .integer(.max), .null]),
      (
        .uint64, .decimal,
        [.integer(0), .integer(.max), .text("09223372036854775808"), .text("18446744073709551615")]
      ),
    ]
    for (old, new, values) in cases {
      let conversion = try #require(TypeConversion(from: old, to: new))
      for value in values {
        let made: Value? = try store.read { reader in
          try reader.connection.first(
            "SELECT \(conversion.sql("?1"))",
            values: [value]
          ) { $0.value(at: 0) }
        }
        #expect(converted(value, from: old, to: new) == made, "\(value) from \(old) to \(new)")
      }
    }
    #expect(
      converted(.text("09223372036854775808"), from: .uint64, to: .decimal)
        == .text("9223372036854775808")
    )
    #expect(converted(.integer(3), from: .int16, to: .float) == .real(3))
    #expect(converted(.integer(3), from: .int64, to: .int8) == nil)
  }

  @Test("An integer type can change to each other type that has all of its values.")
  func wideningIntegers() {
    let types: [(ValueType, Double, Double)] = [
      (.int8, -0x1p7, 0x1p7), (.int16, -0x1p15, 0x1p15), (.int32, -0x1p31, 0x1p31),
      (.int64, -0x1p63, 0x1p63), (.uint8, 0, 0x1p8), (.uint16, 0, 0x1p16),
      (.uint32, 0, 0x1p32),
    ]
    for (old, lowest, end) in types {
      for (new, lowestOfNew, endOfNew) in types where new != old {
        let conversion = TypeConversion(from: old, to: new)
        let fits = lowest >= lowestOfNew && end <= endOfNew
        #expect((conversion == TypeConversion.none) == fits, "\(old) to \(new)")
      }
    }
  }

  @Test("An integer becomes a floating-point number only if each value of its type fits exactly.")
  func exactness() {
    let integers: [(ValueType, Int)] = [
      (.int8, 7), (.uint8, 8), (.int16, 15), (.uint16, 16), (.int32, 31), (.uint32, 32),
      (.int64, 63), (.uint64, 64),
    ]
    for (type, bits) in integers {
      for (real, exact) in [(.float16, 11), (.float, 24), (.double, 53)] as [(ValueType, Int)] {
        let isPossible = TypeConversion(from: type, to: real) != nil
        #expect(isPossible == (bits <= exact), "\(type) to \(real)")
      }
      #expect(TypeConversion(from: type, to: .decimal) != nil)
      #expect(TypeConversion(from: type, to: .bool) == nil)
    }
    #expect(TypeConversion(from: .bool, to: .double) == nil)
  }
}
