import Foundation
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("Deleting transactions of a store")
struct HistoryDeletionTests {
  private func addTags(_ ids: ClosedRange<Int64>, to store: Store) throws {
    for id in ids {
      try store.write(Author(name: "app")) { try $0.insert(tag, id: id, values: [.text("\(id)")]) }
    }
  }

  private func states(of store: Store) throws -> [String] {
    try rows(
      """
      SELECT t.id || ' ' || t.state || ' ' || (SELECT count(*) FROM history_change c
        WHERE c.transaction_id = t.id) FROM history_transaction t ORDER BY t.id
      """,
      in: store
    )
  }

  @Test("Any set of transactions can be deleted, and the rest keep their ids and digests.")
  func subsets() throws {
    for set in 0..<64 {
      try withStore(.memory) { store, _ in
        try addTags(1...6, to: store)
        let digests = try store.read { reader in try (0...6).map { try reader.point($0).digest } }
        let ids = (1...6).filter { set & 1 << ($0 - 1) != 0 }
        let count = try store.deleteHistory(ids.map { Int64($0)...Int64($0) })
        #expect(count == Int64(ids.count))
        let prefix = (1...6).prefix { ids.contains($0) }.count
        let expected = ((prefix + 1)..<7).map {
          ids.contains($0) ? "\($0) deleted 0" : "\($0) whole 1"
        }
        #expect(try states(of: store) == expected, "\(ids)")
        let range = try store.read { try $0.historyRange() }
        #expect(range.base.transaction == Int64(prefix))
        #expect(range.base.digest == digests[prefix])
        #expect(range.oldest == (prefix == 6 ? nil : Int64(prefix + 1)))
        #expect(range.head.digest == digests[6])
        for id in (prefix + 1)..<7 {
          #expect(try store.read { try $0.point(Int64(id)).digest } == digests[id])
        }
        try addTags(7...7, to: store)
        let last = try store.read { try $0.transaction(7) }
        #expect(last?.id == 7)
        #expect(last?.digest != nil)
      }
    }
  }

  @Test("A transaction that is deleted from the middle keeps its id, and loses all its content.")
  func middle() throws {
    try withStore(.file) { store, _ in
      try addTags(1...3, to: store)
      try store.deleteHistory([2...2])
      let gone = try store.read { try $0.transaction(2) }
      #expect(gone?.state == .deleted)
      #expect(gone?.author == nil)
      #expect(gone?.process == "")
      #expect(gone?.seed == nil)
      #expect(gone?.digest != nil)
      try store.read { reader in
        let cursor = try reader.history()
        var seen: [String] = []
        while let transaction = try cursor.nextTransaction() {
          let change = try cursor.nextChange()
          seen.append("\(transaction.id) \(change?.object ?? 0)")
        }
        #expect(seen == ["1 1", "2 0", "3 3"])
      }
      // It is deleted when all transactions before it are.
      try store.deleteHistory([1...1])
      #expect(try states(of: store) == ["3 whole 1"])
    }
  }

  @Test("A point expires if later transactions were deleted, and the error names the oldest.")
  func expiry() throws {
    try withStore(.file) { store, _ in
      try addTags(1...5, to: store)
      let points = try store.read { reader in try (0...5).map { try reader.point($0) } }
      try store.deleteHistory([1...3])
      for point in points.prefix(3) {
        let error = #expect(throws: StoreError.self) { try store.read { try $0.check(point) } }
        #expect(error?.code == .historyExpired)
        #expect(error?.message.contains("the oldest kept transaction is 4") == true)
      }
      for point in points.suffix(3) { try store.read { try $0.check(point) } }
      var other = points[3]
      other.digest = points[2].digest
      let diverged = #expect(throws: StoreError.self) { try store.read { try $0.check(other) } }
      #expect(diverged?.code == .historyDiverged)
      let error = #expect(throws: StoreError.self) { _ = try lines(of: store, after: 2) }
      #expect(error?.code == .historyExpired)
      #expect(try lines(of: store, after: 3).split(separator: "\n").count == 4)
      // Deleted transactions in the middle matter only inside the requested range.
      try store.deleteHistory([5...5])
      try store.read { try $0.check(points[3], through: 4) }
      let between = #expect(throws: StoreError.self) { try store.read { try $0.check(points[4]) } }
      #expect(between?.code == .historyExpired)
      try store.read { try $0.check(points[5]) }
    }
  }

  @Test("Deleting by time stops at the first transaction that is not older.")
  func time() throws {
    try withStore(.memory) { store, _ in
      try addTags(1...6, to: store)
      let set = "UPDATE history_transaction SET time = printf('2026-01-%02dT00:00:00.000000Z', "
      try store.maintain { try $0.connection.execute(set + "CASE id WHEN 5 THEN 1 ELSE id END)") }
      let limit = try Date("2026-01-04T00:00:00Z", strategy: .iso8601)
      #expect(try store.deleteHistory(before: limit) == 3)
      #expect(try states(of: store).first == "4 whole 1")
      #expect(try store.deleteHistory(before: limit) == 0)
      #expect(try store.deleteHistory(before: .distantFuture) == 3)
      #expect(try states(of: store).isEmpty)
      #expect(try store.deleteHistory(before: Date(timeIntervalSince1970: .nan)) == 0)
    }
  }

  @Test("A time to live deletes older history when the store is opened and written.")
  func timeToLive() throws {
    try withTemporaryFolder { folder in
      let location = Location.file(folder.appendingPathComponent("test.store"))
      let store = try Store.open(location, schema: sampleSchema)
      try addTags(1...4, to: store)
      let old = "UPDATE history_transaction SET time = '2020-01-01T00:00:00.000000Z' WHERE id < 3"
      let other = try Connection(path: location.path, mode: .readWrite)
      try other.execute(old)
      var options = Options()
      options.historyTimeToLive = .seconds(86_400)
      let expiring = try Store.open(location, options: options)
      #expect(try states(of: expiring) == ["3 whole 1", "4 whole 1"])
      options.historyTimeToLive = .zero
      options.isReadOnly = true
      #expect(try states(of: Store.open(location, options: options)).count == 2)
      options.isReadOnly = false
      #expect(try states(of: Store.open(location, options: options)).isEmpty)
    }
  }

  @Test("Deleted history frees its space and its blob files.")
  func space() throws {
    try withStore(.file) { store, _ in
      let large = String(repeating: "x", count: 1_500_000)
      try store.write(Author()) { try $0.insert(tag, id: 1, values: [.text(large)]) }
      try store.write(Author()) { try $0.update(tag, id: 1, columns: [0], values: [.text("y")]) }
      for round in 0..<4 {
        try store.write(Author()) { writer in
          for id in Int64(0)..<5000 {
            try writer.insert(tag, id: 10 + id + Int64(round) * 5000, values: [.text("word \(id)")])
          }
        }
      }
      let blob = "SELECT count(*) FROM store_blob"
      #expect(try rows(blob, in: store) == ["1"])
      func pages() throws -> Int { Int(try rows("PRAGMA page_count", in: store)[0]) ?? 0 }
      let before = try pages()
      #expect(try store.deleteHistory([1...5]) == 5)
      #expect(try pages() < before * 2 / 3)
      #expect(try rows("PRAGMA freelist_count", in: store) == ["0"])
      #expect(try rows(blob, in: store) == ["0"])
      #expect(try rows("PRAGMA integrity_check", in: store) == ["ok"])
      #expect(try states(of: store) == ["6 whole 5000"])
    }
  }

  @Test("Other programs can write while much history is deleted.")
  func turns() throws {
    try withStore(.file) { store, open in
      for round in Int64(0)..<12 {
        try store.write(Author()) { writer in
          for id in Int64(0)..<4000 {
            try writer.insert(tag, id: 10 + id + round * 4000, values: [.text("word \(id)")])
          }
        }
      }
      let other = try open()
      let thread = Thread {
        for id in Int64(1)...5 {
          // A failure is visible below as a missing tag.
          _ = try? other.write(Author()) { try $0.insert(tag, id: id, values: [.text("new")]) }
        }
      }
      thread.start()
      try store.deleteHistory([1...12])
      while !thread.isFinished { usleep(1000) }
      #expect(try rows("SELECT count(*) FROM Tag WHERE word = 'new'", in: store) == ["5"])
      #expect(try rows("SELECT count(*) FROM history_transaction", in: store) == ["5"])
    }
  }

  @Test("A new lineage is refused if a transaction after its base was deleted.")
  func refusedLineage() throws {
    try withStore(.memory) { store, _ in
      try addTags(1...4, to: store)
      try store.deleteHistory([3...3])
      let points = try store.read { reader in try (0...3).map { try reader.point($0) } }
      let before = try states(of: store)
      for point in points {
        let base = HistoryPoint(
          lineage: 1,
          transaction: point.transaction,
          digest: points[0].digest
        )
        guard point.transaction < 3 else {
          try store.beginLineage(after: base)
          break
        }
        let error = try storeError { try store.beginLineage(after: base) }
        #expect(error.code == .irreversible)
        #expect(error.message.hasPrefix("Some values of transaction 3 of the store "))
        #expect(try states(of: store) == before)
      }
      #expect(try states(of: store) == ["4 whole 1"])
    }
  }
}
