import Foundation
import StoreTesting
import Testing

@testable import Format
@testable import Store

@Suite("Families of entities")
struct InheritanceTests {
  /// Trips; business trips inherit from trips, and conferences from business trips.
  private let schema: StoreSchema = {
    let name = Attribute(name: "name", type: .string)
    let purpose = Attribute(name: "purpose", type: .string)
    let topic = Attribute(name: "topic", type: .string, isOptional: true)
    let next = Relationship(
      name: "next",
      destination: "Trip",
      isToMany: false,
      storage: .column("next")
    )
    func entity(_ name: String, _ parent: String?, _ attributes: [Attribute]) -> Entity {
      Entity(
        name: name,
        parent: parent,
        table: "Trip",
        sharesTable: true,
        attributes: attributes,
        relationships: [next],
        uniques: name == "BusinessTrip" || name == "Conference" ? [["purpose"]] : []
      )
    }
    return StoreSchema(
      version: "1",
      entities: [
        entity("Trip", nil, [name]),
        entity("BusinessTrip", "Trip", [name, purpose]),
        entity("Conference", "BusinessTrip", [name, purpose, topic]),
        entity("Holiday", "Trip", [name]),
      ]
    )
  }()

  private let business: EntityIndex = 0
  private let conference: EntityIndex = 1
  private let holiday: EntityIndex = 2
  private let root: EntityIndex = 3

  private func withFamily(_ body: (Store) throws -> Void) throws {
    try withStore(.memory, schema: schema) { store, _ in
      try store.write(Author()) { writer in
        try writer.insert(self.root, id: 1, values: [.text("walk"), .null])
        try writer.insert(self.business, id: 2, values: [.text("b"), .text("sell"), .integer(1)])
        try writer.insert(
          self.conference,
          id: 3,
          values: [.text("c"), .text("talk"), .text("Swift"), .integer(1)]
        )
        try writer.insert(self.holiday, id: 4, values: [.text("h"), .integer(3)])
      }
      try body(store)
    }
  }

  @Test("One table has the rows of a family, and each entity's view includes its heirs.")
  func views() throws {
    try withFamily { store in
      let all = try rows("SELECT id, _entity, purpose, topic FROM Trip ORDER BY id", in: store)
      #expect(
        all == [
          "1|Trip|null|null", "2|BusinessTrip|sell|null", "3|Conference|talk|Swift",
          "4|Holiday|null|null",
        ]
      )
      let businessRows = try rows("SELECT id FROM BusinessTrip ORDER BY id", in: store)
      #expect(businessRows == ["2", "3"])
      let conferenceRows = try rows("SELECT id, topic FROM Conference", in: store)
      #expect(conferenceRows == ["3|Swift"])
      #expect(store.layouts[root].condition == nil)
      #expect(store.layouts[business].family == [business, conference])
    }
  }

  @Test("A required property of an entity is required only for that entity.")
  func required() throws {
    try withFamily { store in
      let error = #expect(throws: StoreError.self) {
        try store.write(Author()) {
          try $0.insert(self.conference, id: 9, values: [.text("c"), .null, .null, .null])
        }
      }
      #expect(error?.code == .invalidValue)
    }
  }

  @Test("An object is read and changed as its own or an inherited entity, and not as another.")
  func kinds() throws {
    try withFamily { store in
      try store.write(Author()) { writer in
        #expect(try writer.row(self.business, id: 3) == [.text("c"), .text("talk"), .integer(1)])
        #expect(try writer.row(self.holiday, id: 3) == nil)
        let isHoliday = try writer.update(
          self.holiday,
          id: 3,
          columns: [0],
          values: [.text("x")]
        )
        #expect(!isHoliday)
        let wasDeleted = try writer.delete(self.holiday, id: 3)
        #expect(!wasDeleted)
        let talk = try writer.find(self.business, unique: ["purpose"], values: [.text("talk")])
        #expect(talk == 3)
        let sell = try writer.find(self.conference, unique: ["purpose"], values: [.text("sell")])
        #expect(sell == nil)
      }
    }
  }

  @Test("A unique value is unique among an entity and its heirs.")
  func uniques() throws {
    try withFamily { store in
      let error = #expect(throws: StoreError.self) {
        try store.write(Author()) {
          try $0.insert(
            self.conference,
            id: 9,
            values: [.text("c"), .text("sell"), .null, .null]
          )
        }
      }
      #expect(error?.code == .duplicate)
      #expect(error?.objects == [ObjectName("BusinessTrip", id: 2)])
    }
  }

  @Test(
    "A deletion through the root records the actual entity, and clears references to it."
  )
  func deletion() throws {
    try withFamily { store in
      try store.write(Author()) { writer in
        try writer.delete(self.root, id: 3)
        try writer.delete(self.root, id: 1)
        #expect(
          writer.deleted
            == [RowKey(entity: self.conference, id: 3), RowKey(entity: self.root, id: 1)]
        )
        #expect(
          writer.updated
            == [RowKey(entity: self.holiday, id: 4), RowKey(entity: self.business, id: 2)]
        )
      }
      let changes = try lastChanges(of: store)
      #expect(
        changes.contains(
          #"delete Conference 3 {"name":"c","purpose":"talk","topic":"Swift","#
            + #""next":{"entity":"Trip","id":"1"}}"#
        )
      )
      #expect(
        changes.contains(
          #"update BusinessTrip 2 ["next"] {"next":{"entity":"Trip","id":"1"}} {"next":null}"#
        )
      )
    }
  }
}
