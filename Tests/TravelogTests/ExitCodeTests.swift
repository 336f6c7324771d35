import CommandLineKit
import Format
import Foundation
import Glibc
import SQLite
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Exit codes")
struct ExitCodeTests {
  private func withStore(_ body: (URL, String, Store, inout HistoryWorld) throws -> Void) throws {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "exit codes"))
      world.hasLargeValues = false
      let store = try Store.open(
        .file(folder.appendingPathComponent("a.store")),
        schema: worldSchema
      )
      for _ in 0..<12 { try world.write(to: store) }
      try body(folder, store.location.path, store, &world)
    }
  }

  @Test("docs/EXIT_CODES.md has the existing codes with their names and meanings.")
  func document() throws {
    let page = try String(
      contentsOf: packageRoot.appendingPathComponent("docs/EXIT_CODES.md"),
      encoding: .utf8
    )
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
    #expect(
      rows.map(String.init)
        == ExitCode.all.map { "| \($0.number) | `\($0.name)` | \($0.meaning) |" }
    )
  }

  @Test("Exit code 0 is success, 1 findings, 2 a failure, 4 an unreadable file, 5 nothing to do.")
  func common() throws {
    try withStore { folder, path, _, _ in
      let logs = folder.path + "/logs"
      let lines: [(words: [String], code: Int32)] = [
        (["export", path, "--to", logs], 0), (["diff", path + "@3", path], 1),
        (["report", path, "--output", "/proc/none/page.html"], 2), (["log", "/bin/sh"], 4),
        (["export", path, "--to", logs, "--error-if-empty"], 5),
      ]
      for line in lines {
        let run = try travelog(line.words)
        #expect(run.code == line.code, "\(line.words): \(run.errors)")
      }
    }
  }

  @Test("A file or folder that is not a store, or not a log, ends every command with 4.")
  func notAStore() throws {
    try withStore { folder, path, _, _ in
      let logs = folder.path + "/logs"
      try travelog("export", path, "--to", logs)
      let (text, empty) = (folder.path + "/text", folder.path + "/empty")
      let (packed, sub) = (folder.path + "/text.gz", folder.path + "/folder")
      try Data("no store, no log\n".utf8).write(to: URL(fileURLWithPath: text))
      try Data().write(to: URL(fileURLWithPath: empty))
      try run("/usr/bin/env", ["gzip", "-c"], input: Data("no log".utf8)).bytes
        .write(to: URL(fileURLWithPath: packed))
      try FileManager.default.createDirectory(atPath: sub, withIntermediateDirectories: false)
      let into = folder.path + "/new"
      for wrong in [text, empty, packed, sub] {
        var lines = [
          ["export", wrong, "--to", into], ["status", wrong, "--logs", logs], ["check", wrong],
          ["prune", wrong, "--logs", logs], ["recover", wrong, "--to", logs], ["promote", wrong],
          ["undo", wrong, "1"], ["verify", logs, "--against", wrong],
        ]
        if wrong != sub {
          // An empty folder has no logs, which is a different error.
          lines += [
            ["verify", wrong], ["import", wrong, "--into", into], ["log", wrong],
            ["diff", wrong, path], ["blame", wrong, "Guest", "1"], ["report", wrong],
            ["compact", wrong], ["erase", wrong, "--entity", "Guest", "--id", "1"],
            ["export", path, "--to", wrong], ["status", path, "--logs", wrong],
            ["prune", path, "--logs", wrong], ["check", path, "--logs", wrong],
          ]
        }
        for line in lines {
          let run = try travelog(line)
          #expect(run.code == 4, "\(line): \(run.code) \(run.errors)")
        }
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(!names.contains("new"))
    }
  }

  @Test("A command that needs logs fails with 10 in an empty folder, and leaves it empty.")
  func emptyFolder() throws {
    try withStore { folder, path, _, _ in
      let empty = folder.path + "/empty"
      try travelog("export", path, "--to", folder.path + "/logs")
      try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: false)
      for line in [
        ["compact", empty], ["erase", empty, "--entity", "Guest", "--id", "1"],
        ["prune", path, "--logs", empty], ["recover", path, "--to", empty], ["verify", empty],
        ["export", path, "--to", empty], ["status", path, "--logs", empty],
        ["status", path, "--logs", empty + "/none"], ["export", path, "--to", empty + "/none"],
      ] {
        let run = try travelog(line)
        #expect(run.code == 10, "\(line): \(run.code) \(run.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: empty) == [], "\(line)")
      }
      #expect(try travelog("export", path, "--to", empty, "--new-folder").code == 0)
      #expect(try travelog("export", path, "--to", empty, "--new-folder").code == 64)
    }
  }

  @Test("Exit code 10 is a missing file, 11 a lock, 12 deleted history, 64 a wrong command line.")
  func places() throws {
    try withStore { folder, path, _, _ in
      let logs = folder.path + "/logs"
      #expect(try travelog("status", folder.path + "/none", "--logs", logs).code == 10)
      try travelog("export", path, "--to", logs)
      let descriptor = open(logs + "/.lock", O_RDWR)
      #expect(flock(descriptor, LOCK_EX) == 0)
      #expect(try travelog("export", path, "--to", logs).code == 11)
      close(descriptor)
      #expect(try travelog("log", path + "@2001-01-01").code == 12)
      #expect(try travelog("log").code == 64)
    }
  }

  // It runs in another process, because a process that gives up root's rights can't get them back.
  @Test("Exit code 10 is also a file that may not be read, and the advice names its owner.")
  func permission() async {
    await #expect(processExitsWith: .success) {
      try withTemporaryFolder { folder in
        let (path, inside) = (folder.path + "/a.store", folder.path + "/folder")
        let store = try Store.open(.file(URL(fileURLWithPath: path)), schema: worldSchema)
        var world = HistoryWorld(SeededGenerator(for: "may not be read"))
        for _ in 0..<4 { try world.write(to: store) }
        try FileManager.default.createDirectory(atPath: inside, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: path, toPath: inside + "/b.store")
        chmod(folder.path, 0o755)
        chmod(path, 0)
        chmod(inside, 0)
        let owner = geteuid()
        if owner == 0 { seteuid(65534) }
        defer { if owner == 0 { seteuid(owner) } else { chmod(inside, 0o755) } }
        for place in [path, inside + "/b.store"] {
          for line in [
            ["check", place], ["status", place], ["log", place], ["report", place, "--json"],
            ["export", place, "--to", folder.path + "/logs", "--new-folder"], ["adopt", place],
          ] {
            let run = try travelog(line)
            try #require(run.code == 10, "\(line): \(run.code) \(run.errors)")
            try #require(run.errors.contains("Permission denied"), "\(line): \(run.errors)")
            let advice = "Give this user the permission for \(place == path ? path : inside)"
            try #require(run.errors.contains(advice), "\(line): \(run.errors)")
          }
        }
      }
    }
  }

  @Test("Exit code 13 is another schema, 14 a restored store, 15 a replica that others wrote to.")
  func histories() throws {
    try withStore { folder, path, store, world in
      let other = try Store.open(
        .file(folder.appendingPathComponent("other.store")),
        schema: StoreSchema(
          version: "1.0.0",
          entities: [
            Entity(name: "Note", attributes: [Attribute(name: "text", type: .string)])
          ]
        )
      )
      #expect(try travelog("diff", path, other.location.path).code == 13)

      let logs = folder.path + "/logs"
      let older = folder.path + "/older.store"
      let copy = try Connection(path: path, mode: .readWrite)
      try copy.execute("VACUUM INTO '\(older)'")
      // One of ten writes is rolled back.
      for _ in 0..<4 { try world.write(to: store) }
      let guest = try #require(worldSchema.index(of: "Guest"))
      try store.write(Author()) { writer in
        let values = writer.layouts[guest].columns.map { _ in Value.null }
        try writer.insert(guest, id: 5_000, values: values)
      }
      try travelog("export", path, "--to", logs)
      #expect(try travelog("export", older, "--to", logs).code == 14)

      let replica = folder.path + "/replica.store"
      #expect(try travelog("import", logs, "--into", replica).code == 0)
      let foreign = try Connection(path: replica, mode: .readWrite)
      for name in try triggers(of: replica) { try foreign.execute("DROP TRIGGER \"\(name)\"") }
      try foreign.execute("PRAGMA foreign_keys = OFF")
      try foreign.execute("UPDATE Place SET rating = 1234.5")
      try foreign.execute("UPDATE Guest SET note = 'altered'")
      try store.write(Author()) { try $0.delete(guest, id: 5_000) }
      try travelog("export", path, "--to", logs)
      let run = try travelog("import", logs, "--into", replica)
      #expect(run.code == 15, "\(run.errors)")
    }
  }

  @Test("Exit code 16 is a filtered log if a full one is needed.")
  func filtered() throws {
    try withStore { folder, path, _, _ in
      let logs = folder.path + "/logs"
      try travelog("export", path, "--to", logs, "--entity", "Guest")
      let store = try #require(
        try FileManager.default.contentsOfDirectory(atPath: logs).first {
          $0.hasPrefix("store=")
        }
      )
      let name = try #require(
        try FileManager.default.contentsOfDirectory(atPath: "\(logs)/\(store)").first
      )
      let lines = [
        ["import", logs, "--into", folder.path + "/b.store"], ["log", logs], ["diff", path, logs],
        ["diff", path, "\(logs)/\(store)/\(name)"],
      ]
      for line in lines {
        let run = try travelog(line)
        #expect(run.code == 16, "\(line): \(run.code) \(run.errors)")
        #expect(run.errors.contains("filtered"), "\(run.errors)")
      }
      #expect(try travelog("log", "\(logs)/\(store)/\(name)").code == 0)
    }
  }

  private func triggers(of path: String) throws -> [String] {
    let store = try Store.open(
      .file(URL(fileURLWithPath: path)),
      options: Options(isReadOnly: true)
    )
    return try rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'", in: store)
  }

  @Test(
    "Exit codes 130 and 143 are signals that stopped the program, with nothing half done.",
    arguments: [
      ("INT", Int32(130)), ("TERM", 143),
    ]
  )
  func signals(name: String, code: Int32) throws {
    try withStore { folder, path, _, _ in
      let env = try #require(installed("env"))
      let logs = folder.path + "/logs"
      // The signal is sent after the program has installed its handler.
      let run = try run(
        env,
        [
          "--block-signal=\(name)", "/bin/sh", "-c",
          "kill -\(name) $$; exec \"$0\" export \"$1\" --to \"$2\"", products + "/travelog", path,
          logs,
        ],
        environment: ["PATH": "/usr/bin:/bin"]
      )
      #expect(run.code == code, "\(run.errors)")
      #expect(run.errors.contains("nothing is half done"))
      #expect(try travelog("export", path, "--to", logs).code == 0)
      #expect(try travelog("verify", logs, "--against", path).code == 0)
    }
  }
}
