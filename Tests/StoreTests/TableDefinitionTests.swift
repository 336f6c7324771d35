import Format
import Foundation
import SQLite
import Store
import Testing

@Suite("Tables of a schema")
struct TableDefinitionTests {
  private func refusal(_ entities: [Entity]) -> StoreError? {
    #expect(throws: StoreError.self) {
      try StoreSchema(version: "1", entities: entities).tables()
    }
  }

  @Test("A schema whose names would clash in SQL is refused.")
  func clashes() {
    #expect(refusal([Entity(name: "Trip"), Entity(name: "TRIP")])?.code == .invalidSchema)
    for name in ["sqlite_x", "Store_Blob", "history_change"] {
      #expect(refusal([Entity(name: name)])?.message.contains("reserved for the store") == true)
    }
    #expect(refusal([Entity(name: "A", parent: "B")])?.code == .invalidSchema)
    #expect(refusal([Entity(name: "A"), Entity(name: "A")])?.code == .invalidSchema)
    let lost = Relationship(name: "r", destination: "X", isToMany: false, storage: .column("r"))
    #expect(refusal([Entity(name: "A", relationships: [lost])])?.code == .invalidSchema)
  }

  @Test("A condition can name more tables than SQLite allows as terms of an expression.")
  func manyNames() throws {
    let connection = try Connection(path: "", mode: .memory)
    for count in [1, 2, 900, 901, 5000] {
      let names = (1...count).map { "it's \($0)" }
      let condition = isOne(of: names, column: "name")
      for (name, expected) in [(names[count - 1], 1), ("it's 0", 0)] as [(String, Int64)] {
        let found = try connection.integer(
          "SELECT count(*) FROM (SELECT ?1 AS name) WHERE \(condition) AND 1",
          values: [.text(name)]
        )
        #expect(found == expected, "\(count)")
      }
    }
  }

  @Test("Names with quotes and SQL keywords make working tables.")
  func oddNames() throws {
    let odd = Entity(
      name: "Select \"it\"",
      attributes: [
        Attribute(name: "group", type: .string),
        Attribute(name: "it's \"x\"", type: .float16),
        Attribute(name: "id", column: "id_", type: .uint64),
      ],
      uniques: [["group", "id"]],
      indexes: [["it's \"x\""]]
    )
    try withStore(.memory, schema: StoreSchema(version: "1", entities: [odd])) { store, _ in
      try store.write(Author()) { writer in
        try writer.insert(0, id: 5, values: [.text("a"), .real(1.5), .integer(7)])
        #expect(
          try writer.find(0, unique: ["id", "group"], values: [.integer(7), .text("a")]) == 5
        )
        try writer.update(0, id: 5, columns: [1], values: [.text("NaN")])
      }
      #expect(
        try lastChanges(of: store) == [
          #"insert Select "it" 5 {"group":"a","it's \"x\"":null,"id":"7"} "#
            + #"special {"after":{"it's \"x\"":"nan"}}"#
        ]
      )
    }
  }

  @Test("A quote with a combining accent does not end a name or a text.")
  func accents() throws {
    let name = "a\"\u{301}b'\u{301}c"
    let base = Entity(
      name: name,
      table: name,
      sharesTable: true,
      attributes: [Attribute(name: name, type: .string)],
      uniques: [[name]]
    )
    let heir = Entity(
      name: name + "'\u{301}",
      parent: name,
      table: name,
      sharesTable: true,
      attributes: base.attributes,
      uniques: base.uniques
    )
    let schema = StoreSchema(version: "1", entities: [base, heir])
    try withStore(.memory, schema: schema) { store, _ in
      try store.write(Author()) { writer in
        try writer.insert(0, id: 1, values: [.text("x'\u{301}")])
        try writer.insert(1, id: 2, values: [.text("y")])
      }
      #expect(try lastChanges(of: store).count == 2)
      try store.check { Issue.record("\($0)") }
    }
  }

  @Test(
    "A column accepts only the storage class of its type, from any writer.",
    arguments: ValueType.declared
  )
  func checks(type: ValueType) throws {
    let entity = Entity(
      name: "A",
      attributes: [
        Attribute(name: "x", type: type), Attribute(name: "y", type: type, isOptional: true),
      ]
    )
    let table = try #require(try StoreSchema(version: "1", entities: [entity]).tables().first)
    let connection = try Connection(path: "", mode: .memory)
    try connection.execute(table.create)
    func takes(_ literal: String) -> Bool {
      do {
        try connection.execute("INSERT INTO A (x) VALUES (\(literal))")
        return true
      } catch { return false }
    }
    #expect(!takes("NULL"))
    let isBytes = type == .data || type == .transformed
    #expect(takes("x'00'") == isBytes)
    switch type {
    case .bool: #expect(takes("1") && !takes("2") && !takes("'a'"))
    case .int8: #expect(takes("-128") && !takes("-129") && takes("127") && !takes("128"))
    case .int16: #expect(takes("-32768") && !takes("-32769") && !takes("32768"))
    case .int32: #expect(takes("2147483647") && !takes("2147483648") && !takes("-2147483649"))
    case .int64: #expect(takes("9223372036854775807") && !takes("1.5"))
    case .uint8: #expect(takes("255") && !takes("256") && !takes("-1"))
    case .uint16: #expect(takes("65535") && !takes("65536") && !takes("-1"))
    case .uint32: #expect(takes("4294967295") && !takes("4294967296") && !takes("-1"))
    case .uint64:
      #expect(takes("0") && takes("'18446744073709551615'") && takes("'09223372036854775808'"))
      #expect(!takes("-1") && !takes("1.5") && !takes("'18446744073709551616'"))
      #expect(!takes("'1'") && !takes("'0922337203685477580x'") && !takes("'00000000000000000001'"))
    case .float16, .float, .double, .date:
      #expect(takes("1.5") && takes("2") && takes("9e999") && takes("'NaN'") && !takes("'nan'"))
    case .decimal, .string, .uuid, .url, .json: #expect(takes("'a'"))
    case .data, .transformed: #expect(!takes("'a'") && !takes("1"))
    case .any: Issue.record("no model has it")
    }
    try connection.execute("DELETE FROM A")
    if takes("'NaN'") || takes("1") || takes("x'00'") {
      try connection.execute("UPDATE A SET y = x; UPDATE A SET y = NULL")
    }
  }
}
