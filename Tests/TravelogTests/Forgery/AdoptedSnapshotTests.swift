import Foundation
import SQLite
import TestSupport
import Testing

@Suite("Snapshots among the logs of an adopted file")
struct AdoptedSnapshotTests {
  @Test("A forged snapshot is not proven, and an import has all of history without it.")
  func later() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/app.db"
      let logs = folder.path + "/app logs"
      func run(_ sql: String) throws {
        try Connection(path: path, mode: .readWriteCreate).execute(sql)
      }
      func transactions(of store: String) throws -> Int {
        try travelog("log", store, "--json").output.split(separator: "\n").count
      }
      try run(
        "CREATE TABLE acc(id INTEGER PRIMARY KEY, bal); INSERT INTO acc VALUES (1, 100), (2, 100)"
      )
      try travelog("adopt", path)
      try travelog("export", path, "--to", logs)
      try run("UPDATE acc SET bal = 200 WHERE id = 1")
      try travelog("export", path, "--to", logs, "--snapshot")
      try run("UPDATE acc SET bal = 300 WHERE id = 2")
      try travelog("export", path, "--to", logs)
      let head = folder.path + "/head"
      try travelog("verify", logs, "--json").output
        .write(toFile: head, atomically: true, encoding: .utf8)
      let whole = folder.path + "/whole.db"
      #expect(try travelog("import", logs, "--into", whole).code == 0)
      #expect(try transactions(of: whole) == transactions(of: path) - 1, "without the adoption")
      let world = try ForgedWorld(folder).with(logs: logs)
      let snapshot = try #require(try world.files("snapshots/").last)
      try world.rewrite([snapshot], #""bal":"integer:200""#, #""bal":"integer:999""#)
      for flags in [[], ["--head", head], ["--replay"], ["--head", head, "--replay"]] {
        let run = try travelog(["verify", logs] + flags)
        #expect([1, 17].contains(run.code), "\(flags): \(run.output)")
      }
      #expect(try travelog("verify", logs, "--against", path).code != 0)
      let replica = folder.path + "/replica.db"
      #expect(try travelog("import", logs, "--into", replica).code == 0)
      #expect(try travelog("diff", path, replica).code == 0)
      #expect(try travelog("diff", path, logs).code == 0)
      let other = folder.path + "/other.db"
      #expect(try travelog("import", logs, "--into", other, "--from-snapshot").code == 17)
    }
  }
}
