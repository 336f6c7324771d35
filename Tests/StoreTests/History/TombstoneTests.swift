import Foundation
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("History in tombstone mode")
struct TombstoneTests {
  private let hotel = worldSchema.index(of: "Hotel") ?? 0

  private func withTombstones(_ body: (Store, URL) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let store = try Store.open(
        .file(folder.appendingPathComponent("test.store")),
        schema: worldSchema,
        options: Options(historyMode: .tombstones)
      )
      try body(store, folder)
    }
  }

  private func hotelValues(_ name: String, picture: Data? = nil) -> [Value] {
    [.text(name), .real(4.5), .real(0), picture.map { .blob($0) } ?? .null, .integer(3)]
  }

  /// Whether a text is in any file of a folder.
  private func isAnywhere(_ text: String, in folder: URL) throws -> Bool {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      // A folder has no content.
      guard let content = try? Data(contentsOf: file) else { continue }
      if content.range(of: Data(text.utf8)) != nil { return true }
    }
    return false
  }

  @Test("A deletion keeps marked values, lists the others as erased, and erases earlier values.")
  func tombstone() throws {
    try withTombstones { store, _ in
      try store.write(Author()) { try $0.insert(hotel, id: 1, values: hotelValues("first")) }
      try store.write(Author()) {
        try $0.update(hotel, id: 1, columns: [0, 1], values: [.text("second"), .real(5)])
      }
      try store.write(Author()) { try $0.insert(hotel, id: 2, values: hotelValues("other")) }
      try store.write(Author()) { try $0.delete(hotel, id: 1) }
      #expect(
        try history(of: store).map(\.text) == [
          #"insert Hotel 1 {"name":null,"rating":null,"opened":null,"picture":null,"stars":null}"#
            + #" special {"after":{"name":"erased","rating":"erased","opened":"erased","#
            + #""picture":"erased","stars":"erased"}}"#,
          #"update Hotel 1 ["name","rating"] {"name":null,"rating":null}"#
            + #" {"name":null,"rating":null} special {"after":{"name":"erased","rating":"erased"},"#
            + #""before":{"name":"erased","rating":"erased"}}"#,
          #"insert Hotel 2 {"name":"other","rating":4.5,"opened":"2001-01-01T00:00:00Z","#
            + #""picture":null,"stars":3}"#,
          #"delete Hotel 1 {"name":null,"rating":5.0,"opened":null,"picture":null,"stars":null}"#
            + #" special {"before":{"name":"erased","opened":"erased","picture":"erased","#
            + #""stars":"erased"}}"#,
        ]
      )
      #expect(
        try rows("SELECT id || state || length(seed) FROM history_transaction", in: store)
          == ["1erased0", "2erased0", "3whole16", "4whole16"]
      )
    }
  }

  @Test("No byte of a deleted value is left in the store's files.", arguments: [false, true])
  func bytes(_ isReopened: Bool) throws {
    try withTombstones { store, folder in
      let secret = "a-secret-that-must-go"
      let picture = Data(String(repeating: secret, count: 80_000).utf8)
      let other = Data(String(repeating: secret, count: 10_000).utf8)
      try store.write(Author()) { writer in
        try writer.insert(hotel, id: 1, values: hotelValues(secret, picture: picture))
        try writer.insert(hotel, id: 2, values: hotelValues("kept", picture: nil))
        try writer.insert(hotel, id: 3, values: hotelValues("\(secret) 3", picture: other))
        for id in Int64(10)..<400 {
          try writer.insert(hotel, id: id, values: hotelValues("\(secret) \(id)"))
        }
      }
      try store.write(Author()) {
        try $0.update(hotel, id: 2, columns: [0], values: [.text("\(secret) for a while")])
      }
      try store.write(Author()) { try $0.update(hotel, id: 2, columns: [0], values: [.text("k")]) }
      #expect(try isAnywhere(secret, in: folder))
      func deleteAll(_ store: Store) throws {
        try store.write(Author()) { writer in
          for id in [Int64(1), 2, 3] + (10..<400) { try writer.delete(hotel, id: id) }
        }
      }
      // The mode is a setting of the store and not of the process that opens it.
      try deleteAll(isReopened ? Store.open(store.location) : store)
      #expect(try !isAnywhere(secret, in: folder))
      #expect(try rows("PRAGMA integrity_check", in: store) == ["ok"])
    }
  }

  @Test("A deletion reads only pages that were written since the last one, and not the whole file.")
  func cost() throws {
    try withTombstones { store, folder in
      try store.write(Author()) { writer in
        for id in Int64(1)...3_000 {
          try writer.insert(hotel, id: id, values: hotelValues("hotel \(id)"))
        }
      }
      func pagesRead() throws -> Int64 {
        try store.write(Author()) { $0.connection.watchPages().pagesRead }
      }
      func cost(_ id: Int64) throws -> Int64 {
        let before = try pagesRead()
        try store.write(Author()) { try $0.delete(hotel, id: id) }
        #expect(try !isAnywhere("\"hotel \(id)\"", in: folder))
        return try pagesRead() - before
      }
      #expect(try pagesRead() > 100)
      for id in [7, 8, 1_500, 2_999] as [Int64] { #expect(try (1...30).contains(cost(id))) }
    }
  }

  @Test("A reader of an older state does not block a deletion; the log is emptied afterwards.")
  func reader() throws {
    try withTombstones { store, folder in
      try store.write(Author()) { try $0.insert(hotel, id: 1, values: hotelValues("secret-1")) }
      let reader = try store.takeReader()
      let start = ContinuousClock.now
      try store.write(Author()) { try $0.delete(hotel, id: 1) }
      #expect(ContinuousClock.now - start < .seconds(5))
      store.giveBack(reader)
      try store.write(Author()) { try $0.insert(hotel, id: 2, values: hotelValues("next")) }
      #expect(try !isAnywhere("secret-1", in: folder))
    }
  }

  @Test(
    "Random histories keep all digests, and replay to the store's rows.",
    arguments: 1...trials(2, long: 40)
  )
  func random(_ round: Int) throws {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "tombstones \(round)"))
      let source = try Store.open(
        .file(folder.appendingPathComponent("source")),
        schema: worldSchema,
        options: Options(historyMode: .tombstones)
      )
      var digests: [Digest] = []
      for _ in 0..<40 {
        try world.write(to: source)
        digests.append(try source.read { try $0.historyRange().head.digest })
        let replica = try Store.open(
          .file(folder.appendingPathComponent("replica \(digests.count)")),
          schema: worldSchema,
          options: Options(
            origin: ReplicaOrigin(identifier: source.identifier, lineage: source.lineage)
          )
        )
        try copyHistory(of: source, into: replica, batch: 100)
        #expect(try rowDump(of: replica) == rowDump(of: source))
        #expect(try lines(of: replica) == lines(of: source))
      }
      let kept = try source.read { reader in
        try (1...reader.historyRange().head.transaction).map { try reader.point($0).digest }
      }
      #expect(Set(digests).isSubset(of: Set(kept + [try source.read { try $0.point(0).digest }])))
      let gone = """
        SELECT count(*) FROM history_change c WHERE c.kind <> 'delete' AND EXISTS (
          SELECT 1 FROM history_change d WHERE d.kind = 'delete' AND d.object = c.object
            AND d.entity = c.entity AND d.id > c.id)
          AND c.special IS NULL AND (c.before LIKE '%"name"%' OR c.after LIKE '%"name"%')
        """
      #expect(try rows(gone, in: source) == ["0"])
    }
  }

  @Test("After a store changes its mode, values that are deleted are erased.")
  func change() throws {
    try withTemporaryFolder { folder in
      let location = Location.file(folder.appendingPathComponent("test.store"))
      let full = try Store.open(location, schema: worldSchema)
      try full.write(Author()) { try $0.insert(hotel, id: 1, values: hotelValues("one")) }
      let other = try Store.open(location, options: Options(historyMode: .tombstones))
      // The store that was open before notices the new mode.
      try full.write(Author()) { try $0.delete(hotel, id: 1) }
      #expect(try !isAnywhere("\"one\"", in: folder))
      _ = try Store.open(location, options: Options(historyMode: .full))
      try other.write(Author()) { try $0.insert(hotel, id: 2, values: hotelValues("two")) }
      try other.write(Author()) { try $0.delete(hotel, id: 2) }
      #expect(try history(of: other).last?.text.contains("\"two\"") == true)
    }
  }
}
