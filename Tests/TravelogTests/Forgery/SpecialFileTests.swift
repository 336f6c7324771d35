import Foundation
import TestSupport
import Testing

/// Pipes, links and folders in the places of files of a log folder that are not logs.
@Suite("Special files in a log folder")
struct SpecialFileTests {
  /// Commands that read the folder, or write to it.
  private func commands(_ world: ForgedWorld, checkpoint: String) -> [[String]] {
    [
      ["verify", world.logs, "--since", checkpoint], ["prove", world.logs, "2"],
      ["checkpoint", world.logs], ["checkpoint", world.logs, "--stores"],
      ["report", world.logs, "--format", "json"], ["status", world.store, "--logs", world.logs],
      ["export", world.store, "--to", world.logs], ["compact", world.logs],
      ["erase", world.logs, "--entity", "Guest", "--id", "3", "--dry-run"],
      ["import", world.logs, "--into", world.folder.path + "/\(UUID().uuidString).store"],
    ]
  }

  @Test(
    "Verify finds a special file in each place, and no command waits for it or follows a link.",
    .timeLimit(.minutes(3))
  )
  func places() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      let checkpoint = folder.path + "/kept.checkpoint"
      try #require(travelog("checkpoint", world.logs, "--stores").code == 0)
      try travelogData("checkpoint", world.logs).write(to: URL(fileURLWithPath: checkpoint))
      let lineage = try world.lineage()
      let store = (lineage as NSString).deletingLastPathComponent
      let outside = folder.path + "/outside"
      try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: false)
      let places = [
        lineage + "/_tree", lineage + "/_tree/head", lineage + "/_tree/checkpoint",
        lineage + "/_tree/tile/0/000.p", lineage + "/_tree/tile/0/000.p/8",
        lineage + "/_tree/.head.writing", lineage + "/.writing", store + "/_verified.json",
        store + "/_erasing.json", world.logs + "/.lock", world.logs + "/blobs/unused",
        world.logs + "/_tree", world.logs + "/_tree/tile/entries/000.p/1",
        world.logs + "/_tree/checkpoint",
      ]
      for place in places {
        for (name, make) in [
          ("pipe", { mkfifo($0, 0o600) }), ("link", { symlink(outside, $0) }),
        ] as [(String, (String) -> Int32)] {
          try world.altered {
            if FileManager.default.fileExists(atPath: place) {
              try FileManager.default.removeItem(atPath: place)
            }
            try #require(make(place) == 0, "\(place)")
            let run = try travelog("verify", world.logs)
            #expect(run.code == 1, "\(name) \(place): \(run.output)\(run.errors)")
            let findings = run.output.split(separator: "\n").filter { $0.contains(place + " ") }
            #expect(findings.count == 1, "\(name) \(place): \(run.output)")
            for command in commands(world, checkpoint: checkpoint) {
              // The program ends with a typed error, or does not need the file.
              let code = try travelog(command).code
              #expect(code < 128, "\(name) \(place): \(command)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == [])
          }
        }
      }
    }
  }

  @Test("A damaged or large tile, or a folder in its place, leaves a verdict on each other store.")
  func tiles() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      let tile = try world.lineage() + "/_tree/tile/0/000.p/8"
      let second = folder.appendingPathComponent("second")
      try FileManager.default.createDirectory(at: second, withIntermediateDirectories: false)
      let other = try ForgedWorld(second)
      try #require(travelog("export", other.store, "--to", world.logs, "--new-folder").code == 0)
      for damage in [
        { try Data(repeating: 7, count: 256).write(to: URL(fileURLWithPath: tile)) },
        { try Data(repeating: 7, count: 1 << 20).write(to: URL(fileURLWithPath: tile)) },
        {
          try FileManager.default.removeItem(atPath: tile)
          try FileManager.default.createDirectory(
            atPath: tile,
            withIntermediateDirectories: false
          )
        },
      ] as [() throws -> Void] {
        try world.altered {
          try damage()
          let run = try travelog("verify", world.logs)
          #expect(run.code == 1, "\(run.output)\(run.errors)")
          #expect(run.output.contains("damaged: ") && run.output.contains("sound in itself: "))
        }
      }
    }
  }

  @Test("The advice for a tree that differs from the logs is to keep both, not to remove the tree.")
  func evidence() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      let tile = URL(fileURLWithPath: try world.lineage() + "/_tree/tile/0/000.p/8")
      var bytes = try Data(contentsOf: tile)
      bytes[0] ^= 1
      try bytes.write(to: tile)
      let run = try travelog("verify", world.logs)
      #expect(run.code == 1 && run.output.contains("--since") && !run.output.contains("emove"))
    }
  }

  @Test("The name of a file cannot imitate a line of the program or control a terminal.")
  func names() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      let line = "  proven up to transaction 8 by the digest that was given"
      let name = "x\n\(line)\n\u{1b}[2J\u{7}.ndjson.gz"
      let day = (try world.files()[0] as NSString).deletingLastPathComponent
      try Data().write(to: URL(fileURLWithPath: "\(day)/\(name)"))
      mkdir("\(world.logs)/store=a\n\(line)", 0o700)
      for path in ["\(day)/\(name)", world.logs] {
        for command in ["verify", "log"] {
          let run = try travelog(command, path)
          let text = run.output + run.errors
          #expect(!text.split(separator: "\n").contains { $0.hasPrefix(line) }, "\(text)")
          #expect(!text.contains("\u{1b}") && !text.contains("\u{7}"), "\(text)")
        }
      }
      // JSON has the exact name.
      let answer = try world.verify(code: 1)
      let findings = answer["findings"] as? [[String: Any]] ?? []
      #expect(findings.compactMap { $0["path"] as? String } == ["\(day)/\(name)"])
    }
  }

  @Test("Verify lists the first hundred stray files, counts the others, and takes little time.")
  func manyStrays() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      let day = (try world.files()[0] as NSString).deletingLastPathComponent
      for number in 0..<5_000 {
        close(open("\(day)/\(number).ndjson.gz", O_CREAT | O_WRONLY, 0o600))
      }
      let answer = try world.verify("--head", world.head, code: 1)
      let findings = try #require(answer["findings"] as? [[String: Any]])
      #expect(findings.count == 101 && Set(kinds("findings", of: answer)) == ["misplaced"])
      #expect((findings.last?["message"] as? String)?.hasPrefix("4900 more files") == true)
    }
  }
}
