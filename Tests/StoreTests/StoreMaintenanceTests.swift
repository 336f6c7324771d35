import Foundation
import Glibc
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Changes
@testable import Store

@Suite("Maintenance of a store")
struct StoreMaintenanceTests {
  private func addTags(_ ids: ClosedRange<Int64>, to store: Store) throws {
    for id in ids {
      try store.write(Author()) { try $0.insert(tag, id: id, values: [.text("\(id)")]) }
    }
  }

  private func withFile(_ body: (URL) throws -> Void) throws {
    try withTemporaryFolder { try body($0.appendingPathComponent("test.store")) }
  }

  @Test(
    "Deleting history frees pages only in a store that can free them in steps.",
    .timeLimit(.minutes(1)),
    arguments: [false, true]
  )
  func freePages(canFree: Bool) throws {
    try withFile { url in
      let store = try Store.open(.file(url), schema: sampleSchema)
      if !canFree {
        try Connection(path: url.path, mode: .readWrite).execute(
          "PRAGMA auto_vacuum = NONE; VACUUM"
        )
      }
      let mode = try rows("PRAGMA auto_vacuum", in: store)
      #expect(mode == [canFree ? "2" : "0"])
      try store.write(Author()) { writer in
        for id in 1...3_000 as ClosedRange<Int64> {
          try writer.insert(tag, id: id, values: [.text("a word of a tag \(id)")])
        }
      }
      try addTags(3_001...3_001, to: store)
      #expect(try store.deleteHistory([1...1]) == 1)
      let left = try rows("PRAGMA freelist_count", in: store)
      #expect((left == ["0"]) == canFree, "\(left)")
    }
  }

  @Test("Transactions before a time are deleted, up to the first one that is not older.")
  func deletionByTime() throws {
    // The fourth transaction is older, because the clock was set back.
    let times = [10, 20, 30, 15, 40]
    for (second, count) in [(10, 0), (11, 1), (20, 1), (21, 2), (30, 2), (31, 4), (40, 4), (41, 5)]
    {
      try withStore(.memory) { store, _ in
        #expect(try store.deleteHistory(before: Date(timeIntervalSince1970: 60)) == 0)
        try addTags(1...5, to: store)
        try store.inTransaction { _, connection in
          for (index, time) in times.enumerated() {
            try connection.run(
              "UPDATE history_transaction SET time = ?2 WHERE id = ?1",
              values: [.integer(Int64(index) + 1), .text("1970-01-01T00:00:\(time).000000Z")]
            )
          }
        }
        let limit = Date(timeIntervalSince1970: Double(second))
        #expect(try store.deleteHistory(before: limit) == Int64(count), "\(second)")
        let left = try rows("SELECT id FROM history_transaction", in: store)
        #expect(left == ((count + 1)..<6).map { "\($0)" })
      }
    }
  }

  @Test(
    "The dry run of an undo throws the conflicts that the undo would have, and changes nothing."
  )
  func checkUndo() throws {
    try withStore(.memory) { store, _ in
      try store.save { try $0.person(1).insert(name: "Ada") }
      try store.save { try $0.trip(1).insert(name: "a", leader: 1) }
      try store.save { try $0.trip(1).set(name: "b") }
      let before = try (rowDump(of: store), history(of: store))
      try store.checkUndo(3...3)
      try store.checkUndo(2...3)
      for range in [1...1, 2...2, 1...2] as [ClosedRange<Int64>] {
        let dry = try storeError { try store.checkUndo(range) }
        let real = try storeError { try store.undo(range, author: Author()) }
        #expect(dry.code == .undoConflict && !dry.undoConflicts.isEmpty)
        #expect(dry.message == real.message)
      }
      #expect(try rowDump(of: store) == before.0)
      #expect(try history(of: store) == before.1)
    }
  }

  @Test("A copy contains an altered large value as it is, also if it can't be a hard link.")
  func copyOfAlteredValue() throws {
    let schema = StoreSchema(
      version: "1",
      entities: [
        Entity(
          name: "Photo",
          attributes: [Attribute(name: "image", type: .data, isExternal: true)]
        )
      ]
    )
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("a.store")
      let copy = folder.appendingPathComponent("b.store")
      let store = try Store.open(.file(url), schema: schema)
      let values = [UInt8(1), 2].map { Data(repeating: $0, count: 200_000) }
      let names = values.map { SHA256.digest(of: Array($0)).description }
      try store.write(Author()) { writer in
        for (index, value) in values.enumerated() {
          try writer.insert(0, id: Int64(index) + 1, values: [.blob(value)])
        }
      }
      let altered = Data("altered".utf8)
      try altered.write(to: URL(fileURLWithPath: url.path + "-blobs/" + names[0]))
      let unnamed = url.path + "-blobs/notes"
      try altered.write(to: URL(fileURLWithPath: unnamed))
      // A hard link can't replace this symbolic link, which leads to no file.
      mkdir(copy.path + "-blobs", 0o700)
      symlink("nowhere", copy.path + "-blobs/" + names[0])
      try store.copy(to: copy)
      let found = try FileManager.default.contentsOfDirectory(atPath: copy.path + "-blobs")
      #expect(found.sorted() == names.sorted())
      for (name, value) in zip(names, [altered, values[1]]) {
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy.path + "-blobs/" + name)) == value)
      }
    }
  }

  @Test("A copy of a store without large values has no folder for them.")
  func copyWithoutValues() throws {
    try withTemporaryFolder { folder in
      let store = try Store.open(
        .file(folder.appendingPathComponent("a.store")),
        schema: sampleSchema
      )
      try addTags(1...1, to: store)
      let copy = folder.appendingPathComponent("b.store")
      try store.copy(to: copy)
      #expect(access(copy.path + "-blobs", F_OK) != 0)
      #expect(try rows("SELECT word FROM Tag", in: Store.open(.file(copy))) == ["1"])
    }
  }

  @Test(
    "A program that reads with a rollback journal prevents the opening only until the timeout.",
    .timeLimit(.minutes(1))
  )
  func writeAheadLog() throws {
    try withFile { url in
      try Store.open(.file(url), schema: sampleSchema).write(Author()) { _ in }
      let other = try Connection(path: url.path, mode: .readWrite)
      try other.execute("PRAGMA journal_mode = DELETE; BEGIN")
      _ = try other.integer("SELECT count(*) FROM Tag")
      for milliseconds in [0, 50] {
        let start = ContinuousClock.now
        let error = try storeError {
          _ = try Store.open(
            .file(url),
            schema: sampleSchema,
            options: Options(busyTimeout: .milliseconds(milliseconds))
          )
        }
        #expect(error.code == .locked)
        #expect(ContinuousClock.now - start >= .milliseconds(milliseconds))
      }
      try other.execute("COMMIT")
      _ = try Store.open(.file(url), schema: sampleSchema)
    }
  }

  // It runs in another process: root ignores permissions, and a process that gives up root's rights
  // can't get them back.
  @Test("An empty file that can't be written is not a store whose creation can continue.")
  func unwritableUnmade() async {
    await #expect(processExitsWith: .success) {
      try withTemporaryFolder { folder in
        let url = folder.appendingPathComponent("a.store")
        try #require(try Store.isUnmade(url))
        try Data().write(to: url)
        chmod(folder.path, 0o755)
        chmod(url.path, 0o666)
        let owner = getuid()
        if owner == 0 { setreuid(65534, owner) }
        defer { setreuid(owner, owner) }
        try #require(try Store.isUnmade(url))
        chmod(url.path, 0o444)
        try #require(try !Store.isUnmade(url))
      }
    }
  }

  @Test("An export is remembered by its filter, until the store gets a new identifier.")
  func exports() throws {
    try withStore(.memory) { store, _ in
      func remembered(_ filter: String?) throws -> Bool {
        try store.read { try $0.remembersExport(filter: filter) }
      }
      #expect(try !remembered(nil) && !remembered("a"))
      try store.rememberExport(filter: "a")
      #expect(try !remembered(nil) && remembered("a") && !remembered("b"))
      try store.rememberExport(filter: nil)
      #expect(try remembered(nil) && remembered("a") && !remembered("b"))
      try store.inTransaction { try Store.forgetExports(on: $1) }
      #expect(try !remembered(nil) && !remembered("a"))
      #expect(
        try rows("SELECT count(*) FROM store_catalog WHERE key = 'schema'", in: store) == ["1"]
      )
    }
  }

  @Test("A reader gets a companion if the store is a file, and none if it is in memory.")
  func companions() throws {
    for place in Place.allCases {
      try withStore(place) { store, _ in
        try addTags(1...1, to: store)
        let reader = try store.takeReaderWithCompanion()
        #expect((reader.companion != nil) == (place == .file))
        #expect(reader.companion !== reader)
        store.giveBack(reader)
        #expect(reader.companion == nil)
      }
    }
  }

  @Test("Foreign changes are not sealed during a write, also if its transaction has ended.")
  func sealingDuringWrite() throws {
    try withForeignStore(schema: sampleSchema) { store, other in
      try other.execute("INSERT INTO Tag (id, word) VALUES (1, 'a')")
      try store.inTransaction { _, connection in
        #expect(try !store.sealForeignChanges())
        connection.rollBack()
        #expect(try !store.sealForeignChanges())
        try connection.execute("BEGIN IMMEDIATE")
      }
      let connection = try #require(store.writerConnection)
      try connection.execute("BEGIN")
      #expect(try !store.sealForeignChanges())
      try connection.execute("ROLLBACK")
      #expect(try rows("SELECT count(*) FROM history_transaction", in: store) == ["0"])
      #expect(try store.sealForeignChanges())
      #expect(try rows("SELECT op FROM history_transaction", in: store) == ["foreign"])
      #expect(try store.sealForeignChanges())
      #expect(try rows("SELECT count(*) FROM history_transaction", in: store) == ["1"])
    }
  }

  @Test("A reader that outlives its store does not show changes that are not sealed.")
  func outlivingReader() throws {
    try withFile { url in
      func lentReader() throws -> Reader {
        let store = try Store.open(.file(url), schema: sampleSchema)
        try foreignConnection(to: store).execute("INSERT INTO Tag (id, word) VALUES (1, 'a')")
        return try store.takeReader()
      }
      let reader = try lentReader()
      #expect(try reader.hasUnshownChanges())
    }
  }
}
