import Foundation
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Changes
@testable import Store

@Suite("Readers of history")
struct ReaderTests {
  private func addTags(_ ids: ClosedRange<Int64>, to store: Store) throws {
    for id in ids {
      try store.write(Author()) { try $0.insert(tag, id: id, values: [.text("\(id)")]) }
    }
  }

  @Test("A value of an object is read as text, and null and a missing object have no text.")
  func texts() throws {
    try withStore(.memory) { store, _ in
      try store.write(Author()) {
        try $0.insert(item, id: 1, values: itemValues("a", trip: nil))
        try $0.insert(item, id: 2, values: itemValues("", trip: nil))
      }
      try store.read { (reader) throws in
        let layout = reader.layouts[item]
        let (title, trip) = (layout.column(of: "title"), layout.column(of: "trip"))
        func text(_ id: Int64, _ column: ColumnIndex?) throws -> String? {
          try reader.text(of: id, at: #require(column), layout: layout)
        }
        #expect(try text(1, title) == "a")
        #expect(try text(2, title) == "")
        #expect(try text(3, title) == nil)
        #expect(try text(1, trip) == nil)
      }
    }
  }

  @Test("The last transaction before or at a time is found from each beginning.")
  func lastTransaction() throws {
    try withStore(.memory) { store, _ in
      try addTags(1...9, to: store)
      // The transactions 3 and 4 have the same time, and so do 7 to 9.
      let times = [10, 20, 30, 30, 50, 60, 70, 70, 70]
      try store.inTransaction { _, connection in
        for (index, time) in times.enumerated() {
          try connection.run(
            "UPDATE history_transaction SET time = ?2 WHERE id = ?1",
            values: [.integer(Int64(index) + 1), .text("2026-01-01T00:00:\(time).000000Z")]
          )
        }
      }
      try store.read { reader in
        for last in 0...9 {
          for second in stride(from: 5, through: 75, by: 5) {
            for orAt in [false, true] {
              let expected = times.prefix(last).filter { orAt ? $0 <= second : $0 < second }.count
              let digits = second < 10 ? "0\(second)" : "\(second)"
              for first in 0...expected {
                let found = try reader.lastTransaction(
                  beforeTime: "2026-01-01T00:00:\(digits).000000Z",
                  orAt: orAt,
                  from: Int64(first),
                  through: Int64(last)
                )
                #expect(found == Int64(expected), "\(second) \(orAt) \(first)...\(last)")
              }
            }
          }
        }
      }
    }
  }

  @Test(
    "The first transaction after a time is found, and a deleted one counts as the last of these."
  )
  func firstTransaction() throws {
    try withStore(.memory) { store, _ in
      try addTags(1...4, to: store)
      try store.inTransaction { _, connection in
        try connection.execute("UPDATE history_transaction SET time = 'T' || (id * 2)")
      }
      func first(after time: String) throws -> Int64? {
        try store.read { try $0.firstTransaction(afterTime: time) }
      }
      #expect(try ["T1", "T2", "T3", "T7", "T8"].map(first) == [1, 2, 2, 4, nil])
      try store.deleteHistory([1...2])
      #expect(try store.read { try $0.baseTime() } == "T4")
      #expect(try ["T1", "T3", "T4", "T5", "T8"].map(first) == [2, 2, 3, 3, nil])
    }
  }

  @Test(
    "A snapshot can be ended twice, and after temporary tables were allowed.",
    arguments: Place.allCases
  )
  func end(_ place: Place) throws {
    try withStore(place) { store, _ in
      try addTags(1...1, to: store)
      let reader = try store.takeReader()
      try reader.allowTemporaryTables()
      try reader.end()
      try reader.end()
      try reader.begin()
      #expect(try reader.lastTransaction() == 1)
      store.giveBack(reader)
    }
  }

  @Test("A point is checked against the lineage, the transactions and the digest of the history.")
  func check() throws {
    try withStore(.memory) { store, _ in
      try addTags(1...6, to: store)
      let points = try store.read { reader in try (0...6).map { try reader.point($0) } }
      try store.deleteHistory([1...2])
      try store.deleteHistory([5...5])
      func message(_ point: HistoryPoint, through last: Int64 = .max) throws -> String? {
        try store.read { reader in
          do {
            try reader.check(point, through: last)
            return nil
          } catch let error as StoreError {
            return error.message
          }
        }
      }
      func expired(_ id: Int64) -> String {
        "Transaction \(id) was deleted from the history of the store :memory:, which begins after"
          + " transaction 2; the oldest kept transaction is 3."
      }
      #expect(try message(points[0]) == expired(1))
      #expect(try message(points[1]) == expired(2))
      #expect(try message(points[2]) == expired(5))
      #expect(try message(points[2], through: 5) == expired(5))
      #expect(try message(points[2], through: 4) == nil)
      #expect(try message(points[4]) == expired(5))
      #expect(try message(points[5]) == nil)
      #expect(try message(points[6]) == nil)
      let start = "The store :memory: was restored from an older copy or is another store: "
      var other = points[6]
      other.transaction = 7
      #expect(
        try message(other)
          == start
          + "the requested point is transaction 7, but the last transaction of the store is 6."
      )
      other = points[6]
      other.lineage = 1
      #expect(
        try message(other)
          == start + "the requested point is in lineage 1, but the store has lineage 0."
      )
      other = points[6]
      other.digest = points[5].digest
      #expect(try message(other) == start + "transaction 6 has another digest.")
      #expect(try store.read { try $0.lastDeletedTransaction() } == 5)
      let first = try store.read { reader in
        try [(4, 5), (5, 6), (3, 4), (2, 6)].map {
          try reader.firstDeletedTransaction(after: $0.0, through: $0.1)
        }
      }
      #expect(first == [5, nil, nil, 5])
    }
  }

  @Test("History is read from the base on, and a reading from before the base is refused.")
  func historyAfter() throws {
    try withStore(.memory) { store, _ in
      try addTags(1...4, to: store)
      try store.deleteHistory([1...2])
      try store.read { reader in
        _ = try reader.history(after: 2)
        let error = #expect(throws: StoreError.self) { try reader.history(after: 1) }
        #expect(
          error?.message
            == "Transaction 1 was deleted from the history of the store :memory:, which begins"
            + " after transaction 2; the oldest kept transaction is 3."
        )
        #expect(try reader.transactions(changing: 3) == [3])
        #expect(try reader.transactions(changing: 1) == [])
        #expect(try reader.sealedHead() == 4)
      }
    }
  }

  @Test("The check of a schema compares tables only if the store has another schema.")
  func schemaCheck() throws {
    try withStore(.memory) { store, _ in
      try store.read { reader in
        let id = try #require(
          try reader.connection.integer("SELECT value FROM store_catalog WHERE key = 'schema'")
        )
        var other = sampleSchema
        other.version = "0.9"
        other.entities[trip].attributes.removeLast()
        try SchemaCheck(schemaID: id, schema: other).run(on: reader.connection)
        try SchemaCheck(schemaID: id + 1, schema: sampleSchema).run(on: reader.connection)
        let error = #expect(throws: StoreError.self) {
          try SchemaCheck(schemaID: id + 1, schema: other).run(on: reader.connection)
        }
        #expect(error?.code == .schemaMismatch)
        #expect(
          error?.message
            == "Another process migrated the store :memory: to version 1.0.0 of the schema; this"
            + " process uses version 0.9."
        )
      }
    }
  }

  @Test("A reader of a store in memory does not end the transaction of the writer.")
  func readDuringWrite() throws {
    try withStore(.memory) { store, _ in
      try store.write(Author()) { writer in
        try writer.insert(tag, id: 1, values: [.text("a")])
        #expect(try rows("SELECT 1", in: store) == ["1"])
        try writer.insert(tag, id: 2, values: [.text("b")])
      }
      #expect(try rows("SELECT word FROM Tag ORDER BY id", in: store) == ["a", "b"])
      #expect(try store.read { try $0.historyRange().head.transaction } == 1)
    }
  }

  @Test(
    "A large value is its blob file if the store is in a file, and its bytes in memory otherwise.",
    arguments: Place.allCases
  )
  func largeValue(_ place: Place) throws {
    let schema = BlobMigrationTests.schema("1", BlobMigrationTests.image())
    try withStore(place, schema: schema) { store, _ in
      let data = BlobMigrationTests.large
      try store.write(Author()) { try $0.insert(0, id: 1, values: [.blob(data)]) }
      let digest = BlobMigrationTests.digest(data)
      switch (place, try store.read { try $0.largeValue(digest) }) {
      case (.file, .file(let path)): #expect(path == "\(store.location.path)-blobs/\(digest)")
      case (.memory, .bytes(let bytes)): #expect(bytes == data)
      default: Issue.record("The value of the store in \(place) has another form.")
      }
    }
  }
}
