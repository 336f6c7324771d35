import Foundation
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Audit commands of travelog")
struct AuditProgramTests {
  private func withStore(_ body: (URL, Store) throws -> Void) throws {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "audit program"))
      world.hasLargeValues = false
      let store = try Store.open(
        .file(folder.appendingPathComponent("a.store")),
        schema: worldSchema
      )
      // A random write can fail on purpose or change nothing, and then adds no transaction.
      while try store.read({ try $0.historyRange().head.transaction }) < 22 {
        try world.write(to: store)
      }
      try body(folder, store)
    }
  }

  private let schema: [String: Any] = {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../docs/audit.schema.json")
    let data = (try? Data(contentsOf: url)) ?? Data()
    return (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
  }()

  /// The answers of a run, each of which must match the schema in the documents.
  private func answers(_ run: Run) throws -> [[String: Any]] {
    try run.output.split(separator: "\n").map { line in
      let object = try #require(
        JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      )
      #expect(violations(object, schema, schema) == [])
      return object
    }
  }

  @Test("The digests of verify --json are those of the logs, also beside filtered logs.")
  func headsBesideFilteredLogs() throws {
    try withStore { folder, store in
      let (logs, heads) = (folder.path + "/logs", folder.path + "/heads.json")
      try travelog("export", store.location.path, "--to", logs)
      try travelog("export", store.location.path, "--to", logs, "--entity", "Guest")
      try Data(travelog("verify", logs, "--json").output.utf8)
        .write(to: URL(fileURLWithPath: heads))
      let page = folder.path + "/page.html"
      for call in [
        ["verify", logs, "--head", heads],
        ["import", logs, "--head", heads, "--into", page + ".db"],
        ["report", logs, "--head", heads, "--fail-on", "damage", "--output", page],
      ] {
        let run = try travelog(call)
        #expect(run.code == 0, "\(call[0]): \(run.errors)")
      }
    }
  }

  @Test("verify writes lines only to a file, and refuses flags that have no effect without logs.")
  func refusedFlagsOfVerify() throws {
    try withStore { folder, store in
      let (logs, pipe) = (folder.path + "/logs", folder.path + "/pipe")
      try travelog("export", store.location.path, "--to", logs)
      #expect(mkfifo(pipe, 0o600) == 0)
      #expect(try travelog("verify", logs, "--arrow", pipe).code == 2)
      let kind = try FileManager.default.attributesOfItem(atPath: pipe)[.type] as? FileAttributeType
      #expect(kind != .typeRegular)
      let (file, link) = (folder.path + "/lines.arrow", folder.path + "/link")
      try Data().write(to: URL(fileURLWithPath: file))
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
      #expect(try travelog("verify", logs, "--arrow", link).code == 0)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file)
      #expect(try Data(contentsOf: URL(fileURLWithPath: file)).isEmpty == false)
      let checkpoint = folder.path + "/checkpoint"
      try Data(travelog("checkpoint", logs).output.utf8)
        .write(to: URL(fileURLWithPath: checkpoint))
      #expect(try travelog("verify", logs, "--since", checkpoint).code == 0)
      let digest = String(repeating: "ab", count: 32)
      for flags in [["--head", digest], ["--against", "x"], ["--replay"], ["--arrow", "x"]] {
        #expect(
          try travelog(["verify", logs, "--since", checkpoint] + flags).code == 64,
          "\(flags)"
        )
        #expect(try travelog(["verify", "--proof", checkpoint] + flags).code == 64, "\(flags)")
      }
    }
  }

  @Test(
    "A script can name the author of its changes of a store, and blame shows the author.",
    .enabled(if: installed("python3") != nil, "there is no python3")
  )
  func bracket() throws {
    let script = """
      import sqlite3, sys
      store = sqlite3.connect(sys.argv[1], isolation_level=None)
      store.execute("BEGIN IMMEDIATE")
      store.execute("UPDATE travelog_context SET author = ?, reason = ?", ("Ann", "cleaning"))
      store.execute("UPDATE Guest SET note = 'by a script' WHERE id = 1")
      store.execute("UPDATE travelog_context SET author = NULL")
      store.execute("COMMIT")
      """
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      #expect(try run("/usr/bin/env", ["python3", "-c", script, world.store]).code == 0)
      let blame = try travelog("blame", world.store, "Guest", "1")
      #expect(blame.code == 0 && blame.output.contains("Ann"), "\(blame.errors)")
      let shown = try travelog("show", world.store, "9")
      #expect(shown.output.contains("cleaning") && shown.output.contains("by a script"))
      try travelog("export", world.store, "--to", world.logs)
      _ = try world.verify("--against", world.store, code: 0)
    }
  }

  @Test("If a gap replaces a transaction, show writes the gap.")
  func gap() throws {
    try withStore { folder, store in
      let (path, logs) = (store.location.path, folder.path + "/logs")
      try travelog("export", path, "--to", logs, "--new-folder", "--until", "5")
      try store.deleteHistory([1...20])
      #expect(try travelog("recover", path, "--to", logs).code == 0)
      for id in [6, 13, 20] {
        let shown = try answers(travelog("show", logs, "\(id)", "--json"))
        #expect(shown.map { $0["transaction"] as? Int64 } == [20])
      }
      let next = try answers(travelog("show", logs, "21", "--json"))
      #expect(next.map { $0["transaction"] as? Int64 } == [21])
      let filtered = try travelog("show", logs, "13", "--author", "nobody")
      #expect(filtered.code == 10 && filtered.errors.contains("matches the filters"))
    }
  }

  @Test("Every answer matches the JSON schema in the documents.")
  func answers() throws {
    try #require(!schema.isEmpty)
    try withStore { folder, store in
      let path = store.location.path
      let head = try store.read { try $0.sealedHead() }
      let list = try answers(travelog("log", path, "--json"))
      #expect(list.compactMap { $0["transaction"] as? Int64 } == Array((1...head).reversed()))
      let patches = try answers(travelog("log", path, "--json", "--patch", "--limit", "7"))
      #expect(patches.count == 7)
      #expect(try answers(travelog("log", path, "--json", "--by", "author")).count > 1)
      #expect(try answers(travelog("log", path, "--json", "--by", "day")).count > 0)
      let whole = try answers(travelog("show", path, "\(head)", "--json"))
      #expect((whole.first?["differences"] as? [Any])?.count == whole.first?["changes"] as? Int)
      let change = try #require(
        (patches.last?["differences"] as? [[String: Any]])?.first
      )
      let entity = try #require(change["entity"] as? String)
      let id = try #require(change["id"] as? String)
      let life = try answers(travelog("blame", path, entity, id, "--history", "--json"))
      #expect(life.last?["type"] as? String == "blame")
      #expect(life.count > 1)
    }
  }

  @Test("Text for people has signs as well as colours, and colours only on request.")
  func text() throws {
    try withStore { _, store in
      let path = store.location.path
      let plain = try travelog("log", path, "--patch")
      #expect(plain.code == 0)
      #expect(!plain.output.contains("\u{1b}"))
      #expect(plain.output.contains("    + "))
      let colored = try travelog("log", path, "--patch", "--color", "always")
      #expect(colored.output.contains("\u{1b}[32m"))
      #expect(
        colored.output.split(separator: "\n").count == plain.output.split(separator: "\n").count
      )
      let stat = try travelog("log", path, "--stat", "--limit", "1")
      #expect(stat.output.contains("inserted,"))
      let table = try travelog("log", path, "--by", "author")
      #expect(table.output.hasPrefix("author"))
    }
  }

  @Test("A question that makes no sense gets a sentence with valid choices, and its exit code.")
  func errors() throws {
    try withStore { folder, store in
      let path = store.location.path
      func refusal(_ code: Int32, _ words: String..., run: Run) {
        #expect(run.code == code)
        #expect(run.output == "")
        for word in words { #expect(run.errors.contains(word), "\(run.errors)") }
      }
      refusal(10, "no entity “Trip”", "Guest", run: try travelog("log", path, "--entity", "Trip"))
      refusal(10, "does not have Guest 999", run: try travelog("blame", path, "Guest", "999"))
      refusal(10, "ends at transaction", run: try travelog("show", path, "9999"))
      refusal(12, "begins", run: try travelog("log", path + "@2001-01-01"))
      refusal(64, "not a point", "412", run: try travelog("log", path + "@noon"))
      refusal(10, "There is no", run: try travelog("log", folder.path + "/none"))
      refusal(64, "--where", run: try travelog("blame", path, "Guest"))
    }
  }

  @Test("The exit code of diff is 0 for equal and 1 for different stores, in every format.")
  func diff() throws {
    try withStore { folder, store in
      let path = store.location.path
      let logs = folder.path + "/logs"
      #expect(try travelog("export", path, "--to", logs).code == 0)
      let same = try travelog("diff", path, logs)
      #expect(same.code == 0)
      #expect(same.output == "")
      #expect(same.errors == "")
      let head = try store.read { try $0.sealedHead() }
      let earlier = "\(path)@\(head - 3)"
      for format in ["text", "csv", "html", "sql"] {
        let run = try travelog("diff", earlier, path, "--format", format)
        #expect(run.code == 1, "\(run.errors)")
        #expect(!run.output.isEmpty)
      }
      let json = try travelog("diff", earlier, "\(logs)@head", "--json")
      #expect(json.code == 1)
      let lines = try answers(json)
      #expect(lines.last?["same"] as? Bool == false)
      #expect(lines.count > 1)
      #expect(try answers(travelog("diff", path, logs, "--json")).first?["same"] as? Bool == true)
    }
  }

  @Test("The table of a log has the changes of its JSON, and --op selects their kinds.")
  func tables() throws {
    try withStore { folder, store in
      let (path, logs) = (store.location.path, folder.path + "/logs")
      try travelog("export", path, "--to", logs)
      /// The transaction, the kind and the object of each change.
      func changes(_ words: [String]) throws -> [[String]] {
        try answers(travelog(["log", logs, "--patch", "--json"] + words)).flatMap { answer in
          (answer["differences"] as? [[String: Any]] ?? []).map { change in
            ["\(answer["transaction"] as? Int ?? 0)"]
              + ["op", "entity", "id"].map { change[$0] as? String ?? "" }
          }
        }
      }
      /// The same facts from a table, whose rows have one value each.
      func rows(_ words: [String]) throws -> [[String]] {
        let text = try travelog(words + ["--format", "csv"]).output
        let lines = text.components(separatedBy: "\r\n")
        #expect(text.hasPrefix("transaction,time,author,op,entity,id,name,property,before,"))
        var result: [[String]] = []
        for line in lines.dropFirst() where !line.isEmpty {
          let cells = line.components(separatedBy: ",")
          let row = [cells[0]] + cells[3...5]
          if result.last != row { result.append(row) }
        }
        return result
      }
      let all = try changes([])
      #expect(Set(all.map { $0[1] }) == ["insert", "update", "delete"])
      #expect(try rows(["log", logs]) == all && rows(["log", path]) == all)
      for kind in ["insert", "update", "delete"] {
        let wanted = all.filter { $0[1] == kind }
        #expect(try rows(["log", logs, "--op", kind]) == wanted)
        #expect(try changes(["--op", kind]) == wanted)
      }
      let both = try rows(["log", path, "--op", "insert", "--op", "delete"])
      #expect(both == all.filter { $0[1] != "update" })
      let last = try #require(all.first)
      #expect(try rows(["show", logs, last[0]]) == all.filter { $0[0] == last[0] })
      let blamed = try rows(["blame", logs, last[2], last[3]])
      #expect(blamed.contains(last) && Set(all).isSuperset(of: blamed))
      #expect(try travelog("log", logs, "--format", "csv", "--by", "day").code == 64)
    }
  }

  @Test("In a blame, values that were inserted together share the line about their transaction.")
  func sharedLine() throws {
    try withStore { folder, store in
      let path = store.location.path
      let log = try travelog("log", path, "--op", "insert", "--format", "csv").output
      let row = try #require(log.components(separatedBy: "\r\n").dropFirst().first)
      let cells = row.components(separatedBy: ",")
      let words = ["blame", "\(path)@\(cells[0])", cells[4], cells[5]]
      let table = try travelog(words + ["--format", "csv"]).output
      let values = table.components(separatedBy: "\r\n").count - 2
      // The others are the title, the insertion and the shared line.
      #expect(try values > 1 && travelog(words).output.split(separator: "\n").count == values + 3)
    }
  }

  @Test("A pruned store is compared with its past by id and by time, and the error names its logs.")
  func pruned() throws {
    try withStore { folder, store in
      let (path, logs) = (store.location.path, folder.path + "/logs")
      let head = try store.read { try $0.sealedHead() }
      try travelog("export", path, "--to", logs)
      try store.deleteHistory([1...head - 2])
      let time = try #require(try store.read { try $0.transaction(head - 1)?.time })
      let expected = try travelog("diff", "\(logs)@\(head - 1)", path).output
      for point in ["\(head - 1)", time] {
        let run = try travelog("diff", "\(path)@\(point)", path)
        #expect(run.code == (expected.isEmpty ? 0 : 1), "\(run.errors)")
        #expect(run.output == expected)
      }
      #expect(try travelog("diff", "\(path)@\(head - 2)", "\(logs)@\(head - 2)").code == 0)
      for words in [["diff", "\(path)@1", path], ["log", "\(path)@1"], ["report", "\(path)@1"]] {
        let early = try travelog(words)
        #expect(early.code == 12)
        #expect(early.errors.contains("LOGS@1"), "\(early.errors)")
      }
    }
  }

  @Test("A report is a page or JSON, and ends with 1 if it has the findings of --fail-on.")
  func report() throws {
    try withStore { folder, store in
      let path = store.location.path
      let page = folder.path + "/report.html"
      let run = try travelog("report", path, "--output", page, "--office-hours", "0-24")
      #expect(run.code == 0)
      #expect(run.output + run.errors == "")
      #expect(try String(contentsOfFile: page, encoding: .utf8).hasPrefix("<!DOCTYPE html>"))
      let titled = try travelog("report", path, "--title", "A & B", "--json")
      #expect(titled.output.contains(#""title":"A & B""#))
      let json = try travelog("report", path, "--json")
      #expect(try answers(json).count == 1)
      let bulk = try travelog("report", path, "--output", page, "--bulk", "1", "--fail-on", "bulk")
      #expect(bulk.code == 1)
      #expect(bulk.errors.contains("bulk"))
      #expect(try travelog("report", path, "--time-zone", "Mars/Base").code == 64)
    }
  }

  /// The first history of a report as JSON, and the answers to its questions.
  private func trusted(_ words: String...) throws -> (history: [String: Any], answers: [String]) {
    let run = try travelog(["report"] + words + ["--json"])
    #expect(run.code == 0, "\(run.errors)")
    let report = try #require(try answers(run).first)
    let questions = try #require(report["questions"] as? [[String: Any]])
    return (
      try #require((report["histories"] as? [[String: Any]])?.first),
      questions.compactMap { $0["answer"] as? String }
    )
  }

  @Test("A report with --head or --against says up to which transaction the history is proven.")
  func trust() throws {
    try withStore { folder, store in
      let (path, logs) = (store.location.path, folder.path + "/logs")
      let head = try store.read { try $0.sealedHead() }
      try travelog("export", path, "--to", logs, "--until", "10")
      let digest = try store.read { try $0.point(10).digest.description }
      for (source, last) in [(logs, 10), (path, head)] as [(String, Int64)] {
        let plain = try trusted(source)
        #expect(plain.history["verdict"] as? String == "sound")
        #expect(plain.history["proven_transaction"] == nil)
        let proven = try trusted(source, "--head", digest)
        #expect(proven.history["verdict"] as? String == "proven")
        #expect(proven.history["proven_transaction"] as? Int64 == 10)
        let answer = "Proven up to transaction 10"
        #expect(proven.answers.first == answer + (last > 10 ? "; the later ones are sound" : ""))
        let other = try trusted(source, "--head", String(repeating: "0", count: 64))
        #expect(other.history["verdict"] as? String == "damaged")
        #expect(other.answers.first == "Something was altered or damaged")
        let words = ["report", source, "--head", String(repeating: "0", count: 64), "--json"]
        #expect(try travelog(words + ["--fail-on", "damage"]).code == 1)
      }
      let compared = try trusted(logs, "--against", path)
      #expect(compared.history["proven_transaction"] as? Int64 == 10)
      #expect(compared.history["unexported"] as? Int64 == head - 10)
      #expect(compared.answers.last?.hasSuffix("not exported yet") == true)
      try travelog("export", path, "--to", logs)
      let complete = try trusted(logs, "--against", path)
      #expect(complete.history["proven_transaction"] as? Int64 == head)
      #expect(complete.answers.last == "The store is exported completely")
      #expect(try travelog("report", path, "--json", "--against", path).code == 64)
    }
  }

  /// The bytes of all files in a folder.
  private func files(in folder: URL) throws -> [String: Data] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    let contents = names.map { ($0, FileManager.default.contents(atPath: "\(folder.path)/\($0)")) }
    return Dictionary(uniqueKeysWithValues: contents).compactMapValues { $0 }
  }

  @Test("undo reverts the last transaction, and its dry run changes nothing.")
  func undo() throws {
    try withStore { folder, store in
      let path = store.location.path
      let head = try store.read { try $0.sealedHead() }
      let before = try lines(of: store)
      let copy = folder.appendingPathComponent("alone/a.store")
      try FileManager.default.createDirectory(
        at: copy.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try store.copy(to: copy)
      let bytes = try files(in: copy.deletingLastPathComponent())
      for range in ["\(head)", "1-\(head)", "2"] {
        let run = try travelog("undo", copy.path, range, "--dry-run")
        #expect(run.code == 0 || run.code == 15, "\(run.errors)")
        #expect(run.code == 0 || run.errors.contains("store \(copy.path)"), "\(run.errors)")
        #expect(try files(in: copy.deletingLastPathComponent()) == bytes, "\(range)")
      }
      let dry = try travelog("undo", path, "\(head)", "--dry-run")
      #expect(dry.code == 0, "\(dry.errors)")
      #expect(dry.output.contains("\(head)"))
      #expect(try lines(of: store) == before)
      #expect(try travelog("undo", path, "\(head)").code == 0)
      #expect(try travelog("diff", "\(path)@\(head - 1)", path).code == 0)
      #expect(try answers(travelog("undo", path, "\(head + 1)", "--json")).count == 1)
      #expect(try travelog("undo", path, "0").code == 64)
    }
  }
}
