import Foundation
import StoreTesting
import Testing

@testable import Changes
@testable import Store

@Suite("Texts and checks of a migration")
struct MigrationStepTests {
  @Test("A value in a message is shortened after forty characters.")
  func values() {
    func text(_ count: Int) -> String { String(repeating: "é", count: count) }
    #expect(words(.null) == "nothing")
    #expect(words(.integer(-5)) == "-5")
    #expect(words(.real(0.5)) == "0.5")
    #expect(words(.text("")) == "''")
    #expect(words(.text(text(40))) == "'\(text(40))'")
    #expect(words(.text(text(41))) == "'\(text(40))…'")
    #expect(words(.blob(Data([1, 2]))) == "2 bytes")
    #expect(words(.brokenText(Data([0xff]))) == "1 byte")
  }

  @Test("Each step of a migration has its text.")
  func steps() {
    let steps: [(MigrationStep, String)] = [
      (.addEntity("E"), "add E"), (.removeEntity("E"), "remove E with all its rows"),
      (.renameEntity(from: "E", to: "F"), "rename E to F"),
      (
        .moveEntity("E", from: "t", to: "u"), "move the rows of E from the table t to the table u"
      ),
      (.shareTable("t", isShared: true), "let the table t hold rows of several entities"),
      (.shareTable("t", isShared: false), "let the table t hold rows of one entity only"),
      (.addAttribute(entity: "E", name: "a", value: .null), "add E.a"),
      (.addAttribute(entity: "E", name: "a", value: .integer(1)), "add E.a, 1 in existing rows"),
      (.removeAttribute(entity: "E", name: "a"), "remove E.a"),
      (.renameAttribute(entity: "E", from: "a", to: "b"), "rename E.a to b"),
      (
        .widenAttribute(entity: "E", name: "a", from: .int8, to: .int16),
        "widen E.a from int8 to int16"
      ),
      (.requireAttribute(entity: "E", name: "a", value: .null), "make E.a required"),
      (
        .requireAttribute(entity: "E", name: "a", value: .text("x")),
        "make E.a required, 'x' in rows without a value"
      ),
      (.relaxAttribute(entity: "E", name: "a"), "make E.a optional"),
      (
        .storeAttribute(entity: "E", name: "a", isExternal: true),
        "keep large values of E.a beside the store's file"
      ),
      (
        .storeAttribute(entity: "E", name: "a", isExternal: false),
        "keep large values of E.a in the store's file"
      ),
      (.addRelationship(entity: "E", name: "r"), "add E.r"),
      (.removeRelationship(entity: "E", name: "r"), "remove E.r"),
      (.renameRelationship(entity: "E", from: "r", to: "s"), "rename E.r to s"),
      (
        .storeRelationship(entity: "E", name: "r", isToMany: true),
        "make E.r refer to many objects, with the existing links"
      ),
      (
        .storeRelationship(entity: "E", name: "r", isToMany: false),
        "make E.r refer to one object, with the existing links"
      ),
      (.requireRelationship(entity: "E", name: "r", isRequired: true), "make E.r required"),
      (.requireRelationship(entity: "E", name: "r", isRequired: false), "make E.r optional"),
      (.addUnique(entity: "E", ["a", "b"]), "make a, b of E unique"),
      (.removeUnique(entity: "E", ["a"]), "let a of E be anything, no longer unique"),
      (.addIndex(entity: "E", ["a"]), "index a of E"),
      (.removeIndex(entity: "E", ["a"]), "drop the index on a of E"),
    ]
    for (step, text) in steps { #expect(step.description == text) }
  }

  private func schema(_ version: String, isOptional: Bool, isUnique: Bool = false) -> StoreSchema {
    StoreSchema(
      version: version,
      entities: [
        Entity(
          name: "Trip",
          attributes: [Attribute(name: "name", type: .string, isOptional: isOptional)],
          uniques: isUnique ? [["name"]] : []
        )
      ]
    )
  }

  @Test("Of the rows that prevent a migration, the first ten are named and the others counted.")
  func namedRows() throws {
    let ten = "Trip 1, 2, 3, 4, 5, 6, 7, 8, 9, 10"
    for (count, names) in [(0, nil), (1, "Trip 1"), (10, ten), (11, ten + " and 1 more")] {
      for isUnique in [false, true] where count != 1 || !isUnique {
        try withStoreFile(
          schema("1", isOptional: true),
          fill: { writer in
            for id in 0..<count {
              let value: Value = isUnique ? .text("x") : .null
              try writer.insert(0, id: Int64(id) + 1, values: [value])
            }
            try writer.insert(0, id: 99, values: [.text("other")])
          }
        ) { url in
          let new = schema("2", isOptional: isUnique, isUnique: isUnique)
          guard let names else {
            try Migration.migrate(url, to: new, author: Author())
            return
          }
          let error = try storeError { try Migration.migrate(url, to: new, author: Author()) }
          let rows = count == 1 ? "1 row" : "\(count) rows"
          #expect(
            error.message
              == (isUnique
                ? "name of Trip becomes unique, but 1 value occurs more than once: 'x' in \(names)."
                : "Trip.name becomes required, but \(rows) would have no value: \(names).")
          )
          #expect(error.objects.count == min(count, 10))
        }
      }
    }
  }

  @Test("A stored value is converted as its new type requires.")
  func conversions() {
    func check(_ value: Value, _ old: ValueType, _ new: ValueType, _ expected: Value?) {
      let found = converted(value, from: old, to: new)
      if let expected {
        #expect(found?.isSame(as: expected) == true, "\(value) \(old) \(new)")
      } else {
        #expect(found == nil, "\(value) \(old) \(new)")
      }
    }
    check(.integer(5), .int8, .double, .real(5))
    check(.integer(5), .int8, .int16, .integer(5))
    check(.integer(5), .int64, .decimal, .text("5"))
    check(.integer(-5), .int64, .decimal, .text("-5"))
    check(.integer(5), .int64, .double, nil)
    check(.integer(5), .int16, .int8, nil)
    check(.text("09223372036854775808"), .uint64, .decimal, .text("9223372036854775808"))
    check(.text("18446744073709551615"), .uint64, .decimal, .text("18446744073709551615"))
    check(.integer(0), .uint64, .decimal, .text("0"))
    check(.null, .int8, .double, .null)
    check(.text("5"), .decimal, .string, .text("5"))
    check(.integer(1), .bool, .int64, nil)
    check(.integer(1), .bool, .bool, .integer(1))
  }

  @Test("The error about equal values ignores a unique set with a property that has no column.")
  func uniqueSetWithoutColumn() throws {
    func schema(_ version: String, _ uniques: [[String]]) -> StoreSchema {
      let names = ["code", "name"]
      return StoreSchema(
        version: version,
        entities: [
          Entity(
            name: "Trip",
            attributes: names.map { Attribute(name: $0, type: .string) },
            uniques: uniques
          )
        ]
      )
    }
    try withStoreFile(
      schema("1", []),
      fill: { writer in
        for id in Int64(1)...2 {
          try writer.insert(0, id: id, values: [.text("c"), .text("n")])
        }
      }
    ) { url in
      let new = schema("2", [["code", "missing"], ["name"]])
      let error = try storeError { try Migration.migrate(url, to: new, author: Author()) }
      #expect(error.code == .duplicate)
      #expect(
        error.message
          == "name of Trip becomes unique, but 1 value occurs more than once: 'n' in Trip 1, 2."
      )
    }
  }
}
