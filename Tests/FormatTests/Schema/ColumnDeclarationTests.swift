import Testing

@testable import Format

@Suite("The declaration of a column")
struct ColumnDeclarationTests {
  private func declaration(
    _ type: ValueType,
    column: String = "c",
    isRequired: Bool = false,
    isExternal: Bool = false
  ) -> String {
    columnDeclaration(
      of: Attribute(name: "name", column: column, type: type, isExternal: isExternal),
      isRequired: isRequired
    )
  }

  @Test("The column of a small integer type accepts exactly the range of the type.")
  func integers() {
    func range<Integer: FixedWidthInteger>(_ type: Integer.Type) -> String {
      "INTEGER CHECK (\"c\" BETWEEN \(type.min) AND \(type.max))"
    }
    #expect(declaration(.int8) == range(Int8.self))
    #expect(declaration(.int16) == range(Int16.self))
    #expect(declaration(.int32) == range(Int32.self))
    #expect(declaration(.uint8) == range(UInt8.self))
    #expect(declaration(.uint16) == range(UInt16.self))
    #expect(declaration(.uint32) == range(UInt32.self))
    #expect(declaration(.int64) == "INTEGER")
    #expect(declaration(.bool) == "INTEGER CHECK (\"c\" IN (0, 1))")
    let large = declaration(.uint64)
    #expect(large.hasPrefix("ANY CHECK"))
    #expect(large.contains("'0\(UInt64(Int64.max) + 1)' AND '\(UInt64.max)'"))
  }

  @Test("A column with one storage class has it as its type, and numbers can be NaN.")
  func storageClasses() {
    for type: ValueType in [.decimal, .string, .uuid, .url, .json] {
      #expect(declaration(type) == "TEXT")
    }
    for type: ValueType in [.data, .transformed] { #expect(declaration(type) == "BLOB") }
    #expect(declaration(.any) == "ANY")
    for type: ValueType in [.float16, .float, .double, .date] {
      #expect(
        declaration(type)
          == "ANY CHECK (\"c\" IS NULL OR typeof(\"c\") IN ('real', 'integer') OR \"c\" = 'NaN')"
      )
    }
  }

  @Test("Only a required column refuses NULL, whatever its type.")
  func required() {
    for type in ValueType.allCases {
      for isExternal in [false, true] {
        let optional = declaration(type, isExternal: isExternal)
        let required = declaration(type, isRequired: true, isExternal: isExternal)
        #expect(!optional.contains("NOT NULL"))
        #expect(required.replacing(" NOT NULL", with: "", maxReplacements: 1) == optional)
        #expect(required.split(separator: " ")[1...].starts(with: ["NOT", "NULL"]))
      }
    }
  }

  @Test("An external column contains bytes or a digest of 64 digits, whatever its type.")
  func external() {
    for type in ValueType.allCases {
      #expect(
        declaration(type, isExternal: true)
          == "ANY CHECK (\"c\" IS NULL OR typeof(\"c\") = 'blob' OR (typeof(\"c\") = 'text'"
          + " AND length(\"c\") = 64 AND \"c\" NOT GLOB '*[^0-9a-f]*'))"
      )
    }
  }

  @Test("The name of the column is quoted wherever the declaration has it.")
  func quotes() {
    for type in ValueType.allCases {
      let plain = declaration(type, column: "c")
      let odd = declaration(type, column: "a\" b")
      #expect(odd == plain.replacing("\"c\"", with: "\"a\"\" b\""))
    }
  }
}
