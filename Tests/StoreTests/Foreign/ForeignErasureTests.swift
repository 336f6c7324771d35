import Foundation
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("Foreign deletions in tombstone mode")
struct ForeignErasureTests {
  /// Calls `body` with a new store, a connection that does not overwrite deleted content, and the
  /// folder of the files.
  private func withTombstones(
    _ mode: HistoryMode = .tombstones,
    _ body: (Store, Connection, URL) throws -> Void
  ) throws {
    try withTemporaryFolder { folder in
      let store = try Store.open(
        .file(folder.appendingPathComponent("test.store")),
        schema: foreignSchema,
        options: Options(historyMode: mode)
      )
      let connection = try foreignConnection(to: store)
      try connection.execute("PRAGMA secure_delete = OFF")
      try body(store, connection, folder)
    }
  }

  private func trip(_ name: String, image: Value = .null) -> [Value] {
    [.text(name), .null, image, .null]
  }

  /// The marks `<number>` in the files of a folder.
  private func marks(in folder: URL) throws -> Set<Int> {
    var found: Set<Int> = []
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      // A folder has no content.
      guard let content = try? [UInt8](Data(contentsOf: file)) else { continue }
      for start in content.indices where content[start] == UInt8(ascii: "<") {
        let digits = content[(start + 1)...].prefix(8).prefix { (0x30...0x39).contains($0) }
        guard digits.count == 7, start + 8 < content.count,
          content[start + 8] == UInt8(ascii: ">")
        else { continue }
        found.insert(digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
      }
    }
    return found
  }

  private func mark(_ number: Int) -> String { "<\(number + 1_000_000)>" }

  @Test(
    "No byte of an object that another program deleted is left after sealing.",
    arguments: [
      "DELETE FROM Trip WHERE id < 300",
      "DELETE FROM Trip WHERE id % 2 = 0; DELETE FROM Trip WHERE id < 300",
      "UPDATE Trip SET name = 'other' || id; DELETE FROM Trip WHERE id < 300",
      "UPDATE Trip SET id = id + 1000; DELETE FROM Trip WHERE id < 1300",
      "INSERT OR REPLACE INTO Trip (id, name) SELECT id, 'x' || id FROM Trip WHERE id < 300",
    ]
  )
  func bytes(_ statements: String) throws {
    try withTombstones { store, connection, folder in
      let image = Data(String(repeating: mark(999), count: 30_000).utf8)
      try store.write(Author()) { writer in
        for id in 1..<300 {
          let value: Value = id % 100 == 0 ? .blob(image + Data("\(id)".utf8)) : .null
          try writer.insert(
            Kind.trip,
            id: Int64(id),
            values: trip(String(repeating: mark(id), count: id % 7 * 40 + 1), image: value)
          )
        }
        try writer.insert(Kind.tag, id: 1, values: [.text("kept \(mark(888))")])
      }
      #expect(try marks(in: folder).count == 301)
      try connection.execute(statements)
      #expect(try store.sealForeignChanges())
      #expect(try marks(in: folder) == [1_000_888])
      #expect(try rows("PRAGMA integrity_check", in: store) == ["ok"])
      #expect(try rows("SELECT key FROM store_catalog WHERE key = 'free_space'", in: store).isEmpty)
      // The rebuilt file keeps its settings.
      #expect(try rows("PRAGMA auto_vacuum", in: store) == ["2"])
      try store.write(Author()) { try $0.insert(Kind.tag, id: 2, values: [.text("new")]) }
      try connection.execute("INSERT INTO Tag (word) VALUES ('foreign')")
      #expect(try foreignChanges(of: store).last?.count == 1)
    }
  }

  @Test("A foreign change of an object is erased when the object is deleted, by any program.")
  func changed() throws {
    try withTombstones { store, connection, folder in
      try store.write(Author()) { writer in
        for id in 1..<200 {
          try writer.insert(Kind.trip, id: Int64(id), values: trip("\(mark(id)) and more"))
        }
      }
      try connection.execute("UPDATE Trip SET name = 'short ' || id")
      try seal(store)
      let left = try rows("SELECT value FROM store_catalog WHERE key = 'free_space'", in: store)
      #expect(left == ["values"])
      // History still has the earlier names.
      #expect(try marks(in: folder).count == 199)
      try store.write(Author()) { writer in
        for id in 1..<100 { try writer.delete(Kind.trip, id: Int64(id)) }
      }
      #expect(try marks(in: folder) == Set(1_000_100..<1_000_200))
    }
  }

  @Test("Changes from before tombstone mode are erased too.")
  func formerMode() throws {
    try withTombstones(.full) { store, _, folder in
      try store.write(Author()) { writer in
        for id in 1..<200 {
          try writer.insert(Kind.trip, id: Int64(id), values: trip("\(mark(id)) and more"))
        }
      }
      try store.write(Author()) { writer in
        for id in 1..<200 {
          try writer.update(Kind.trip, id: Int64(id), columns: [0], values: [.text("\(id)")])
        }
      }
      let other = try Store.open(store.location, options: Options(historyMode: .tombstones))
      try other.write(Author()) { writer in
        for id in 1..<200 { try writer.delete(Kind.trip, id: Int64(id)) }
      }
      #expect(try marks(in: folder).isEmpty)
    }
  }

  @Test("The next program rewrites the file if one was stopped before it could.")
  func stopped() throws {
    try withTombstones { store, connection, folder in
      try store.write(Author()) { writer in
        for id in 1..<200 {
          try writer.insert(Kind.trip, id: Int64(id), values: trip("\(mark(id)) and more"))
        }
      }
      try connection.execute("DELETE FROM Trip")
      let other = try foreignConnection(to: store)
      // The note is written in the sealing transaction; here another program is faster.
      let reader = try store.takeReader()
      #expect(try store.sealForeignChanges())
      try other.execute("INSERT INTO store_catalog (key, value) VALUES ('free_space', 'erased')")
      store.giveBack(reader)
      // The log still has the pages that the reader needs.
      #expect(try !marks(in: folder).isEmpty)
      _ = try Store.open(store.location)
      #expect(try marks(in: folder).isEmpty)
      #expect(try rows("SELECT key FROM store_catalog WHERE key = 'free_space'", in: store).isEmpty)
    }
  }

  @Test(
    "After random writes by several programs, sealing leaves no byte of a deleted object.",
    arguments: 1...trials(2, long: 30)
  )
  func random(_ round: Int) throws {
    try withTombstones { store, connection, folder in
      var generator = SeededGenerator(for: "foreign erasure \(round)")
      var marksOf: [Int64: Set<Int>] = [:]
      var gone: Set<Int> = []
      var next = 0
      var nextID: Int64 = 1
      func name(_ id: Int64) -> String {
        next += 1
        marksOf[id, default: []].insert(next + 1_000_000)
        let length = Int.random(in: 0..<10, using: &generator)
        return mark(next) + String(repeating: "x", count: length * length * length * 7)
      }
      for step in 0..<30 {
        let isForeign = Bool.random(using: &generator)
        func write(_ body: ((String, [Value]) throws -> Void) throws -> Void) throws {
          try connection.execute("BEGIN")
          try body { sql, values in
            let statement = try connection.prepare(sql)
            for (index, value) in values.enumerated() {
              try statement.bind(Int32(index) + 1, value)
            }
            try statement.run()
          }
          try connection.execute("COMMIT")
        }
        let ids = marksOf.keys.sorted()
        let changed = ids.filter { _ in Int.random(in: 0..<6, using: &generator) == 0 }
        let deleted = ids.filter { _ in Int.random(in: 0..<8, using: &generator) == 0 }
        let new = (0..<Int.random(in: 0..<30, using: &generator)).map { nextID + Int64($0) }
        nextID += Int64(new.count)
        if isForeign {
          try write { run in
            for id in new {
              try run("INSERT INTO Trip (id, name) VALUES (?, ?)", [.integer(id), .text(name(id))])
            }
            for id in changed {
              try run("UPDATE Trip SET name = ?2 WHERE id = ?1", [.integer(id), .text(name(id))])
            }
            for id in deleted { try run("DELETE FROM Trip WHERE id = ?", [.integer(id)]) }
          }
          #expect(try store.sealForeignChanges())
        } else {
          try store.write(Author()) { writer in
            for id in new { try writer.insert(Kind.trip, id: id, values: trip(name(id))) }
            for id in changed {
              try writer.update(Kind.trip, id: id, columns: [0], values: [.text(name(id))])
            }
            for id in deleted { try writer.delete(Kind.trip, id: id) }
          }
        }
        for id in deleted { gone.formUnion(marksOf.removeValue(forKey: id) ?? []) }
        guard !deleted.isEmpty else { continue }
        let left = try marks(in: folder).intersection(gone)
        #expect(left.isEmpty, "step \(step) of round \(round), \(left.count) are left")
      }
      #expect(try rows("PRAGMA integrity_check", in: store) == ["ok"])
      #expect(!gone.isEmpty && !marksOf.isEmpty)
    }
  }
}
