import Format
import Foundation
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Erasing and filtered logs with travelog")
struct ErasingProgramTests {
  private func withStore(
    _ body: (_ store: String, _ logs: String, _ folder: URL) throws -> Void
  )
    throws
  {
    try withTemporaryFolder { folder in
      let store = try Store.open(
        .file(folder.appendingPathComponent("a.store")),
        schema: worldSchema
      )
      let guest = worldSchema.index(of: "Guest") ?? 0
      let columns = store.layouts[guest].columns
      for id in [1, 2] as [Int64] {
        try store.write(Author(name: "app")) { writer in
          let values = columns.map { $0.name == "note" ? Value.text("secret \(id)") : .null }
          try writer.insert(guest, id: id, values: values)
        }
      }
      try store.write(Author(name: "desk")) { try $0.delete(guest, id: 1) }
      let path = store.location.path
      let logs = folder.path + "/logs"
      try #expect(travelog("export", path, "--to", logs).code == 0)
      try body(path, logs, folder)
    }
  }

  private func object(_ run: Run) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(run.bytes)) as? [String: Any])
  }

  @Test("An import beside a reader answers, and then fails because bytes of erased values remain.")
  func importBesideReader() throws {
    try withStore { store, logs, folder in
      let copy = folder.path + "/copy.store"
      try #expect(travelog("import", logs, "--into", copy).code == 0)
      let erasure = try travelog("erase", logs, "--entity", "Guest", "--id", "1", "--store", store)
      #expect(erasure.code == 0)
      let replica = try Store.open(
        .file(URL(fileURLWithPath: copy)),
        options: Options(isReadOnly: true)
      )
      let run = try replica.read { _ in try travelog("import", logs, "--into", copy, "--json") }
      #expect(run.code == 11)
      let answer = try object(run)
      #expect(answer["has_erased_bytes"] as? Bool == true && answer["transactions"] as? Int == 1)
      #expect(run.errors.contains("has all transactions of the logs"))
      let next = try travelog("import", logs, "--into", copy, "--json")
      #expect(next.code == 0)
      #expect(try object(next)["has_erased_bytes"] as? Bool == false)
    }
  }

  @Test("erase prints nothing for cron, answers with JSON, and has an exit code for each refusal.")
  func erase() throws {
    try withStore { store, logs, _ in
      func erase(_ arguments: String...) throws -> Run {
        try travelog(["erase", logs] + arguments)
      }
      let plan = try object(erase("--entity", "Guest", "--id", "1", "--dry-run", "--json"))
      #expect(plan["type"] as? String == "erase")
      #expect(plan["dry_run"] as? Bool == true)
      #expect(plan["transactions"] as? Int == 2)
      let still = try erase("--entity", "Guest", "--id", "2")
      #expect(still.code == 2)
      #expect(still.errors.contains("still exists"))
      #expect(try erase("--entity", "Guest", "--id", "9").code == 10)
      let unknown = try erase("--entity", "Geust", "--id", "1")
      #expect(unknown.code == 10)
      #expect(unknown.errors.contains("Guest"))
      #expect(try erase("--entity", "Guest").code == 64)
      let run = try erase("--entity", "Guest", "--id", "1", "--store", store, "--reason", "asked")
      #expect(run.code == 0)
      #expect(run.output + run.errors == "")
      let verified = try object(travelog("verify", logs, "--json"))
      #expect(verified["erased"] as? Int == 2)
      // The transaction that records the erasure confirms the values that remain.
      #expect(verified["erasures"] == nil)
      let parts = try #require(verified["except"] as? [[String: Any]])
      #expect(parts.compactMap { $0["kind"] as? String } == ["restated"])
      #expect(parts.compactMap { $0["is_proven"] as? Bool } == [true])
      #expect(try travelog("verify", logs, "--against", store).code == 0)
      #expect(try travelog("log", logs).output.contains("erased"))
    }
  }

  @Test(
    "Filtered logs are written to a folder and a pipe, and refused if full ones are needed."
  )
  func filtered() throws {
    try withStore { store, logs, folder in
      let key = folder.path + "/key"
      try Data("0123456789abcdef0123456789abcdef".utf8).write(to: URL(fileURLWithPath: key))
      let filters = [
        "--entity", "Guest", "--author", "app", "--redact", "Guest.note=hash", "--redact-key", key,
      ]
      let answer = try object(travelog(["export", store, "--to", logs, "--json"] + filters))
      // One of them proves the description of the filter.
      #expect(answer["transactions"] as? Int == 3)
      #expect((answer["filter"] as? String)?.contains("Guest") == true)
      #expect(
        try travelog(["export", store, "--to", logs, "--error-if-empty"] + filters).code == 5
      )
      // Nothing proves the values beside the hidden ones.
      #expect(try travelog("verify", logs).code == 17)
      #expect(try travelog("verify", logs, "--allow-unproven").code == 0)
      #expect(try travelog("verify", logs).output.contains("filtered: authors"))
      let file = try #require((answer["files"] as? [String])?.first)
      let text = try gunzip(file)
      #expect(text.contains("hash:"))
      #expect(!text.contains("secret 1"))
      #expect(try travelog("verify", file).code == 17)
      let replica = folder.path + "/replica.store"
      let refused = try travelog("import", file, "--into", replica)
      #expect(refused.code == 16)
      #expect(refused.errors.contains("filtered"))
      // Through a pipe, with a token of its own.
      let token = folder.path + "/token.json"
      let stream = try travelog(["export", store, "--to", "-", "--token", token] + filters)
      #expect(stream.code == 0)
      let piped = try travelog(["import", "-", "--into", replica], input: stream.bytes)
      #expect(piped.code == 16)
      #expect(try travelog(["verify", "-"], input: stream.bytes).code == 17)
      let again = try travelog(["export", store, "--to", "-", "--token", token] + filters)
      // Without new transactions it writes an empty member, which a failing program does not.
      #expect(again.code == 0 && !again.bytes.isEmpty)
      #expect(try travelog(["import", "-", "--into", replica], input: again.bytes).code == 0)
    }
  }

  @Test("Filters that make no sense are refused with a sentence.")
  func refusals() throws {
    try withStore { store, logs, folder in
      func export(_ arguments: String...) throws -> Run {
        try travelog(["export", store, "--to", logs] + arguments)
      }
      let unknown = try export("--entity", "Geust")
      #expect(unknown.code == 10)
      #expect(unknown.errors.contains("Guest"))
      #expect(try export("--redact", "Guest.notes=drop").errors.contains("note"))
      #expect(try export("--redact", "Guest.note=hash").code == 64)
      #expect(try export("--redact", "Guest.note=burn").code == 64)
      #expect(try export("--redact", "note=drop").code == 64)
      #expect(try export("--author", "two\nlines").code == 64)
      #expect(try export("--entity", "Guest", "--snapshot").code == 64)
      let key = folder.path + "/key"
      try Data("short".utf8).write(to: URL(fileURLWithPath: key))
      #expect(try export("--redact", "Guest.note=hash", "--redact-key", key).code == 64)
      #expect(try export("--redact", "Guest.note=hash", "--redact-key", key + "s").code == 10)
    }
  }
}
