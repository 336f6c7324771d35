import Foundation
import ProcessTesting
import SQLite
import TestSupport
import Testing

@Suite("Operating an adopted file")
struct AdoptedOperationTests {
  private func withAdopted(
    _ sql: String = "CREATE TABLE t(id INTEGER PRIMARY KEY, x)",
    _ body: (_ path: String, _ folder: URL) throws -> Void
  ) throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("app.db").path
      try Connection(path: path, mode: .readWriteCreate).execute(sql)
      #expect(try travelog("adopt", path).code == 0)
      try body(path, folder)
    }
  }

  private func write(_ sql: String, to path: String) throws {
    try Connection(path: path, mode: .readWrite).execute(sql)
  }

  @Test("Logs of an adopted file that begin after its adoption do not lack deleted history.")
  func beginning() throws {
    try withAdopted { path, folder in
      try write("INSERT INTO t VALUES (1, 1)", to: path)
      let logs = folder.path + "/logs"
      #expect(try travelog("export", path, "--to", logs).code == 0)
      let report = try travelog("report", logs, "--json", "--fail-on", "deleted-history")
      #expect(report.code == 0, "\(report.errors)")
      // If transactions with changes are missing, the report says so.
      try write("UPDATE t SET x = 2", to: path)
      #expect(try travelog("export", path, "--to", logs).code == 0)
      #expect(try travelog("prune", path, "--logs", logs, "--keep", "0s").code == 0)
      #expect(try travelog("report", path, "--json", "--fail-on", "deleted-history").code == 1)
    }
  }

  @Test("log and blame do not call the changes of the program that owns a file foreign.")
  func ordinary() throws {
    try withAdopted { path, folder in
      try write("INSERT INTO t VALUES (1, 1)", to: path)
      let log = try travelog("log", path).output
      #expect(log.contains("+1 t") && log.contains("[adopt]") && !log.contains("[foreign]"))
      let blame = try travelog("blame", path, "t", "1", "--history").output
      #expect(blame.contains("inserted by 2") && !blame.contains("[foreign]"))
      #expect(try travelog("log", path, "--json").output.contains(#""op":"foreign""#))
    }
  }

  @Test("status without a log folder describes the store, and says nothing about logs.")
  func status() throws {
    try withAdopted { path, folder in
      try write("INSERT INTO t VALUES (1, 1)", to: path)
      let status = try travelog("status", path)
      #expect(status.code == 0, "\(status.errors)")
      #expect(status.output.contains("transaction 2") && status.output.contains("no export"))
      #expect(!status.output.contains("health") && !status.output.contains("lag"))
      let answer = try travelog("status", path, "--json").output
      #expect(answer.contains(#""was_exported":false"#) && !answer.contains("health"))
      for (flag, value) in [
        ("--max-lag", "1h"), ("--token", "t.json"), ("--prometheus", "t.prom"),
      ] {
        let run = try travelog("status", path, flag, value)
        #expect(run.code == 64)
        #expect(run.errors.contains(flag) && run.errors.contains("--logs"))
      }
      let logs = folder.path + "/logs"
      #expect(try travelog("export", path, "--to", logs).code == 0)
      #expect(try travelog("status", path, "--json").output.contains(#""was_exported":true"#))
      let compared = try travelog("status", path, "--logs", logs).output
      #expect(compared.contains("health") && compared.contains("ok"))
    }
  }

  @Test("adopt --detach deletes history only if verified logs have it, or if this is asked for.")
  func detaching() throws {
    try withAdopted { path, folder in
      let logs = folder.path + "/logs"
      func detach(_ flags: String...) throws -> Run {
        try travelog(["adopt", path, "--detach"] + flags)
      }
      func expectRefusal(_ run: Run, _ words: String, code: Int32 = 10) throws {
        #expect(run.code == code && run.errors.contains(words), "\(run.errors)")
        #expect(try travelog("log", path).output.contains("[adopt]"))
      }
      for flags in [["--logs", logs], ["--discard-history"]] {
        #expect(try travelog(["adopt", path] + flags).code == 64)
      }
      #expect(try detach("--logs", logs, "--discard-history").code == 64)
      // The history of an adoption without changes can be deleted, and so can the history of a
      // replica, which comes from logs.
      try write("INSERT INTO t VALUES (1, 1)", to: path)
      try expectRefusal(detach(), "--discard-history")
      try expectRefusal(detach("--logs", logs), "no folder")
      #expect(try travelog("export", path, "--to", logs).code == 0)
      try expectRefusal(detach(), "--discard-history")
      #expect(try travelog("import", logs, "--into", folder.path + "/copy.db").code == 0)
      #expect(try travelog("adopt", folder.path + "/copy.db", "--detach").code == 0)
      try write("UPDATE t SET x = 2", to: path)
      try expectRefusal(detach("--logs", logs), "1 transaction in its history")
      #expect(try travelog("export", path, "--to", logs).code == 0)
      let done = try detach("--logs", logs)
      #expect(done.code == 0, "\(done.errors)")
      #expect(try travelog("adopt", path).code == 0)
      #expect(try detach().code == 0)
      #expect(try travelog("adopt", path).code == 0)
      try write("UPDATE t SET x = 3", to: path)
      // The logs belong to the history before, which has another identifier.
      try expectRefusal(detach("--logs", logs), "There are no logs of")
      #expect(try detach("--discard-history").code == 0)
    }
  }

  @Test("A NULL that only SQLite's own check reports is not reported; a real one is a warning.")
  func falseAlarm() throws {
    let sql = """
      CREATE TABLE t(a TEXT NOT NULL, s TEXT NOT NULL, p REAL NOT NULL, PRIMARY KEY(a, p))
        WITHOUT ROWID;
      CREATE TABLE u(id INTEGER PRIMARY KEY, x);
      """
    try withAdopted(sql) { path, _ in
      let connection = try Connection(path: path, mode: .readWrite)
      for number in 1...150 {
        try connection.execute("INSERT INTO t VALUES ('a\(number)', 's', \(number))")
      }
      try connection.execute("INSERT INTO u VALUES (1, NULL)")
      let check = try travelog("check", path)
      #expect(check.code == 0, "\(check.output)\(check.errors)")
      try connection.execute(
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, 'x)', 'x NOT NULL)') WHERE name = 'u';
        PRAGMA writable_schema = OFF;
        """
      )
      let found = try travelog("check", path)
      #expect(found.errors.contains("NULL value in u.x"), "\(found.output)\(found.errors)")
      #expect(!(found.output + found.errors).contains("t.s"))
    }
  }

  @Test(
    "The script of diff writes rows with rowids first, and changes nothing if it fails.",
    .enabled(if: installed("sqlite3") != nil, "sqlite3 is not installed")
  )
  func script() throws {
    let sql = """
      CREATE TABLE nk(a TEXT PRIMARY KEY, v);
      INSERT INTO nk(rowid, a, v) VALUES (5, NULL, 0), (6, 'z', 1);
      """
    try withAdopted(sql) { path, folder in
      let (logs, copy) = (folder.path + "/logs", folder.path + "/copy.db")
      try write("DELETE FROM nk WHERE rowid = 5", to: path)
      #expect(try travelog("export", path, "--to", logs).code == 0)
      #expect(try travelog("import", logs, "--into", copy).code == 0)
      // In the replica, the row z has the rowid 1.
      try write(
        "INSERT INTO nk(rowid, a, v) VALUES (2, 'y', 2), (1, NULL, 3), (3, NULL, 4)",
        to: path
      )
      let script = try travelog("diff", copy, path, "--format", "sql")
      #expect(script.code == 1, "\(script.errors)")
      let sqlite = try #require(installed("sqlite3"))
      #expect(try travelog("adopt", copy, "--detach").code == 0)
      func rows(_ file: String) throws -> String {
        try run(sqlite, [file, "SELECT a, v FROM nk ORDER BY v"]).output
      }
      let before = try rows(copy)
      let broken = script.output.replacing("COMMIT;", with: "INSERT INTO nk VALUES (1);\nCOMMIT;")
      #expect(try run(sqlite, [copy], input: Data(broken.utf8)).code != 0)
      #expect(try rows(copy) == before)
      let applied = try run(sqlite, [copy], input: script.bytes)
      #expect(applied.code == 0, "\(applied.errors)\n\(script.output)")
      #expect(try rows(copy) == rows(path))
    }
  }
}
