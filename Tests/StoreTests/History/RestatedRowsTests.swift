import Foundation
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("Erasures of more lines than one transaction restates")
struct RestatedRowsTests {
  private let hotel = worldSchema.index(of: "Hotel") ?? 0
  private let author = Author(name: "officer", reason: "case 12", request: "DELETE /hotels")

  private func hotelValues(_ name: String) -> [Value] {
    [.text(name), .real(4.5), .real(0), .null, .integer(3)]
  }

  /// Calls `body` with a store that has hotels 1 to 4, each of which was updated once.
  private func withHotels(
    _ mode: HistoryMode = .tombstones,
    most: Int,
    _ body: (Store, URL) throws -> Void
  ) throws {
    try RestatedRows.$most.withValue(most) {
      try withTemporaryFolder { folder in
        let store = try Store.open(
          .file(folder.appendingPathComponent("test.store")),
          schema: worldSchema,
          options: Options(historyMode: mode)
        )
        try store.write(Author()) { writer in
          for id in Int64(1)...4 { try writer.insert(hotel, id: id, values: hotelValues("\(id)")) }
        }
        try store.write(Author()) { writer in
          for id in Int64(1)...4 {
            try writer.update(hotel, id: id, columns: [0], values: [.text("hotel \(id)")])
          }
        }
        try body(store, folder)
      }
    }
  }

  /// The transactions after the first two, which wrote the hotels.
  private func later(_ store: Store) throws -> [Transaction] {
    try store.read { reader in
      let cursor = try reader.history(after: 2)
      var found: [Transaction] = []
      while let next = try cursor.nextTransaction() { found.append(next) }
      return found
    }
  }

  private func makeReplica(
    of store: Store,
    _ folder: URL,
    _ name: String = "replica.store"
  ) throws -> Store {
    try Store.open(
      .file(folder.appendingPathComponent(name)),
      schema: store.schema,
      options: Options(origin: ReplicaOrigin(identifier: store.identifier, lineage: store.lineage))
    )
  }

  @Test(
    "A deletion restates as many lines as it may, and the transactions after it restate the rest.",
    arguments: [(1, 7), (2, 3), (3, 2), (5, 1), (7, 1), (8, 0), (100, 0)]
  )
  func deletion(_ most: Int, _ further: Int) throws {
    try withHotels(most: most) { store, folder in
      let replica = try makeReplica(of: store, folder)
      try copyHistory(of: store, into: replica)
      var made: Int64?
      try store.write(author, committed: { made = $0 }) { writer in
        for id in Int64(1)...4 { try writer.delete(hotel, id: id) }
      }
      let found = try later(store)
      #expect(made == 3 && found.map(\.id) == Array(3...Int64(3 + further)))
      #expect(found[0].operation == .recorded && found[0].count == 4)
      for transaction in found.dropFirst() {
        #expect(transaction.operation == .erase && transaction.count == 0)
        #expect(transaction.author == "officer" && transaction.request == "DELETE /hotels")
        #expect(transaction.reason == "case 12" && transaction.erasure == nil)
      }
      let counts = found.map { $0.restatements.reduce(0) { $0 + $1.lines.count } }
      #expect(counts.reduce(0, +) == 8 && counts.dropLast().allSatisfy { $0 == most })
      let lines = found.flatMap(\.restatements).flatMap { one in
        one.lines.map { "\(one.transaction).\($0.sequence)" }
      }
      #expect(lines.sorted() == (1...2).flatMap { id in (0...3).map { "\(id).\($0)" } })
      // A replica that had the values erases the same ones, and a new one gets the same history.
      try copyHistory(of: store, into: replica)
      #expect(try StoreTesting.lines(of: replica) == StoreTesting.lines(of: store))
      try store.check { Issue.record("\($0)") }
      // The next write continues the chain.
      try store.write(Author()) { try $0.insert(hotel, id: 9, values: hotelValues("9")) }
      try copyHistory(of: store, into: replica)
      #expect(try rowDump(of: replica) == rowDump(of: store))
    }
  }

  @Test("A write that fails after it moved restated lines to a file records nothing.")
  func failure() throws {
    struct Refused: Error {}
    try withHotels(most: 2) { store, _ in
      #expect(throws: Refused.self) {
        try store.write(author) { writer in
          for id in Int64(1)...4 { try writer.delete(hotel, id: id) }
          throw Refused()
        }
      }
      #expect(try later(store).isEmpty)
      try store.write(author) { try $0.delete(hotel, id: 2) }
      #expect(try later(store).flatMap(\.restatements).flatMap(\.lines).count == 2)
    }
  }

  @Test("A deletion of very many changes has the same digests in a replica as in its origin.")
  func largeDeletion() throws {
    try withHotels(most: 700) { store, folder in
      let ids = Int64(5)...1_500
      try store.write(Author()) { writer in
        for id in ids { try writer.insert(hotel, id: id, values: hotelValues("\(id)")) }
      }
      try store.write(author) { writer in for id in ids { try writer.delete(hotel, id: id) } }
      let found = try later(store)
      #expect(found.map(\.operation) == [.recorded, .recorded, .erase, .erase])
      #expect(found.allSatisfy { $0.digest != nil })
      let replica = try makeReplica(of: store, folder)
      try copyHistory(of: store, into: replica)
      #expect(try StoreTesting.lines(of: replica) == StoreTesting.lines(of: store))
    }
  }

  @Test("The erasure of an object's values has as many transactions as it needs.")
  func erasure() throws {
    try withHotels(.full, most: 2) { store, folder in
      for name in ["a", "b", "c"] {
        try store.write(Author()) {
          try $0.update(hotel, id: 3, columns: [0], values: [.text(name)])
        }
      }
      let replica = try makeReplica(of: store, folder)
      try copyHistory(of: store, into: replica)
      let details = ErasureDetails(
        of: ObjectName("Hotel", id: 3),
        properties: ["name"],
        restatements: []
      )
      let count = try store.eraseHistory(
        of: 3,
        author: author,
        recording: (details, RestatedLines()),
        where: { _, _, value in value.key.elementsEqual("\"name\":".utf8) }
      )
      #expect(count == 5)
      let found = try later(store).dropFirst(3)
      #expect(found.map(\.operation) == [.erase, .erase, .erase])
      #expect(found.map { $0.restatements.map(\.transaction) } == [[1, 2], [3, 4], [5]])
      #expect(found.allSatisfy { $0.erasure?.object == ObjectName("Hotel", id: 3) })
      #expect(found.allSatisfy { $0.author == "officer" && $0.reason == "case 12" })
      try copyHistory(of: store, into: replica)
      #expect(try StoreTesting.lines(of: replica) == StoreTesting.lines(of: store))
    }
  }

  @Test("An object that is deleted and inserted again has all its values in a new replica.")
  func again() throws {
    for most in [1, 100] {
      try withHotels(most: most) { store, folder in
        let follower = try makeReplica(of: store, folder)
        try copyHistory(of: store, into: follower)
        try store.write(author) { writer in
          guard let values = try writer.row(hotel, id: 1) else { return }
          try writer.delete(hotel, id: 1)
          try writer.insert(hotel, id: 1, values: values)
        }
        #expect(try later(store).flatMap(\.restatements).map(\.transaction) == [1, 2])
        try copyHistory(of: store, into: follower)
        let new = try makeReplica(of: store, folder, "new.store")
        try copyHistory(of: store, into: new)
        for replica in [follower, new] {
          #expect(try rowDump(of: replica) == rowDump(of: store))
          #expect(try StoreTesting.lines(of: replica) == StoreTesting.lines(of: store))
        }
      }
    }
  }

  @Test("Deletions by another program are followed by the transactions that restate the rest.")
  func foreign() throws {
    try withHotels(most: 3) { store, folder in
      let replica = try makeReplica(of: store, folder)
      try copyHistory(of: store, into: replica)
      try foreignConnection(to: store).execute("DELETE FROM Place WHERE id <= 3")
      #expect(try store.sealForeignChanges())
      let found = try later(store)
      #expect(found.map(\.operation) == [.foreign, .erase, .erase])
      #expect(found.allSatisfy { $0.author == nil && $0.process.isEmpty && $0.host.isEmpty })
      #expect(found[0].time == found[1].time)
      #expect(found.flatMap(\.restatements).flatMap(\.lines).count == 6)
      try copyHistory(of: store, into: replica)
      #expect(try StoreTesting.lines(of: replica) == StoreTesting.lines(of: store))
    }
  }

  @Test(
    "Random histories have equal digests in replicas, however many lines a transaction restates.",
    arguments: [1, 2, 5]
  )
  func random(_ most: Int) throws {
    try RestatedRows.$most.withValue(most) {
      try withTemporaryFolder { folder in
        var world = HistoryWorld(SeededGenerator(for: "restated \(most)"))
        let source = try Store.open(
          .file(folder.appendingPathComponent("source")),
          schema: worldSchema,
          options: Options(historyMode: .tombstones)
        )
        let follower = try makeReplica(of: source, folder)
        for _ in 0..<trials(80, long: 800) {
          try world.write(to: source)
          try copyHistory(of: source, into: follower)
        }
        #expect(try rowDump(of: follower) == rowDump(of: source))
        #expect(try StoreTesting.lines(of: follower) == StoreTesting.lines(of: source))
        let ops = try rows("SELECT op FROM history_transaction WHERE op = 'erase'", in: source)
        #expect(!ops.isEmpty)
      }
    }
  }
}
