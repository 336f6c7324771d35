import Foundation
import PipelineTesting
import SQLite
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("The travelog program")
struct ProgramTests {
  private func withStore(
    _ test: String = #function,
    _ body: (URL, Store, inout HistoryWorld) throws -> Void
  ) throws {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "program, \(test)"))
      world.hasLargeValues = false
      let store = try Store.open(
        .file(folder.appendingPathComponent("a.store")),
        schema: worldSchema
      )
      for _ in 0..<20 { try world.write(to: store) }
      try body(folder, store, &world)
    }
  }

  @Test("Export, import and verify print nothing for cron, and the replica equals the store.")
  func thread() throws {
    try withStore { folder, store, world in
      let logs = folder.path + "/logs"
      let copy = folder.path + "/copy.store"
      for _ in 0..<2 {
        let export = try travelog("export", store.location.path, "--to", logs)
        #expect(export.code == 0)
        #expect(export.output + export.errors == "")
        let imported = try travelog("import", logs, "--into", copy)
        #expect(imported.code == 0)
        #expect(imported.output + imported.errors == "")
        let replica = try Store.open(
          .file(URL(fileURLWithPath: copy)),
          options: Options(isReadOnly: true)
        )
        #expect(try rowDump(of: replica) == rowDump(of: store))
        #expect(try lines(of: replica) == lines(of: store))
        try world.write(to: store)
      }
      let verified = try travelog("verify", logs)
      #expect(verified.code == 0)
      #expect(verified.output.contains("the token confirms that no later log is missing"))
    }
  }

  @Test("A damaged log makes verify end with 1 and name file, line and transaction.")
  func damage() throws {
    try withStore { folder, store, _ in
      let logs = folder.path + "/logs"
      try travelog("export", store.location.path, "--to", logs)
      let name = try #require(
        FileManager.default.subpathsOfDirectory(atPath: logs).first { $0.hasSuffix(".gz") }
      )
      let url = URL(fileURLWithPath: logs + "/" + name)
      let bytes = try Data(contentsOf: url)
      try bytes.dropLast(10).write(to: url)
      let run = try travelog("verify", logs)
      #expect(run.code == 1)
      #expect(run.output.contains(name))
      let answer = try travelog("verify", logs, "--json")
      #expect(answer.code == 1)
      let object = try #require(
        JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any]
      )
      #expect(object["is_sound"] as? Bool == false)
      #expect((object["findings"] as? [Any])?.isEmpty == false)
    }
  }

  @Test("An import to an earlier point ends with 64, from a folder, files and a stream.")
  func pastPoint() throws {
    try withStore { folder, store, _ in
      let (logs, copy) = (folder.path + "/logs", folder.path + "/copy.store")
      try exportApart(store, to: logs)
      try travelog("import", logs, "--into", copy)
      let files = try FileManager.default.subpathsOfDirectory(atPath: logs)
        .filter { $0.hasSuffix(".gz") }.sorted().map { logs + "/" + $0 }
      let token = try #require(
        FileManager.default.subpathsOfDirectory(atPath: logs).first { $0.hasSuffix("_token.json") }
      )
      let nothing = try travelog(
        ["export", store.location.path, "--to", "-", "--token", logs + "/" + token]
      ).bytes
      let whole = try Data(contentsOf: URL(fileURLWithPath: files[0]))
      for (sources, input) in [
        ([logs], nil), (files, nil), ([files[0]], nil), (["-"], whole), (["-"], nothing),
      ] as [([String], Data?)] {
        for until in ["1", "2000-01-01"] {
          let words = ["import", "--into", copy, "--until", until] + sources
          for words in [words, words + ["--dry-run"]] {
            let run = try travelog(words, input: input)
            #expect(run.code == 64, "\(words): \(run.errors)")
            #expect(run.errors.contains("--into new.store --until"), "\(run.errors)")
          }
        }
      }
    }
  }

  /// The findings of verify for logs as files or through a pipe.
  private func verify(
    _ words: [String],
    _ folder: URL,
    input: Data? = nil
  ) throws -> (Run, [[String: Any]]) {
    let run = try travelog(["verify", "--json"] + words, input: input)
    let said = (run.output + run.errors).replacing(folder.path, with: "")
    #expect(!said.contains("/travelog-"), "\(said)")
    let lines = try run.output.split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    return (run, lines.flatMap { $0["findings"] as? [[String: Any]] ?? [] })
  }

  @Test("Damage in files and pipes is found as in a folder, with the given names.")
  func damageElsewhere() throws {
    try withStore { folder, store, _ in
      let logs = folder.path + "/logs"
      try exportApart(store, to: logs)
      let files = try FileManager.default.subpathsOfDirectory(atPath: logs)
        .filter { $0.hasSuffix(".gz") }.sorted().map { logs + "/" + $0 }
      let text = try PipelineTesting.gunzip(files[0])
      let transaction = try #require(text.split(separator: "\n").dropLast().last).utf8.count
      let trailer = try #require(text.split(separator: "\n").last).utf8.count
      let cut = Data(text.utf8).dropLast(trailer + 1)
      let packed = try Data(contentsOf: URL(fileURLWithPath: files[0]))
      var flipped = packed
      flipped[packed.count / 2] ^= 0x10
      let path = folder.path + "/damaged.gz"
      // The closing line of its only transaction, with another author.
      let altered = Data(text.utf8).dropLast(trailer + transaction + 2)
      for (bytes, kind) in [
        (try compressed(cut), "incomplete"), (flipped, "damaged"),
        (packed.dropLast(8), "incomplete"), (try compressed(altered), "incomplete"),
      ] {
        try bytes.write(to: URL(fileURLWithPath: path))
        let (run, findings) = try verify([path], folder)
        #expect(run.code == 1, "\(run.errors)")
        #expect(findings.map { $0["kind"] as? String } == [kind], "\(findings)")
        #expect(findings[0]["path"] as? String == path)
        #expect((findings[0]["message"] as? String)?.contains(path) == true)
        let (piped, same) = try verify(["-"], folder, input: bytes)
        #expect(piped.code == 1, "\(piped.errors)")
        #expect(same.map { $0["kind"] as? String } == [kind], "\(same)")
        #expect((same[0]["message"] as? String)?.contains("standard input") == true, "\(same)")
        let others = [path] + files[1...]
        #expect(try verify(others, folder).0.code == 1)
        #expect(try travelog(["import", "--into", folder.path + "/x"] + others).code == 4)
      }
      // Each log is intact by itself; the gap between them is reported with their names.
      let (run, gaps) = try verify([files[0], files[2]], folder)
      #expect(run.code == 1 && gaps.map { $0["path"] as? String } == [files[2]])
      let copy = folder.path + "/copy.store"
      let error = try travelog("import", files[0], files[2], "--into", copy)
      #expect(error.code == 10 && error.errors.contains(files[2]), "\(error.errors)")
    }
  }

  private func compressed(_ text: Data) throws -> Data {
    try run("/usr/bin/env", ["gzip", "-c"], input: text).bytes
  }

  @Test(
    "A run continues with other stores if one is missing, and ends with its code."
  )
  func severalStores() throws {
    try withStore { folder, store, _ in
      let logs = folder.path + "/logs"
      let run = try travelog(
        "export",
        folder.path + "/nowhere.store",
        store.location.path,
        folder.path + "/nothing.store",
        "--to",
        logs
      )
      #expect(run.code == 10)
      #expect(run.errors.contains("nowhere.store") && run.errors.contains("nothing.store"))
      #expect(try travelog("verify", logs, "--against", store.location.path).code == 0)
    }
  }

  @Test("With --json, the error of each store that can't be exported is a line of JSON.")
  func severalErrors() throws {
    try withStore { folder, store, _ in
      let names = ["nowhere.store", "nothing.store", "none.store"]
      let run = try travelog(
        ["export", "--json", "--to", folder.path + "/logs", store.location.path]
          + names.map { folder.path + "/" + $0 }
      )
      #expect(run.code == 10)
      let errors = try run.errors.split(separator: "\n").map {
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      }
      #expect(errors.map { $0?["type"] as? String } == ["error", "error", "error"])
      #expect(errors.map { $0?["code"] as? Int } == [10, 10, 10])
      for name in names {
        #expect(errors.contains { ($0?["message"] as? String)?.contains(name) == true })
      }
    }
  }

  @Test(
    "The error of a folder inside a log folder names the log folder, unless it can be read."
  )
  func parts() throws {
    try withStore { folder, store, _ in
      let logs = folder.path + "/logs"
      let path = store.location.path
      try travelog("export", path, "--to", logs)
      try travelog("export", path, "--to", logs, "--author", "app")
      let whole = logs + "/store=" + store.identifier
      let names = try FileManager.default.contentsOfDirectory(atPath: whole)
      let partial = try #require(names.first { $0.hasPrefix("partial=") })
      let day = try #require(
        FileManager.default.contentsOfDirectory(atPath: whole + "/lineage=0").first {
          $0.hasPrefix("date=")
        }
      )
      let parts = [
        (whole, Int32(0)), (whole + "/lineage=0", 0), (whole + "/lineage=0/" + day, 10),
        (whole + "/" + partial, 16),
      ]
      for (part, code) in parts {
        let replayed = try travelog("import", part, "--into", folder.path + "/copy.store")
        #expect(replayed.code == code)
        let verified = try travelog("verify", part)
        #expect(verified.code == 10)
        for run in [replayed, verified] where run.code != 0 {
          #expect(run.errors.contains("\(part) ") && run.errors.contains("\(logs)"))
        }
      }
      let none = try travelog("import", whole + "/lineage=3", "--into", folder.path + "/x.store")
      #expect(none.code == 10)
    }
  }

  @Test("An empty pipe is a failure, and a stream without new transactions is not.")
  func emptyPipe() throws {
    try withStore { folder, store, _ in
      let copy = folder.path + "/copy.store"
      for words in [["import", "-", "--into", copy], ["verify", "-"]] {
        let run = try travelog(words)
        #expect(run.code == 10)
        #expect(run.errors.contains("Standard input was empty"), "\(run.errors)")
      }
      let token = folder.path + "/token.json"
      let export = ["export", store.location.path, "--to", "-", "--token", token]
      let first = try travelog(export).bytes
      let second = try travelog(export).bytes
      #expect(try gunzip(bytes: second, folder) == "")
      #expect(try travelog(["import", "-", "--into", copy], input: second).code == 0)
      #expect(!FileManager.default.fileExists(atPath: copy))
      for stream in [second + first, first + second] {
        #expect(try travelog(["import", "-", "--into", copy], input: stream).code == 0)
        #expect(try travelog(["verify", "-"], input: stream).code == 0)
      }
      let replica = try Store.open(.file(URL(fileURLWithPath: copy)))
      #expect(try rowDump(of: replica) == rowDump(of: store))
    }
  }

  private func gunzip(bytes: Data, _ folder: URL) throws -> String {
    let file = folder.appendingPathComponent("bytes")
    try bytes.write(to: file)
    return try PipelineTesting.gunzip(file.path)
  }

  @Test("A second program in the folder gets the name of the first.")
  func lock() throws {
    try withStore { folder, store, _ in
      let logs = folder.path + "/logs"
      try travelog("export", store.location.path, "--to", logs)
      let descriptor = open(logs + "/.lock", O_RDWR)
      defer { close(descriptor) }
      #expect(flock(descriptor, LOCK_EX) == 0)
      let run = try travelog("export", store.location.path, "--to", logs)
      #expect(run.code == 11)
      #expect(run.errors.contains("travelog export, process"))
      let waiting = try travelog(
        "export",
        store.location.path,
        "--to",
        logs,
        "--lock-wait",
        "200ms",
        "--json"
      )
      #expect(waiting.code == 11)
      #expect(waiting.errors.contains(#""name":"locked""#))
      #expect(flock(descriptor, LOCK_UN) == 0)
      #expect(try travelog("export", store.location.path, "--to", logs).code == 0)
    }
  }

  @Test("check finds changes that bypassed history, records them, and then finds nothing.")
  func check() throws {
    try withStore { folder, store, _ in
      let path = store.location.path
      #expect(try travelog("check", path).output.hasPrefix("ok: "))
      let triggers = try rows(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger'",
        in: store
      )
      let connection = try Connection(path: path, mode: .readWrite)
      for name in triggers { try connection.execute("DROP TRIGGER \"\(name)\"") }
      try connection.execute("UPDATE Place SET rating = 77.5")
      let found = try travelog("check", path)
      #expect(found.code == 1)
      #expect(found.output.contains("structure: "))
      #expect(found.output.contains("row: "))
      #expect(try travelog("check", path, "--record").code == 1)
      #expect(try travelog("check", path).code == 0)
      try travelog("export", path, "--to", folder.path + "/logs")
      #expect(
        try travelog("verify", folder.path + "/logs", "--against", path, "--allow-unproven").code
          == 0
      )
    }
  }

  @Test("Logs pass through a pipe, and files are accepted in any order.")
  func streams() throws {
    try withStore { folder, store, world in
      let copy = folder.path + "/copy.store"
      let token = folder.path + "/token.json"
      for _ in 0..<2 {
        let export = try travelogData("export", store.location.path, "--to", "-", "--token", token)
        let run = try travelog("import", "-", "--into", copy, input: export)
        #expect(run.code == 0, "\(run.errors)")
        let replica = try Store.open(.file(URL(fileURLWithPath: copy)))
        #expect(try rowDump(of: replica) == rowDump(of: store))
        try world.write(to: store)
      }
      let logs = folder.path + "/logs"
      try exportApart(store, to: logs)
      let files = try FileManager.default.subpathsOfDirectory(atPath: logs)
        .filter { $0.hasSuffix(".gz") }.map { logs + "/" + $0 }.shuffled()
      #expect(files.count > 3)
      let second = folder.path + "/second.store"
      let run = try travelog(["import"] + files + ["--into", second])
      #expect(run.code == 0, "\(run.errors)")
      let replica = try Store.open(.file(URL(fileURLWithPath: second)))
      #expect(try rowDump(of: replica) == rowDump(of: store))
      let broken = try travelogData("export", store.location.path, "--to", "-").dropLast(40)
      #expect(try travelog("import", "-", "--into", "x", input: Data(broken)).code == 4)
      #expect(try travelog("import", "-", "--into", "x", input: Data("{}".utf8)).code == 4)
    }
  }
}
