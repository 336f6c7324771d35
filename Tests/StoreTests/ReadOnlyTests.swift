import Format
import Foundation
import Glibc
import SQLite
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Read-only stores")
struct ReadOnlyTests {
  private func names(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test("Reading creates no files and changes no byte.")
  func tidy() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("test.store")
      try Store.open(.file(url), schema: sampleSchema).write(Author()) {
        try $0.insert(tag, id: 1, values: [.text("t")])
      }
      let before = try Data(contentsOf: url)
      #expect(try self.names(folder) == ["test.store"])
      do {
        var newer = sampleSchema
        newer.version = "9"
        let store = try Store.open(
          .file(url),
          schema: newer,
          options: Options(isReadOnly: true)
        )
        #expect(try rows("SELECT word FROM Tag", in: store) == ["t"])
        let error = #expect(throws: StoreError.self) { try store.write(Author()) { _ in } }
        #expect(error?.code == .readOnly)
        let refusal = #expect(throws: StoreError.self) {
          try store.read { try $0.connection.execute("DELETE FROM Tag") }
        }
        #expect(refusal?.code == .readOnly)
      }
      #expect(try self.names(folder) == ["test.store"])
      #expect(try Data(contentsOf: url) == before)
    }
  }

  @Test("The log of another program is read and not changed.")
  func leftLog() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("test.store")
      let copy = folder.appendingPathComponent("copy.store")
      let store = try Store.open(.file(url), schema: sampleSchema)
      try store.write(Author()) { try $0.insert(tag, id: 1, values: [.text("t")]) }
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(
          atPath: url.path + suffix,
          toPath: copy.path + suffix
        )
      }
      let log = try Data(contentsOf: URL(fileURLWithPath: copy.path + "-wal"))
      #expect(!log.isEmpty)
      do {
        let reading = try Store.open(.file(copy), options: Options(isReadOnly: true))
        #expect(try rows("SELECT word FROM Tag", in: reading) == ["t"])
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: copy.path + "-wal")) == log)
    }
  }

  @Test("A reader sees the changes of a writer elsewhere in the program.")
  func besideWriter() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("test.store")
      let writing = try Store.open(.file(url), schema: sampleSchema)
      let reading = try Store.open(.file(url), options: Options(isReadOnly: true))
      try writing.write(Author()) { try $0.insert(tag, id: 1, values: [.text("t")]) }
      #expect(try rows("SELECT word FROM Tag", in: reading) == ["t"])
    }
  }

  // It runs in another process: root ignores permissions, and a process that gives up root's rights
  // can't get them back.
  @Test("A file or folder that can't be written gives a typed error, and is readable.")
  func permissions() async {
    await #expect(processExitsWith: .success) {
      try withTemporaryFolder { folder in
        let url = folder.appendingPathComponent("test.store")
        try Store.open(.file(url), schema: sampleSchema).write(Author()) {
          try $0.insert(tag, id: 1, values: [.text("t")])
        }
        let owner = getuid()
        if owner == 0 {
          chown(folder.path, 65534, 65534)
          chown(url.path, 65534, 65534)
          seteuid(65534)
        }
        defer {
          seteuid(owner)
          chmod(folder.path, 0o755)
        }
        for (file, place) in [(0o444, 0o755), (0o644, 0o555), (0o444, 0o555)] as [(mode_t, mode_t)]
        {
          chmod(folder.path, 0o755)
          chmod(url.path, file)
          chmod(folder.path, place)
          let error = #expect(throws: StoreError.self) {
            try Store.open(.file(url), schema: sampleSchema)
          }
          try #require(error?.code == .readOnly)
          let store = try Store.open(.file(url), options: Options(isReadOnly: true))
          try #require(try rows("SELECT word FROM Tag", in: store) == ["t"])
          let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
          try #require(names == ["test.store"])
          let new = folder.appendingPathComponent("new.store")
          if place == 0o555 {
            let refused = #expect(throws: StoreError.self) {
              try Store.open(.file(new), schema: sampleSchema)
            }
            try #require(refused != nil)
          }
        }
      }
    }
  }

  @Test("Reading a file without a lock ends with an error if a program writes to it meanwhile.")
  func changedWhileRead() async {
    await #expect(processExitsWith: .success) {
      try withTemporaryFolder { folder in
        let url = folder.appendingPathComponent("test.store")
        func insert(_ id: Int64) throws {
          try Store.open(.file(url), schema: sampleSchema).write(Author()) {
            try $0.insert(tag, id: id, values: [.text("t\(id)")])
          }
        }
        try insert(1)
        let owner = getuid()
        // Root can write to any file.
        if owner == 0 {
          chmod(folder.path, 0o755)
          chmod(url.path, 0o644)
          seteuid(65534)
        } else {
          chmod(url.path, 0o444)
        }
        let store = try Store.open(.file(url), options: Options(isReadOnly: true))
        try #require(try rows("SELECT count(*) FROM Tag", in: store) == ["1"])
        if owner == 0 { seteuid(0) } else { chmod(url.path, 0o644) }
        try insert(2)
        let error = #expect(throws: StoreError.self) {
          try rows("SELECT count(*) FROM Tag", in: store)
        }
        try #require(error?.code == .locked)
      }
    }
  }

  @Test("The half-written store of a killed import is refused if it can't be rolled back.")
  func halfWritten() async {
    await #expect(processExitsWith: .success) {
      try withTemporaryFolder { folder in
        let url = folder.appendingPathComponent("test.store")
        let copy = folder.appendingPathComponent("copy.store")
        try Store.open(.file(url), schema: sampleSchema).write(Author()) { writer in
          for id in Int64(1)...2_000 {
            let word = String(repeating: "old", count: 100) + "\(id)"
            try writer.insert(tag, id: id, values: [.text(word)])
          }
        }
        let connection = try Connection(path: url.path, mode: .readWrite)
        try connection.execute("PRAGMA journal_mode = TRUNCATE; PRAGMA cache_size = 1; BEGIN")
        try connection.execute("UPDATE Tag SET word = 'new' || id")
        for suffix in ["", "-journal"] {
          try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
        }
        let bytes = try Data(contentsOf: copy)
        try #require(bytes.range(of: Data("new".utf8)) != nil)
        let owner = getuid()
        for suffix in ["", "-journal"] { chmod(copy.path + suffix, 0o444) }
        chmod(folder.path, 0o555)
        if owner == 0 { seteuid(65534) }
        defer {
          seteuid(owner)
          chmod(folder.path, 0o755)
        }
        #expect(throws: StoreError.self) {
          try Store.open(.file(copy), options: Options(isReadOnly: true))
        }
      }
    }
  }
}
