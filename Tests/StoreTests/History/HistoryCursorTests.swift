import Foundation
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("The stream of transactions")
struct HistoryCursorTests {
  private func addTrips(_ count: Int, from first: Int64, to store: Store) throws {
    try store.write(Author(name: "app")) { writer in
      for id in first..<first + Int64(count) {
        try writer.insert(trip, id: id, values: tripValues("trip \(id)"))
      }
    }
  }

  @Test("A transaction is written as its changes and a closing line.", arguments: Place.allCases)
  func text(_ place: Place) throws {
    try withStore(place) { store, _ in
      try store.write(Author(name: "a \"b\"", process: "trips", bundle: "org.trips")) { writer in
        try writer.insert(trip, id: 7, values: tripValues("Oslo"))
        try writer.insert(item, id: 1, values: itemValues("Fjord", trip: 7))
      }
      try store.write(Author(process: "trips")) { writer in
        try writer.update(trip, id: 7, columns: [2], values: [.text("NaN")])
        try writer.delete(item, id: 1)
      }
      let transactions = try store.read { reader in
        try [1, 2].compactMap { try reader.transaction($0) }
      }
      let meta = transactions.map { transaction in
        #""pid":\#(transaction.processID),"host":"\#(transaction.host)","#
          + (transaction.bundle.map { #""bundle":"\#($0)","# } ?? "")
          + #""schema":"\#(transaction.schema)""#
      }
      let digests = transactions.map { $0.digest?.description ?? "none" }
      let shared = [
        #""n":2,"ts":"\#(transactions[0].time)","author":"a \"b\"""#,
        #""n":2,"ts":"\#(transactions[1].time)""#,
      ]
      let seeds = transactions.map { Data($0.seed?.bytes ?? []).base64EncodedString() }
      let expected = [
        #"{"kind":"change","txn":1,"seq":0,\#(shared[0]),"seed":"2:\#(seeds[0])","#
          + #""op":"insert","entity":"Trip","id":"7","#
          + #""after":{"name":"Oslo","startDate":"2001-01-01T00:00:00Z","rating":null,"#
          + #""leader":null}}"#,
        #"{"kind":"change","txn":1,"seq":1,\#(shared[0]),"op":"insert","entity":"Item","id":"1","#
          + #""after":{"title":"Fjord","trip":{"entity":"Trip","id":"7"}}}"#,
        #"{"kind":"transaction","txn":1,\#(shared[0]),"op":"recorded","#
          + #""digest":"\#(digests[0])","meta":{"process":"trips",\#(meta[0])}}"#,
        #"{"kind":"change","txn":2,"seq":0,\#(shared[1]),"seed":"2:\#(seeds[1])","#
          + #""op":"update","entity":"Trip","id":"7","#
          + #""changed":["rating"],"before":{"rating":null},"after":{"rating":null},"#
          + #""special":{"after":{"rating":"nan"}}}"#,
        #"{"kind":"change","txn":2,"seq":1,\#(shared[1]),"op":"delete","entity":"Item","id":"1","#
          + #""before":{"title":"Fjord","trip":{"entity":"Trip","id":"7"}}}"#,
        #"{"kind":"transaction","txn":2,\#(shared[1]),"op":"recorded","#
          + #""digest":"\#(digests[1])","meta":{"process":"trips",\#(meta[1])}}"#,
      ]
      let text = try lines(of: store)
      #expect(text.split(separator: "\n").map(String.init) == expected)
      #expect(text.hasSuffix("}\n"))
    }
  }

  @Test("Each digest is that of its definition, after the one before.")
  func digests() throws {
    try withStore(.memory) { store, _ in
      for first in stride(from: Int64(1), to: 30, by: 3) {
        try addTrips(3, from: first, to: store)
      }
      var previous = SHA256.digest(of: Array("travelog/1 \(store.identifier) 0".utf8))
      for id in Int64(1)...10 {
        let stored = try store.read { try $0.transaction(id)?.digest }
        let text = try lines(of: store, after: id - 1, through: id)
        let member = #""digest":"\#(stored?.description ?? "none")","#
        #expect(text.contains(member))
        let lines = text.replacingOccurrences(of: member, with: "").split(separator: "\n")
          .map { Array("\($0)\n".utf8) }
        previous = naiveDigest(lines.dropLast(), closing: lines[lines.count - 1], after: previous)
        #expect(stored == previous)
      }
      #expect(try store.read { try $0.historyRange().head.digest } == previous)
    }
  }

  @Test("A large transaction has the same digest before and after the next one stores it.")
  func late() throws {
    try withStore(.file) { store, open in
      try addTrips(1, from: 1, to: store)
      try addTrips(TransactionRow.promptDigestLimit + 1, from: 2, to: store)
      #expect(try store.read { try $0.transaction(2) }?.digest == nil)
      let point = try store.read { try $0.point(2) }
      let head = try store.read { try $0.historyRange().head }
      #expect(head == point)
      try addTrips(1, from: 5000, to: try open())
      #expect(try store.read { try $0.transaction(2) }?.digest == point.digest)
      try store.read { try $0.check(point) }
    }
  }

  @Test("The transactions between two ids are read in order, with or without their changes.")
  func between() throws {
    try withStore(.memory) { store, _ in
      for id in 1...9 { try addTrips(id, from: Int64(id) * 100, to: store) }
      try store.read { reader in
        let cursor = try reader.history(after: 2, through: 7)
        var found: [String] = []
        while let transaction = try cursor.nextTransaction() {
          // Some are read completely, some in part, and some are skipped.
          var objects: [Int64] = []
          for _ in 0..<(transaction.id % 3 * 3) {
            guard let change = try cursor.nextChange() else { break }
            objects.append(change.object)
          }
          found.append("\(transaction.id): \(objects)")
        }
        #expect(
          found == [
            "3: []", "4: [400, 401, 402]", "5: [500, 501, 502, 503, 504]", "6: []",
            "7: [700, 701, 702]",
          ]
        )
      }
    }
  }

  @Test("A reader sees the history of its snapshot while another process writes.")
  func snapshot() throws {
    try withStore(.file) { store, open in
      try addTrips(2, from: 1, to: store)
      let reader = try store.takeReader()
      defer { store.giveBack(reader) }
      try addTrips(2, from: 10, to: try open())
      let cursor = try reader.history()
      let first = try cursor.nextTransaction()
      let second = try cursor.nextTransaction()
      #expect(first?.id == 1)
      #expect(second == nil)
    }
  }

  @Test("A point is valid only for the store that it was taken from and its history.")
  func points() throws {
    try withStore(.file) { store, open in
      let beginning = try store.read { try $0.point(0) }
      try addTrips(1, from: 1, to: store)
      let first = try store.read { try $0.point(1) }
      try addTrips(1, from: 2, to: store)
      try store.read { reader in
        try reader.check(beginning)
        try reader.check(first)
        var other = first
        other.digest = beginning.digest
        let digest = #expect(throws: StoreError.self) { try reader.check(other) }
        #expect(digest?.code == .historyDiverged)
        #expect(digest?.message.contains("transaction 1 has another digest") == true)
        other = HistoryPoint(lineage: 0, transaction: 3, digest: first.digest)
        let ahead = #expect(throws: StoreError.self) { try reader.check(other) }
        #expect(ahead?.code == .historyDiverged)
        #expect(
          ahead?.message.contains("is transaction 3, but the last transaction of the store is 2.")
            == true
        )
        other = HistoryPoint(lineage: 1, transaction: 1, digest: first.digest)
        let lineage = #expect(throws: StoreError.self) { try reader.check(other) }
        #expect(lineage?.code == .historyDiverged)
        let missing = #expect(throws: StoreError.self) { try reader.point(9) }
        #expect(missing?.code == .historyExpired)
      }
    }
  }

  @Test("A history with missing rows is reported as damaged, with the place.")
  func damage() throws {
    try withStore(.file) { store, _ in
      for id in 1...3 { try addTrips(2, from: Int64(id) * 10, to: store) }
      let other = try Connection(path: store.location.path, mode: .readWrite)
      try other.execute("DELETE FROM history_change WHERE transaction_id = 2 AND sequence = 1")
      let changes = #expect(throws: StoreError.self) { _ = try lines(of: store) }
      #expect(changes?.code == .damaged)
      #expect(changes?.message.contains("changes of transaction 2 are missing") == true)
      try other.execute("DELETE FROM history_transaction WHERE id = 2")
      let transaction = #expect(throws: StoreError.self) { _ = try lines(of: store) }
      #expect(transaction?.message.contains("transaction 2 is missing") == true)
    }
  }

  @Test("Reading new transactions of a long history costs in proportion to their number.")
  func cost() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("test.store")
      let writing = try Store.open(.file(url), schema: sampleSchema)
      for id in Int64(1)...2 {
        try writing.write(Author()) { try $0.insert(tag, id: id, values: [.text("tag \(id)")]) }
      }
      try Connection(path: url.path, mode: .readWrite).execute(
        """
        WITH RECURSIVE n (id) AS (SELECT 3 UNION ALL SELECT id + 1 FROM n WHERE id < 5000)
        INSERT INTO history_transaction (id, time, process, process_id, host, schema, first_change,
            changes, seed, op, state, digest)
          SELECT n.id, time, process, process_id, host, schema, 3, 0, seed, 'recorded', 'whole',
              digest FROM n, history_transaction t WHERE t.id = 2
        """
      )
      let store = try Store.open(.file(url), options: Options(isReadOnly: true))
      try store.read { reader in
        let range = try reader.historyRange()
        #expect(range.oldest == 1 && range.head.transaction == 5_000)
        try reader.check(reader.point(4_990))
        let cursor = try reader.history(after: 4_990)
        var count = 0
        while try cursor.nextTransaction() != nil { count += 1 }
        #expect(count == 10)
        #expect(reader.connection.rowsPassedOver < 20)
      }
    }
  }
}
