import Foundation
import TestSupport
import Testing

/// What somebody may put into a folder of logs that is sent to somebody else.
@Suite("Hostile folders")
struct HostileFolderTests {
  @Test(
    "A file that readers would take for a log is found, and only an erasure refuses the folder."
  )
  func strays() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      let log = try world.files()[1]
      let day = (log as NSString).deletingLastPathComponent
      let lineage = try world.lineage()
      let id = String(repeating: "0", count: 19)
      let copies = [
        log.replacing(".ndjson.gz", with: " (1).ndjson.gz"), day + "/zz.ndjson.gz",
        day + "/_x.ndjson.gz", day + "/\(id)8-\(id)5.ndjson.gz", day + "/5-8.ndjson.gz",
        lineage + "0/date=2026-01-01/\(id)5-\(id)8.ndjson.gz", lineage + "/x/x.ndjson.gz",
      ]
      for copy in copies {
        try world.altered {
          try FileManager.default.createDirectory(
            atPath: (copy as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true
          )
          try FileManager.default.copyItem(atPath: log, toPath: copy)
          let answer = try world.verify("--head", world.head, code: 1)
          #expect(kinds("findings", of: answer) == ["misplaced"])
          let findings = answer["findings"] as? [[String: Any]]
          #expect(findings?.first?["path"] as? String == copy)
          let replica = folder.path + "/\(UUID().uuidString).store"
          for line in [
            ["export", world.store, "--to", world.logs], ["import", world.logs, "--into", replica],
            ["compact", world.logs],
            ["erase", world.logs, "--entity", "Guest", "--id", "3", "--dry-run"],
            ["prune", world.store, "--logs", world.logs, "--keep", "0s", "--dry-run"],
            ["recover", world.store, "--to", world.logs],
          ] {
            let run = try travelog(line)
            #expect(run.code == (line[0] == "erase" ? 4 : 0), "\(line) \(copy): \(run.errors)")
          }
        }
      }
      try FileManager.default.copyItem(atPath: log, toPath: day + "/.hidden.ndjson.gz")
      _ = try world.verify(code: 0)
    }
  }

  @Test(
    "A log in the folder of another day is found, and a store in small letters is not another store."
  )
  func otherPlaces() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      try world.altered {
        let log = try world.files()[1]
        let day = try world.lineage() + "/date=1999-01-01"
        try FileManager.default.createDirectory(atPath: day, withIntermediateDirectories: false)
        try FileManager.default.moveItem(
          atPath: log,
          toPath: day + "/" + (log as NSString).lastPathComponent
        )
        let answer = try world.verify("--head", world.head, code: 1)
        #expect(kinds("findings", of: answer) == ["misplaced"])
        #expect(answer["transactions"] as? Int == 8)
      }
      try world.altered {
        let store = (try world.lineage() as NSString).deletingLastPathComponent
        let name = (store as NSString).lastPathComponent
        let small = world.logs + "/store=" + name.dropFirst(6).lowercased()
        try FileManager.default.copyItem(atPath: store, toPath: small)
        let replica = folder.path + "/replica.store"
        #expect(try travelog(["import", world.logs, "--into", replica]).code == 0)
        try FileManager.default.removeItem(atPath: store)
        #expect(try kinds("findings", of: world.verify(code: 1)).contains("misplaced"))
      }
    }
  }

  @Test(
    "A pipe, a device, a link or an endless file is named as damage, without waiting for it.",
    .timeLimit(.minutes(2))
  )
  func specialFiles() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      let log = try world.files()[1]
      let lineage = try world.lineage()
      let store = (lineage as NSString).deletingLastPathComponent
      let blobs = world.logs + "/blobs"
      let blob =
        try blobs + "/" + #require(FileManager.default.contentsOfDirectory(atPath: blobs).first)
      let makers: [(name: String, make: (String) -> Int32)] = [
        ("a pipe", { mkfifo($0, 0o600) }), ("a symbolic link", { symlink("/dev/zero", $0) }),
        ("a folder", { mkdir($0, 0o700) }),
      ]
      let next = log.replacing(/[0-9]+-[0-9]+\.ndjson/) {
        $0.output.replacing("8", with: "9").replacing("5", with: "9")
      }
      for path in [log, next, blob, store + "/_token.json", lineage + "/_erasures.ndjson"] {
        for (name, make) in makers {
          try world.altered {
            unlink(path)
            #expect(make(path) == 0)
            let run = try travelog("verify", world.logs)
            #expect(run.code == 1, "\(name) \(path): \(run.output)\(run.errors)")
            #expect(run.output.contains((path as NSString).lastPathComponent), "\(run.output)")
            // It ends, however it does.
            for line in [
              ["import", world.logs, "--into", folder.path + "/\(UUID().uuidString).store"],
              ["export", world.store, "--to", world.logs], ["compact", world.logs],
              ["log", world.logs, "--limit", "1"], ["status", world.store, "--logs", world.logs],
            ] { #expect(try travelog(line).code < 128, "\(name) \(path): \(line)") }
          }
        }
      }
      try world.altered {
        #expect(truncate(blob, 1 << 34) == 0)
        _ = try world.verify(code: 1)
        let run = try travelog("import", world.logs, "--into", folder.path + "/large.store")
        #expect(run.code != 0)
      }
      try world.altered {
        #expect(truncate(store + "/_token.json", 1 << 34) == 0)
        _ = try world.verify(code: 1)
      }
      for linked in [lineage, blobs, (log as NSString).deletingLastPathComponent, store] {
        try world.altered {
          try FileManager.default.moveItem(atPath: linked, toPath: folder.path + "/aside")
          #expect(symlink(folder.path + "/aside", linked) == 0)
          let run = try travelog("verify", world.logs)
          #expect(
            run.code == 1 && run.output.contains("a symbolic link"),
            "\(linked): \(run.output)"
          )
          try FileManager.default.removeItem(atPath: folder.path + "/aside")
        }
      }
      #expect(symlink(world.logs, folder.path + "/link") == 0)
      #expect(try travelog("verify", folder.path + "/link").code == 0)
    }
  }

  @Test("A filtered log with a name that readers skip is found.")
  func filtered() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      try travelog("export", world.store, "--to", world.logs, "--redact", "Guest.note=drop")
      let whole = try travelog("verify", world.logs)
      #expect(whole.code == 17 && whole.output.contains("except: the values of 8 changes hidden"))
      let log = try #require(
        FileManager.default.subpathsOfDirectory(atPath: world.logs).first {
          $0.contains("partial=") && $0.hasSuffix(".ndjson.gz")
        }
      )
      let path = world.logs + "/" + log
      let renamed = path.replacing(/([0-9]+)-([0-9]+)\.ndjson/) {
        "\($0.output.2)-\($0.output.1).ndjson"
      }
      try FileManager.default.moveItem(atPath: path, toPath: renamed)
      #expect(try kinds("findings", of: world.verify(code: 1)) == ["misplaced"])
    }
  }
}
