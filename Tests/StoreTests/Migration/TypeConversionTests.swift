import Testing

@testable import Format
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
}
