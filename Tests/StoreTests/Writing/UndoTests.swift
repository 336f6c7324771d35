import Foundation
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("Undoing transactions")
struct UndoTests {
  private func head(_ store: Store) throws -> Int64 {
    try store.read { try $0.historyRange().head.transaction }
  }

  @Test("Undoing the last transactions restores the rows before, and undoing that the rows after.")
  func last() throws {
    var random = SeededGenerator(for: "undo")
    for trial in 0..<trials(4, long: 200) {
      let seed = random.next()
      try withTemporaryFolder { folder in
        let place: Location =
          trial % 2 == 0 ? .memory("undo") : .file(folder.appendingPathComponent("store"))
        let store = try Store.open(place, schema: worldSchema)
        var world = HistoryWorld(SeededGenerator(seed: seed))
        var states: [Int64: [String]] = [0: []]
        for _ in 0..<25 {
          try world.write(to: store)
          states[try head(store)] = try rowDump(of: store)
        }
        let end = try head(store)
        for count in [1, 2, 5, 9] as [Int64] where count < end {
          let last = try head(store)
          let before = try rowDump(of: store)
          let first = end - count + 1
          // The range includes the changes and the undo of earlier rounds.
          let undone = try store.undo(first...last, author: Author(name: "undo"))
          try #require(try rowDump(of: store) == states[first - 1], "seed \(seed), \(first)")
          guard let undone else { continue }
          #expect(try store.read { try $0.transaction(undone)?.author } == "undo")
          try store.undo(undone...undone, author: Author())
          try #require(try rowDump(of: store) == before, "seed \(seed), redone \(first)")
        }
        let replica = try Store.open(
          .memory("replica"),
          schema: worldSchema,
          options: Options(origin: ReplicaOrigin(identifier: store.identifier, lineage: 0))
        )
        try copyHistory(of: store, into: replica)
        #expect(try lines(of: replica) == lines(of: store))
        if trial % 2 == 0 { #expect(try rowDump(of: replica) == rowDump(of: store)) }
      }
    }
  }

  @Test("Undoing a transaction in the middle succeeds or is refused as a whole.")
  func middle() throws {
    var random = SeededGenerator(for: "undo in the middle")
    var done = 0
    var refused = 0
    for _ in 0..<trials(4, long: 200) {
      let seed = random.next()
      try withStore(.memory, schema: worldSchema) { store, _ in
        var world = HistoryWorld(SeededGenerator(seed: seed))
        for _ in 0..<25 { try world.write(to: store) }
        for _ in 0..<20 {
          let end = try head(store)
          let first = Int64.random(in: 1...end, using: &random)
          let before = try rowDump(of: store)
          do {
            let undone = try store.undo(first...min(end, first + 1), author: Author())
            done += 1
            try #require(try rows("PRAGMA foreign_key_check", in: store) == [])
            if let undone { try store.undo(undone...undone, author: Author()) }
          } catch let error as StoreError where error.code == .undoConflict {
            refused += 1
            try #require(!error.undoConflicts.isEmpty)
          } catch let error as StoreError where error.code == .duplicate {
            // Another object has the unique value now.
          }
          try #require(try rowDump(of: store) == before, "seed \(seed), \(first) of \(end)")
        }
      }
    }
    #expect(done > 0)
    #expect(refused > 0)
  }

  private func conflicts(_ store: Store, _ range: ClosedRange<Int64>) throws -> [String] {
    let error = try storeError { try store.undo(range, author: Author()) }
    #expect(error.code == .undoConflict)
    return error.undoConflicts.map(\.description)
  }

  @Test("The error of an undo names later changes, references and missing targets.")
  func conflicts() throws {
    try withStore(.memory) { store, _ in
      try store.save { try $0.person(1).insert(name: "Ada") }
      try store.save { try $0.trip(1).insert(name: "a", leader: 1) }
      #expect(
        try conflicts(store, 1...1) == [
          "Trip 1 refers by 'leader' to Person 1, which the undo would delete"
        ]
      )
      try store.save { world in
        try world.trip(1).set(name: "b")
        try world.trip(1).set(leader: nil)
      }
      #expect(
        try conflicts(store, 2...2) == [
          #"Trip 1.name was changed: it was "a" and is "b" now"#,
          #"Trip 1.leader was changed: it was {"entity":"Person","id":"1"} and is null now"#,
        ]
      )
      try store.save { try $0.person(1).delete() }
      #expect(
        try conflicts(store, 3...3) == [
          "the undo would restore a reference of Trip 1 by 'leader' to Person 1, which does not exist"
        ]
      )
      try store.save { try $0.tag(1).insert(word: "t") }
      try store.save { try $0.trip(1).link(tag: 1) }
      #expect(
        try conflicts(store, 5...5) == [
          #"Tag 1.trips was changed: it was linked to nothing and is linked to 1 now"#
        ]
      )
      try store.undo(6...6, author: Author())
      #expect(try rows("SELECT count(*) FROM Tag_trips", in: store) == ["0"])
      try store.undo(3...4, author: Author())
      #expect(try rows("SELECT name, leader FROM Trip", in: store) == ["a|1"])
    }
  }

  @Test("The error of an undo names the object that has a unique value now, and the later change.")
  func takenValues() throws {
    try withStore(.memory) { store, _ in
      try store.save { try $0.trip(1).insert(name: "a") }
      try store.save { try $0.trip(1).set(name: "b") }
      try store.save { try $0.trip(2).insert(name: "a") }
      let taken = "Trip 2 has the unique 'name' that the undo would restore in Trip 1"
      #expect(try conflicts(store, 2...2) == [taken])
      let error = #expect(throws: StoreError.self) { try store.undo(2...2, author: Author()) }
      #expect(error?.message.contains("\(taken) (transaction 3)") == true)
      #expect(try rows("SELECT id, name FROM Trip ORDER BY id", in: store) == ["1|b", "2|a"])
      // Together with the later change, the undo is possible.
      try store.undo(2...3, author: Author())
      #expect(try rows("SELECT id, name FROM Trip", in: store) == ["1|a"])
    }
  }

  @Test("A refused undo does not name itself among the later transactions.")
  func partlyReverted() throws {
    try withStore(.memory) { store, _ in
      try store.save { try $0.person(1).insert(name: "Ada") }
      try store.save { try $0.trip(1).insert(name: "a") }
      try store.save { world in
        try world.trip(1).set(name: "b")
        try world.trip(1).set(leader: 1)
      }
      try store.save { try $0.trip(1).set(name: "c") }
      let message = try storeError { try store.undo(3...3, author: Author()) }.message
      #expect(message.contains("later changes depend on it (transaction 4)"), "\(message)")
    }
  }

  @Test("A refused undo names the transactions that prevent it, and shortens long values.")
  func refusal() throws {
    try withStore(.memory) { store, _ in
      let texts = ["a", "b"].map { String(repeating: $0, count: 5_000) }
      try store.save { try $0.trip(1).insert(name: "short") }
      for text in texts {
        try store.save { try $0.trip(1).set(name: text) }
      }
      try store.save { try $0.tag(1).insert(word: "t") }
      let message = try storeError { try store.undo(2...2, author: Author()) }.message
      #expect(message.contains("later changes depend on it (transaction 3)"), "\(message)")
      #expect(message.contains("(5002 characters) now (transaction 3)"), "\(message)")
      for letter in ["a", "b"] {
        let longest = message.split { String($0) != letter }.map(\.count).max() ?? 0
        #expect((40...80).contains(longest), "\(message)")
      }
    }
  }

  @Test("Undoing a deletion reverts what its delete rules did.")
  func cascade() throws {
    try withStore(.memory) { store, _ in
      try store.save { world in
        try world.trip(1).insert(name: "a")
        try world.item(1).insert(title: "i", trip: 1)
      }
      try store.save { try $0.trip(1).delete() }
      try store.undo(2...2, author: Author())
      #expect(try rows("SELECT title, trip FROM Item", in: store) == ["i|1"])
      #expect(try lastChanges(of: store).allSatisfy { $0.hasPrefix("insert") })
    }
  }

  @Test("A schema change, erased values and missing transactions can't be undone.")
  func irreversible() throws {
    try withStoreFile(StagedMigrationTests.one, fill: StagedMigrationTests.fill) { url in
      try Migration.migrate(url, to: StagedMigrationTests.two, author: Author())
      let store = try Store.open(.file(url))
      for range in [1...1, 1...2, 2...2] as [ClosedRange<Int64>] {
        let error = try storeError { try store.undo(range, author: Author()) }
        #expect(error.code == .irreversible)
        #expect(error.message.contains("changed the schema"))
      }
      #expect(try storeError { try store.undo(3...3, author: Author()) }.code == .misuse)
      #expect(try storeError { try store.read(after: 0) { _ in } }.code == .irreversible)
    }
    let store = try Store.open(
      .memory("tombstones"),
      schema: sampleSchema,
      options: Options(historyMode: .tombstones)
    )
    try store.save { try $0.tag(1).insert(word: "a") }
    try store.save { try $0.tag(1).delete() }
    #expect(try storeError { try store.undo(2...2, author: Author()) }.code == .irreversible)
    try store.deleteHistory([1...1])
    #expect(try storeError { try store.undo(1...2, author: Author()) }.code == .irreversible)
    #expect(try rows("SELECT count(*) FROM Tag", in: store) == ["0"])
  }

  @Test("A reader of a point sees the rows of every earlier state, also while the store goes on.")
  func earlierStates() throws {
    var random = SeededGenerator(for: "earlier states")
    for _ in 0..<trials(3, long: 100) {
      let seed = random.next()
      try withTemporaryFolder { folder in
        let url = folder.appendingPathComponent("store")
        var states: [Int64: [String]] = [0: []]
        var world = HistoryWorld(SeededGenerator(seed: seed))
        let store = try Store.open(.file(url), schema: worldSchema)
        let early = try Store.open(.file(url), options: pastOptions(0))
        for _ in 0..<25 {
          try world.write(to: store)
          states[try head(store)] = try objects(of: store)
          try #require(try objects(of: early) == [], "seed \(seed)")
        }
        for (position, state) in states {
          try #require(try objects(of: store, after: position) == state, "\(seed), \(position)")
          let past = try Store.open(.file(url), options: pastOptions(position))
          try #require(try objects(of: past) == state, "seed \(seed), \(position)")
        }
      }
    }
  }

  /// All objects as history would have them, wherever their large values are.
  private func objects(of store: Store, after point: Int64? = nil) throws -> [String] {
    try store.read(after: point) { reader in
      var objects: [String] = []
      try reader.snapshot { change in
        let texts = [change.entity, change.after, change.special, change.large]
        let text = texts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
        objects.append("\(change.id) \(text)")
      }
      return objects
    }
  }

  private func pastOptions(_ point: Int64) -> Options {
    var options = Options(isReadOnly: true)
    options.point = point
    return options
  }

  @Test("Foreign changes are reverted too, including changed entities and their links.")
  func earlierForeign() throws {
    try withForeignStore { store, connection in
      var states: [[String]] = []
      for sql in [
        "INSERT INTO Tag VALUES (1, 'w'); INSERT INTO Tag VALUES (2, 'x')",
        "INSERT INTO Plan (id, _entity, title) VALUES (5, 'Plan', 't')",
        "INSERT INTO Plan_friends VALUES (5, 1)",
        "UPDATE Plan SET _entity = 'Meeting', room = 'r' WHERE id = 5",
        "UPDATE Tag SET id = 3 - id WHERE id = 9; DELETE FROM Plan",
        "INSERT INTO Trip (id, name, plan, price) VALUES (-4, 'n', 99, 'NaN')",
      ] {
        states.append(try rowDump(of: store))
        try connection.execute("BEGIN; \(sql); COMMIT")
        try seal(store)
      }
      for (index, state) in states.enumerated().reversed() {
        // Links whose object was deleted without them belong to no object.
        #expect(try rowDump(of: store, after: Int64(index)) == state, "\(index)")
      }
    }
  }

  @Test("A dangling reference of another program is in the earlier state.")
  func earlierDangling() throws {
    try withForeignStore { store, connection in
      try connection.execute("INSERT INTO Trip (id, name, plan) VALUES (1, 'n', 99)")
      try seal(store)
      let state = try rowDump(of: store)
      #expect(state.count == 1)
      try connection.execute("DELETE FROM Trip")
      try seal(store)
      #expect(try rowDump(of: store) == [])
      #expect(try rowDump(of: store, after: 1) == state)
    }
  }

  @Test("An undo of transactions that history does not have is refused, and changes nothing.")
  func outsideOfHistory() throws {
    let store = try Store.open(.memory("outside"), schema: sampleSchema)
    #expect(try storeError { try store.undo(1...1, author: Author()) }.code == .misuse)
    try store.save { try $0.tag(1).insert(word: "a") }
    try store.save { try $0.tag(1).delete() }
    for range in [-1...0, 0...0, 0...1, 0...2, 2...3, 3...3] as [ClosedRange<Int64>] {
      let error = try storeError { try store.undo(range, author: Author()) }
      #expect(error.code == .misuse, "\(range)")
    }
    #expect(try history(of: store).count == 2)
    #expect(try store.undo(1...2, author: Author()) == nil)
    #expect(try store.undo(2...2, author: Author()) == 3)
  }
}
