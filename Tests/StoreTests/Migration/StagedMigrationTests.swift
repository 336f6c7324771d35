import Foundation
import Glibc
import SQLite
import StoreTesting
import Synchronization
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("Migrations with several stages")
struct StagedMigrationTests {
  static func schema(_ version: String, _ attributes: String...) -> StoreSchema {
    StoreSchema(
      version: version,
      entities: [
        Entity(
          name: "Trip",
          attributes: attributes.map {
            Attribute(name: $0, type: .string, defaultValue: .text("-"))
          }
        )
      ]
    )
  }

  static let one = schema("1", "a")
  static let two = schema("2", "a", "b")
  static let three = schema("3", "b")

  static func fill(_ writer: Writer) throws {
    try writer.insert(0, id: 1, values: [.text("first")])
    try writer.insert(0, id: 2, values: [.text("second")])
  }

  @Test(
    "The working copy has the permissions of the store.",
    arguments: [0o600, 0o640, 0o644] as [mode_t]
  )
  func permissions(_ mode: mode_t) throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("private.store")
      try Store.open(.file(url), schema: Self.one).write(Author(), Self.fill)
      chmod(url.path, mode)
      let migration = try StagedMigration.begin(on: url)
      var status = stat()
      #expect(stat(migration.workingCopy.path, &status) == 0)
      #expect(status.st_mode & 0o777 == mode)
    }
  }

  /// Runs all stages, with code of an application in between.
  static func stages(_ migration: StagedMigration) throws {
    let old = try Store.open(.file(migration.workingCopy), schema: one)
    try old.write(Author(name: "will")) { try $0.delete(0, id: 2) }
    try migration.migrate(to: two, author: Author(name: "m"))
    let between = try Store.open(.file(migration.workingCopy), schema: two)
    try between.write(Author(name: "did")) {
      try $0.update(0, id: 1, columns: [1], values: [.text("from a")])
    }
    try migration.migrate(to: three, author: Author(name: "m"))
  }

  static func files(beside url: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      atPath: url.deletingLastPathComponent().path(percentEncoded: false)
    ).filter { $0.contains("migration") }
  }

  // It runs in another process: root ignores permissions, and a process that gives up root's rights
  // can't get them back.
  @Test("A migration in a folder without the permission to create files names the working copy.")
  func unwritableFolder() async {
    await #expect(processExitsWith: .success) {
      try withTemporaryFolder { folder in
        let url = folder.appendingPathComponent("a.store")
        let owner = getuid()
        if owner == 0 {
          chown(folder.path, 65534, 65534)
          seteuid(65534)
        }
        // The files that SQLite needs beside the store exist while it is open.
        let store = try Store.open(.file(url), schema: Self.one)
        try store.write(Author(), Self.fill)
        chmod(folder.path, 0o555)
        defer {
          chmod(folder.path, 0o755)
          seteuid(owner)
        }
        let error = try withExtendedLifetime(store) {
          try storeError { _ = try StagedMigration.begin(on: url) }
        }
        try #require(error.code == .readOnly)
        try #require(error.message.contains("\(url.path)-migration"))
      }
    }
  }

  @Test("Other programs see all stages at once, when they are committed.")
  func commit() throws {
    try withStoreFile(Self.one, fill: Self.fill) { url in
      let other = try Store.open(.file(url), schema: Self.one)
      let migration = try StagedMigration.begin(on: url)
      try Self.stages(migration)
      #expect(try rows("SELECT a FROM Trip", in: other) == ["first", "second"])
      try migration.commit()
      #expect(try storeError { _ = try rows("SELECT 1", in: other) }.code == .schemaMismatch)
      let store = try Store.open(.file(url), schema: Self.three)
      #expect(try rows("SELECT id, b FROM Trip", in: store) == ["1|from a"])
      #expect(
        try transactions(of: store) == [
          "recorded|1|app|2", "recorded|1|will|1", "migration|2|m|1", "recorded|2|did|1",
          "migration|3|m|0",
        ]
      )
      #expect(store.identifier == other.identifier)
      #expect(try rows("PRAGMA integrity_check", in: store) == ["ok"])
      try store.write(Author()) { try $0.insert(0, id: 3, values: [.text("x")]) }
      #expect(try Self.files(beside: url) == [])
    }
  }

  @Test("The store can't be written during a staged migration, and can after it is abandoned.")
  func abandon() throws {
    try withStoreFile(Self.one, fill: Self.fill) { url in
      let other = try Store.open(
        .file(url),
        schema: Self.one,
        options: Options(busyTimeout: .milliseconds(10))
      )
      let migration = try StagedMigration.begin(on: url)
      #expect(try storeError { try other.write(Author()) { _ in } }.code == .locked)
      try Self.stages(migration)
      migration.abandon()
      migration.abandon()
      try other.write(Author()) { try $0.insert(0, id: 3, values: [.text("third")]) }
      #expect(try names("a", other) == ["first", "second", "third"])
      #expect(try Self.files(beside: url) == [])
      #expect(try storeError { try migration.commit() }.code == .misuse)
    }
  }

  func names(_ column: String, _ store: Store) throws -> [String] {
    try rows("SELECT \(column) FROM Trip ORDER BY id", in: store)
  }

  @Test("A stage that fails leaves the store unchanged.")
  func failingStage() throws {
    try withStoreFile(Self.one, fill: Self.fill) { url in
      do {
        let migration = try StagedMigration.begin(on: url)
        try migration.migrate(to: Self.two, author: Author())
        #expect(
          try storeError { try migration.migrate(to: Self.one, author: Author()) }.code
            == .newerSchema
        )
      }
      let store = try Store.open(.file(url), schema: Self.one)
      #expect(try names("a", store) == ["first", "second"])
      try store.write(Author()) { try $0.delete(0, id: 1) }
      #expect(try Self.files(beside: url) == [])
    }
  }

  @Test("Files of an earlier crash do not hinder a migration.")
  func leftovers() throws {
    try withStoreFile(Self.one, fill: Self.fill) { url in
      let copy = url.path(percentEncoded: false) + "-migration"
      for suffix in ["", "-wal", "-shm"] {
        try Data(repeating: 7, count: 5000).write(to: URL(filePath: copy + suffix))
      }
      try FileManager.default.createDirectory(
        atPath: copy + "-blobs",
        withIntermediateDirectories: true
      )
      let migration = try StagedMigration.begin(on: url)
      try Self.stages(migration)
      try migration.commit()
      #expect(try names("b", Store.open(.file(url), schema: Self.three)) == ["from a"])
      #expect(try Self.files(beside: url) == [])
    }
  }

  @Test("A copy that is smaller than the store leaves no rows of the store behind.")
  func shrinking() throws {
    try withStoreFile(
      Self.one,
      fill: { writer in
        for id in Int64(1)...3000 {
          try writer.insert(0, id: id, values: [.text(String(repeating: "x", count: 300))])
        }
      }
    ) { url in
      let migration = try StagedMigration.begin(on: url)
      let copy = try Connection(
        path: migration.workingCopy.path(percentEncoded: false),
        mode: .readWrite
      )
      try copy.setTriggers(enabled: false)
      try copy.execute("DELETE FROM Trip; DELETE FROM history_change; VACUUM")
      try migration.commit()
      let store = try Store.open(.file(url), schema: Self.one)
      #expect(try rows("SELECT count(*) FROM Trip", in: store) == ["0"])
      #expect(try rows("PRAGMA integrity_check", in: store) == ["ok"])
      let pages = try rows("PRAGMA page_count", in: store)
      #expect(try #require(Int(pages[0])) < 40)
    }
  }

  @Test("Stages can read blob files, and their additions and removals count after the commit.")
  func blobs() throws {
    try withStoreFile(Self.one) { url in
      let folder = URL(filePath: url.path(percentEncoded: false) + "-blobs")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for name in ["kept", "removed"] {
        try Data(name.utf8).write(to: folder.appending(path: name))
      }
      func names() throws -> Set<String> {
        Set(
          try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        )
      }
      for isCommitted in [false, true] {
        let migration = try StagedMigration.begin(on: url)
        let copy = URL(filePath: migration.workingCopy.path(percentEncoded: false) + "-blobs")
        #expect(try Data(contentsOf: copy.appending(path: "kept")) == Data("kept".utf8))
        try FileManager.default.removeItem(at: copy.appending(path: "removed"))
        try Data("added".utf8).write(to: copy.appending(path: "added"))
        #expect(try names() == ["kept", "removed"])
        if isCommitted { try migration.commit() } else { migration.abandon() }
      }
      #expect(try names() == ["kept", "added"])
      #expect(try Data(contentsOf: folder.appending(path: "added")) == Data("added".utf8))
      #expect(try Self.files(beside: url) == [])
    }
  }

  @Test("The blob files of a store are linked beside its working copy, whatever its path is.")
  func linkedBlobs() throws {
    try withTemporaryFolder { folder in
      let store = folder.appending(path: "my trips.store")
      let copy = folder.appending(path: "my trips.store-migration")
      let blobs = folder.appending(path: "my trips.store-blobs")
      try FileManager.default.createDirectory(at: blobs, withIntermediateDirectories: false)
      try Data("value".utf8).write(to: blobs.appending(path: "name"))
      try BlobFolderCopy(from: store, to: copy).make()
      let link = folder.appending(path: "my trips.store-migration-blobs/name")
      #expect(try Data(contentsOf: link) == Data("value".utf8))
    }
  }

  @Test("A staged migration of a store that another program writes to names the store.")
  func locked() throws {
    try withStoreFile(Self.one, fill: Self.fill) { url in
      let path = url.path(percentEncoded: false)
      let other = try Connection(path: path, mode: .readWrite)
      try other.execute("BEGIN IMMEDIATE")
      let error = try storeError {
        _ = try StagedMigration.begin(on: url, options: Options(busyTimeout: .milliseconds(10)))
      }
      #expect(error.code == .locked && error.message.contains(path))
      #expect(try Self.files(beside: url) == [])
      try other.execute("ROLLBACK")
    }
  }

  @Test("A working copy that has become another store does not replace the store.")
  func otherStore() throws {
    try withStoreFile(Self.one, fill: Self.fill) { url in
      let migration = try StagedMigration.begin(on: url)
      try Self.stages(migration)
      let copy = try Connection(path: migration.workingCopy.path, mode: .readWrite)
      try copy.execute("UPDATE store_catalog SET value = 'other' WHERE key = 'identifier'")
      let error = try storeError { try migration.commit() }
      #expect(error.code == .misuse)
      #expect(try names("a", Store.open(.file(url), schema: Self.one)) == ["first", "second"])
      #expect(try Self.files(beside: url) == [])
    }
  }

  @Test("A write just before the copy replaces the store is kept, and the copy is not.")
  func changedMeanwhile() throws {
    try withStoreFile(Self.one, fill: Self.fill) { url in
      let other = try Store.open(.file(url), schema: Self.one)
      let migration = try StagedMigration.begin(on: url)
      try Self.stages(migration)
      let error = try storeError {
        try migration.commit {
          try other.write(Author()) { try $0.insert(0, id: 3, values: [.text("third")]) }
        }
      }
      #expect(error.code == .changedMeanwhile)
      #expect(try names("a", other) == ["first", "second", "third"])
      #expect(try Self.files(beside: url) == [])
      let again = try StagedMigration.begin(on: url)
      try Self.stages(again)
      try again.commit()
      #expect(try names("b", Store.open(.file(url), schema: Self.three)) == ["from a", "-"])
    }
  }

  @Test("A waiting writer writes before or after the migration, and its write is never lost.")
  func race() throws {
    var won = 0
    for _ in 0..<trials(12, long: 200) {
      try withStoreFile(Self.one, fill: Self.fill) { url in
        let other = try Store.open(.file(url), schema: Self.one)
        let migration = try StagedMigration.begin(on: url)
        try Self.stages(migration)
        let writer = WaitingWriter(other)
        usleep(UInt32.random(in: 0...20_000))
        var error: StoreError?
        do { try migration.commit() } catch let failure as StoreError { error = failure }
        if try writer.wasServedFirst() {
          #expect(error?.code == .changedMeanwhile)
          #expect(try names("a", Store.open(.file(url), schema: Self.one)).last == "third")
        } else {
          won += 1
          #expect(error == nil)
          #expect(try names("b", Store.open(.file(url), schema: Self.three)) == ["from a"])
        }
      }
    }
    print("the migration was first in \(won) cases")
  }
}

/// Writes a row on another thread, because waiting for a lock blocks it.
private final class WaitingWriter: Sendable {
  private let result = Mutex<Result<Bool, any Error>?>(nil)
  private let end = DispatchSemaphore(value: 0)

  init(_ store: Store) {
    Thread { [self] in
      let outcome = Result { try Self.write(store) }
      result.withLock { $0 = outcome }
      end.signal()
    }.start()
  }

  /// Whether the write happened before the migration.
  func wasServedFirst() throws -> Bool {
    end.wait()
    return try result.withLock { try #require($0).get() }
  }

  private static func write(_ store: Store) throws -> Bool {
    do {
      try store.write(Author(name: "other")) {
        try $0.insert(0, id: 3, values: [.text("third")])
      }
      return true
    } catch let error as StoreError where error.code == .schemaMismatch {
      return false
    }
  }
}
