import Foundation
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("Delete rules")
struct DeleteRuleTests {
  /// A schema of one entity with children, a delete rule, and a required or optional parent.
  private func family(_ rule: DeleteRule, isRequired: Bool = false) -> StoreSchema {
    StoreSchema(
      version: "1",
      entities: [
        Entity(
          name: "Node",
          attributes: [Attribute(name: "name", type: .string)],
          relationships: [
            Relationship(
              name: "children",
              destination: "Node",
              isToMany: true,
              inverse: "parent",
              storage: .inverseColumn("parent"),
              deleteRule: rule
            ),
            Relationship(
              name: "parent",
              destination: "Node",
              isToMany: false,
              isOptional: !isRequired,
              inverse: "children",
              storage: .column("parent")
            ),
          ]
        )
      ]
    )
  }

  private func node(_ parent: Int64?) -> [Value] {
    [.text("n"), parent.map { .integer($0) } ?? .null]
  }

  @Test("A cascade follows a chain of any length.")
  func longChain() throws {
    try withStore(.memory, schema: family(.cascade)) { store, _ in
      let count = 50_000
      try store.write(Author()) { writer in
        for id in 1...count {
          try writer.insert(0, id: Int64(id), values: self.node(id == 1 ? nil : Int64(id - 1)))
        }
      }
      try store.write(Author()) { writer in
        try writer.delete(0, id: 1)
        #expect(writer.deleted.count == count)
      }
      #expect(try rows("SELECT count(*) FROM Node", in: store) == ["0"])
    }
  }

  @Test("A cascade around a circle ends.")
  func circle() throws {
    try withStore(.memory, schema: family(.cascade)) { store, _ in
      try store.write(Author()) { writer in
        for id in 1...3 {
          try writer.insert(0, id: Int64(id), values: self.node(Int64(id % 3 + 1)))
        }
        try writer.insert(0, id: 4, values: self.node(4))
      }
      try store.write(Author()) { writer in
        try writer.delete(0, id: 2)
        try writer.delete(0, id: 4)
      }
      #expect(try rows("SELECT * FROM Node", in: store).isEmpty)
      #expect(try lastChanges(of: store).count == 4)
    }
  }

  @Test(
    "The rules nullify and noAction clear the column, and record and report it.",
    arguments: [DeleteRule.nullify, .noAction]
  )
  func nullify(rule: DeleteRule) throws {
    try withStore(.memory, schema: family(rule)) { store, _ in
      try store.write(Author()) { writer in
        try writer.insert(0, id: 1, values: self.node(nil))
        try writer.insert(0, id: 2, values: self.node(1))
      }
      try store.write(Author()) { writer in
        try writer.delete(0, id: 1)
        #expect(writer.updated == [RowKey(entity: 0, id: 2)])
        #expect(writer.deleted == [RowKey(entity: 0, id: 1)])
      }
      #expect(
        try lastChanges(of: store) == [
          #"update Node 2 ["parent"] {"parent":{"entity":"Node","id":"1"}} {"parent":null}"#,
          #"delete Node 1 {"name":"n","parent":null}"#,
        ]
      )
    }
  }

  @Test(
    "The error of a denied deletion names the objects, and deleting them together succeeds.",
    arguments: [
      (DeleteRule.deny, false, StoreError.Code.deletionDenied),
      (.noAction, true, .missingReference),
      (.nullify, true, .missingValue),
    ]
  )
  func forbidden(rule: DeleteRule, isRequired: Bool, code: StoreError.Code) throws {
    try withStore(.memory, schema: family(rule, isRequired: isRequired)) { store, _ in
      try store.write(Author()) { writer in
        try writer.insert(0, id: 1, values: self.node(1))
        for id in 2...15 { try writer.insert(0, id: Int64(id), values: self.node(1)) }
      }
      let error = #expect(throws: StoreError.self) {
        try store.write(Author()) { try $0.delete(0, id: 1) }
      }
      #expect(error?.code == code)
      #expect(error?.objects.count == 14)
      #expect(error?.message.contains("Node 2, Node 3") == true)
      #expect(error?.message.contains("and 4 more") == true)
      #expect(try rows("SELECT count(*) FROM Node", in: store) == ["15"])
      try store.write(Author()) { writer in
        try writer.delete(0, id: 1)
        for id in 2...14 { try writer.delete(0, id: Int64(id)) }
        try writer.insert(0, id: 16, values: self.node(16))
        try writer.update(0, id: 15, columns: [1], values: [.integer(16)])
      }
      #expect(try rows("SELECT id FROM Node", in: store) == ["15", "16"])
    }
  }

  @Test("Deleting an object that does not exist reports that.")
  func absent() throws {
    try withStore(.memory, schema: family(.cascade)) { store, _ in
      try store.write(Author()) { writer in
        let wasThere = try writer.delete(0, id: 1)
        #expect(!wasThere)
      }
    }
  }

  @Test("A rule of the side that has the column is applied too.")
  func ownColumn() throws {
    for rule in [DeleteRule.cascade, .deny, .nullify, .noAction] {
      var schema = family(.nullify)
      schema.entities[0].relationships[1].deleteRule = rule
      try withStore(.memory, schema: schema) { store, _ in
        try store.write(Author()) { writer in
          try writer.insert(0, id: 1, values: self.node(nil))
          try writer.insert(0, id: 2, values: self.node(1))
        }
        if rule == .deny {
          let error = #expect(throws: StoreError.self) {
            try store.write(Author()) { try $0.delete(0, id: 2) }
          }
          #expect(error?.code == .deletionDenied)
          #expect(error?.objects == [ObjectName("Node", id: 1)])
          try store.write(Author()) { writer in
            try writer.delete(0, id: 2)
            try writer.delete(0, id: 1)
          }
        } else {
          try store.write(Author()) { try $0.delete(0, id: 2) }
        }
        let isGone = rule == .cascade || rule == .deny
        #expect(try rows("SELECT id FROM Node", in: store) == (isGone ? [] : ["1"]))
      }
    }
  }

  @Test("Many-to-many rules are applied from both sides.")
  func joinTables() throws {
    for rule in [DeleteRule.cascade, .deny, .nullify] {
      for side in [tag, trip] {
        var schema = sampleSchema
        for index in schema.entities[side].relationships.indices {
          if case .joinTable = schema.entities[side].relationships[index].storage {
            schema.entities[side].relationships[index].deleteRule = rule
          }
        }
        try withStore(.memory, schema: schema) { store, _ in
          try store.write(Author()) { writer in
            try writer.insert(trip, id: 1, values: tripValues("a"))
            try writer.insert(tag, id: 1, values: [.text("t")])
            try writer.link(tag, relationship: "trips", source: 1, target: 1)
          }
          let other = side == tag ? "Trip" : "Tag"
          if rule == .deny {
            #expect(throws: StoreError.self) {
              try store.write(Author()) { try $0.delete(side, id: 1) }
            }
            #expect(try rows("SELECT count(*) FROM Tag_trips", in: store) == ["1"])
          } else {
            try store.write(Author()) { try $0.delete(side, id: 1) }
            let left = try rows("SELECT id FROM \(other)", in: store)
            #expect(left == (rule == .cascade ? [] : ["1"]))
            #expect(try rows("SELECT count(*) FROM Tag_trips", in: store) == ["0"])
          }
        }
      }
    }
  }

  @Test("A dangling reference is refused when the transaction ends.")
  func danglingReference() throws {
    try withStore(.memory) { store, _ in
      let error = #expect(throws: StoreError.self) {
        try store.write(Author()) { try $0.insert(item, id: 1, values: itemValues("x", trip: 9)) }
      }
      #expect(error?.code == .missingReference)
      #expect(error?.objects == [ObjectName("Item", id: 1)])
      #expect(error?.message.contains("Item 1 refers through trip to a Trip") == true)
      let link = #expect(throws: StoreError.self) {
        try store.write(Author()) { writer in
          try writer.insert(trip, id: 1, values: tripValues("a"))
          try writer.insert(tag, id: 1, values: [.text("a")])
          try writer.link(tag, relationship: "trips", source: 1, target: 7)
        }
      }
      #expect(link?.code == .missingReference)
      let owner = #expect(throws: StoreError.self) {
        try store.write(Author()) {
          try $0.link(tag, relationship: "trips", source: 1, target: 7)
        }
      }
      #expect(owner?.code == .missingObject)
    }
  }

  @Test("Random worlds end as a naive model of the rules predicts.", arguments: 0..<40)
  func randomWorlds(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed) &+ 1)
    let rule: DeleteRule = random.next() % 2 == 0 ? .cascade : .nullify
    let count = 12
    try withStore(.memory, schema: family(rule)) { store, _ in
      var parents: [Int64: Int64?] = [:]
      try store.write(Author()) { writer in
        for id in 1...Int64(count) {
          let parent = random.next() % 3 == 0 ? nil : Int64(random.next() % UInt64(count)) + 1
          parents[id] = .some(parent)
          try writer.insert(0, id: id, values: self.node(parent))
        }
      }
      for _ in 0..<3 {
        let victim = Int64(random.next() % UInt64(count)) + 1
        try store.write(Author()) { try $0.delete(0, id: victim) }
        naiveDelete(victim, rule, &parents)
        let expected = parents.keys.sorted().map { id in
          "\(id)|\((parents[id] ?? nil).map { "\($0)" } ?? "null")"
        }
        #expect(try rows("SELECT id, parent FROM Node ORDER BY id", in: store) == expected)
      }
    }
  }

  private func naiveDelete(_ id: Int64, _ rule: DeleteRule, _ parents: inout [Int64: Int64?]) {
    guard parents.removeValue(forKey: id) != nil else { return }
    for child in parents.keys.filter({ (parents[$0] ?? nil) == id }) {
      if rule == .cascade {
        naiveDelete(child, rule, &parents)
      } else {
        parents[child] = .some(nil)
      }
    }
  }

  @Test("A lost link is recorded also if both of its objects have the same id.")
  func lostLinksOfEqualIDs() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("a.store")
      let store = try Store.open(.file(url), schema: sampleSchema)
      try store.write(Author()) { writer in
        for id in [1, 2] as [Int64] {
          try writer.insert(trip, id: id, values: tripValues("trip \(id)"))
          try writer.insert(tag, id: id, values: [.text("tag \(id)")])
        }
        for (source, target) in [(1, 1), (1, 2), (2, 2)] as [(Int64, Int64)] {
          try writer.link(tag, relationship: "trips", source: source, target: target)
        }
      }
      try store.write(Author()) { try $0.delete(trip, id: 1) }
      #expect(try lastChanges(of: store).contains { $0.hasPrefix("update Tag 1 ") })
      try store.write(Author()) { try $0.delete(tag, id: 2) }
      #expect(try rows("SELECT * FROM Tag_trips", in: store) == ["1|2"])
      #expect(try findings(store) == [])
      let replica = try FollowingReplica(of: store, at: folder.appendingPathComponent("replica"))
      try replica.follow(store)
      try replica.expectEquality(store)
    }
  }
}
