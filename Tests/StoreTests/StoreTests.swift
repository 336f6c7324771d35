import Format
import Foundation
import SQLite
import Store
import StoreTesting
import Testing

@Suite("Opening, reading and writing a store")
struct StoreTests {
  @Test(
    "A store is created once, and opened again with what was written.",
    arguments: Place.allCases
  )
  func opening(place: Place) throws {
    try withStore(place) { store, reopen in
      try store.write(Author(name: "test")) { writer in
        let id = try writer.reserveIDs("Trip", count: 1)
        #expect(id == 1)
        try writer.insert(trip, id: id, values: tripValues("Oslo"))
      }
      let again = try reopen()
      #expect(again.identifier == store.identifier)
      #expect(try names(of: "Trip", in: again) == ["Oslo"])
    }
  }

  @Test("Any thrown error rolls the whole write back.", arguments: Place.allCases)
  func rollback(place: Place) throws {
    try withStore(place) { store, _ in
      #expect(throws: CancellationError.self) {
        try store.write(Author()) { writer in
          try writer.insert(trip, id: 1, values: tripValues("Oslo"))
          throw CancellationError()
        }
      }
      #expect(try names(of: "Trip", in: store).isEmpty)
      #expect(try history(of: store).isEmpty)
      try store.write(Author()) { try $0.insert(trip, id: 1, values: tripValues("Bergen")) }
      #expect(try history(of: store).map(\.transaction) == [1])
    }
  }

  @Test("Reserved ids are never used twice.")
  func reservedIDs() throws {
    try withStore(.file) { store, reopen in
      let first = try store.write(Author()) { try $0.reserveIDs("Trip", count: 3) }
      let second = try store.write(Author()) { writer in
        let id = try writer.reserveIDs("Trip", count: 1)
        try writer.insert(trip, id: id, values: tripValues("Oslo"))
        try writer.delete(trip, id: id)
        return id
      }
      let third = try reopen().write(Author()) { try $0.reserveIDs("Trip", count: 1) }
      #expect([first, second, third] == [1, 4, 5])
    }
  }

  @Test("A reader keeps its snapshot while others write a file.")
  func snapshot() throws {
    try withStore(.file) { store, _ in
      let reader = try store.takeReader()
      try store.write(Author()) { try $0.insert(trip, id: 1, values: tripValues("Oslo")) }
      let count = try reader.connection.cached("SELECT count(*) FROM Trip")
      #expect(try count.step())
      #expect(count.int64(at: 0) == 0)
      try reader.refresh()
      let later = try reader.connection.cached("SELECT count(*) FROM Trip")
      #expect(try later.step())
      #expect(later.int64(at: 0) == 1)
      store.giveBack(reader)
    }
  }

  @Test("A thread that reads a store in memory may write it.")
  func recursion() throws {
    try withStore(.memory) { store, _ in
      let held = try store.takeReader()
      try store.read { _ in
        try store.write(Author()) { try $0.insert(trip, id: 1, values: tripValues("Oslo")) }
      }
      #expect(try names(of: "Trip", in: store) == ["Oslo"])
      store.giveBack(held)
    }
  }

  @Test("A write inside a write is refused with a sentence.")
  func nestedWrite() throws {
    try withStore(.memory) { store, _ in
      let error = #expect(throws: StoreError.self) {
        try store.write(Author()) { _ in try store.write(Author()) { _ in } }
      }
      #expect(error?.code == .misuse)
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
}
