import Foundation
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

/// Each test forges logs as somebody can who recomputes every digest.
@Suite("Forged logs")
struct ForgeryTests {
  @Test("A record of an erasure that erased nothing is found, although the head is right.")
  func alteredByErasure() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      try world.forgeErasure(of: 2) { $0.replacing("note of 2", with: "note of 9") }
      let answer = try world.verify("--head", world.head, code: 1)
      #expect(answer["verdict"] as? String == "damaged")
      #expect(kinds("findings", of: answer).first == "damaged")
      let run = try travelog("import", world.logs, "--into", folder.path + "/b.store")
      #expect(run.code == 4 && run.errors.contains("no value is marked as erased"), "\(run.errors)")
    }
  }

  @Test("A transaction with erased values is not proven, because other values may be altered.")
  func unanchoredErasure() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      try world.forgeErasure(of: 2) {
        $0.replacing(#""note":"note of 2""#, with: #""note":null"#)
          .replacing("example.org/2", with: "example.net/2")
          .dropLast() + #","special":{"after":{"note":"erased"}}}"#
      }
      let answer = try world.verify("--head", world.head, code: 17)
      #expect(answer["verdict"] as? String == "proven")
      #expect(kinds("except", of: answer) == ["unanchored"])
      let parts = try #require(answer["except"] as? [[String: Any]])
      #expect(parts[0]["transactions"] as? [Int] == [2])
      #expect(parts[0]["is_proven"] as? Bool == false)
      let known = world.head
      #expect(
        try kinds("findings", of: world.verify("--erasures", known, code: 1)) == ["damaged"]
      )
      let records = try #require(answer["erasures"] as? String)
      _ = try world.verify("--erasures", records, code: 0)
      #expect(
        try kinds("findings", of: world.verify("--against", world.store, code: 1)).contains(
          "differs"
        )
      )
    }
  }

  @Test("The values that an erasure leaves can't be altered, if the store recorded the erasure.")
  func restated() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      let store = try Store.open(.file(URL(fileURLWithPath: world.store)))
      let guest = try #require(worldSchema.index(of: "Guest"))
      try store.write(Author()) { try $0.delete(guest, id: 2) }
      try travelog("export", world.store, "--to", world.logs)
      let object = ["--entity", "Guest", "--id", "2", "--attribute", "note"]
      let erasure = try travelog(["erase", world.logs, "--store", world.store] + object)
      #expect(erasure.code == 0, "\(erasure.errors)")
      let head = try store.read { try $0.historyRange().head.digest.description }
      #expect(try kinds("except", of: world.verify("--head", head, code: 0)) == ["restated"])
      // A digest from before the erasure proves nothing about what remains.
      let before = try world.verify("--head", world.head, code: 17)
      #expect(kinds("except", of: before).contains("restated"))
      try world.alterText(of: world.files()[0], "example.org/2", "example.net/2")
      for arguments in [["--head", head], []] {
        let run = try travelog(["verify", world.logs] + arguments)
        #expect(run.code == 1 && run.output.contains("damaged"), "\(run.output)")
      }
      let run = try travelog("import", world.logs, "--into", folder.path + "/b.store")
      #expect(run.code == 4, "\(run.errors)")
    }
  }

  @Test("An altered snapshot is found by a replay of the logs, and import refuses it.")
  func snapshot() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder, hasSnapshot: true)
      for arguments in [[], ["--head", world.head], ["--against", world.store], ["--replay"]] {
        let whole = try travelog(["verify", world.logs] + arguments)
        #expect(whole.code == 0 && !whole.output.contains("except"), "\(whole.output)")
      }
      let old = try #require(world.digests(gunzip(world.files()[0])).last)
      let before = try travelog("verify", world.logs, "--head", old)
      #expect(before.code == 17 && before.output.contains("except: nothing proves snapshot 4\n"))
      try world.rewrite(world.files("snapshots/"), "note of 2", "note of 9")
      let answer = try world.verify("--head", world.head, code: 1)
      #expect(kinds("findings", of: answer) == ["damaged"])
      let forged = folder.path + "/forged.store"
      let run = try travelog("import", world.logs, "--into", forged, "--from-snapshot")
      #expect(run.code == 17 && run.errors.contains("--allow-unproven"), "\(run.errors)")
    }
  }

  @Test("An altered snapshot that logs begin with is unproven, and import refuses it.")
  func base() throws {
    try withTemporaryFolder { folder in
      var world = try ForgedWorld(folder)
      let line = ["prune", world.store, "--logs", world.logs, "--keep", "0s"]
      #expect(try travelog(line).code == 0)
      world = world.with(logs: folder.path + "/new")
      #expect(try travelog("export", world.store, "--to", world.logs, "--new-folder").code == 0)
      let head = try #require(
        (world.verify(code: 0)["to"] as? [String: Any])?["digest"] as? String
      )
      #expect(try kinds("except", of: world.verify("--head", head, code: 0)) == [])
      let proven = try world.verify("--against", world.store, code: 0)
      #expect(proven["verdict"] as? String == "proven")
      try world.rewrite(world.files("snapshots/"), "note of 2", "note of 9")
      #expect(try kinds("except", of: world.verify("--head", head, code: 17)).first == "base")
      _ = try world.verify("--head", head, "--allow-unproven", code: 0)
      let run = try travelog("import", world.logs, "--into", folder.path + "/forged.store")
      #expect(run.code == 17 && run.errors.contains("--allow-unproven"), "\(run.errors)")
      #expect(
        try kinds("findings", of: world.verify("--against", world.store, code: 1)) == ["differs"]
      )
    }
  }

  @Test("A whole state inside a lineage is found, and nothing of it is imported.")
  func stateInside() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      for place in [3, 5] {
        try world.altered {
          let text = try gunzip(world.files()[place / 5])
          let line = try #require(
            text.split(separator: "\n").first {
              $0.hasPrefix(#"{"kind":"transaction","txn":\#(place),"#)
            }
          )
          let altered = line.replacing(#""op":"recorded""#, with: #""op":"snapshot""#)
          try world.rewrite(world.files(), String(line), String(altered))
          #expect(try kinds("findings", of: world.verify(code: 1)).contains("damaged"))
          let run = try travelog("import", world.logs, "--into", folder.path + "/\(place).store")
          #expect(run.code == 4, "\(run.errors)")
        }
      }
    }
  }

  @Test(
    "Logs that are all rewritten are sound in themselves, and a digest from elsewhere shows it."
  )
  func rewritten() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      let old = try world.digests(gunzip(world.files()[0]))
      try world.rewrite(world.files(), "note of 2", "note of 9")
      try FileManager.default.removeItem(
        atPath: (world.lineage() as NSString).deletingLastPathComponent + "/_token.json"
      )
      #expect(try world.verify(code: 0)["verdict"] as? String == "sound")
      _ = try world.verify("--head", old[0], code: 0)
      for (arguments, kind) in [
        (["--head", old[1]], "end-missing"), (["--head", world.head], "end-missing"),
        (["--after", "4:\(old[3])"], "damaged"),
      ] {
        let run = try travelog(["verify", world.logs] + arguments)
        #expect(run.code == 1 && run.output.contains(kind + ": "), "\(run.output)")
      }
      #expect(try travelog("verify", world.logs, "--against", world.store).code == 1)
    }
  }
}
