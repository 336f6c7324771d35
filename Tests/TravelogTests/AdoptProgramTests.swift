import Foundation
import ProcessTesting
import SQLite
import Store
import TestSupport
import Testing

@Suite("travelog adopt")
struct AdoptProgramTests {
  private let shop = "CREATE TABLE product(sku TEXT PRIMARY KEY NOT NULL, price INT)"

  /// Calls with the path of a database that another program created.
  private func withDatabase(_ sql: String, _ body: (URL, String) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("shop.db").path
      try Connection(path: path, mode: .readWriteCreate).execute(sql)
      try body(folder, path)
    }
  }

  @Test("A dry run tells for each table how it would be recorded, or why not.")
  func dryRun() throws {
    let sql = shop + "; CREATE TABLE loose(a); CREATE VIRTUAL TABLE place USING rtree(id, a, b)"
    try withDatabase(sql) { _, path in
      let run = try travelog("adopt", path, "--dry-run")
      #expect(run.code == 0)
      #expect(run.output.contains("Table 'product' is recorded."))
      #expect(run.output.contains("Table 'loose' is recorded. It has no primary key"))
      #expect(run.output.contains("Table 'place' is not recorded: the table is a virtual table"))
      #expect(run.output.contains("VACUUM can change rowids"))
      let before = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(try travelog("adopt", path).errors.contains("Table 'place' is not recorded"))
      #expect(try travelog("adopt", path, "--detach").code == 0)
      #expect(try travelog("adopt", path, "--dry-run").output == run.output)
      #expect(before.count > 0)
    }
  }

  @Test("A name that looks like a URI of SQLite is the name of a file.")
  func nameLikeURI() throws {
    try withDatabase(shop) { folder, path in
      let other = folder.path + "/file:shop.db"
      try FileManager.default.copyItem(atPath: path, toPath: other)
      let script =
        "cd \"$0\" && \"$1\" adopt file:shop.db && \"$1\" query file:shop.db --into file:new.db"
      let run = try run("/bin/sh", ["-c", script, folder.path, products + "/travelog"])
      #expect(run.code == 0, "\(run.errors)")
      #expect(try travelog("log", other).code == 0)
      #expect(try travelog("log", path).code == 4)
      #expect(FileManager.default.fileExists(atPath: folder.path + "/file:new.db"))
    }
  }

  @Test("A history file can't have the name of a file that SQLite makes beside the database.")
  func historyBeside() throws {
    try withDatabase(shop) { (_: URL, path: String) throws in
      for suffix in ["-journal", "-wal", "-shm"] {
        #expect(try travelog("adopt", path, "--history", path + suffix).code != 0)
        #expect(!FileManager.default.fileExists(atPath: path + suffix))
      }
    }
  }

  @Test("A check names the tables that are not recorded.")
  func unrecorded() throws {
    try withDatabase(shop + "; CREATE VIRTUAL TABLE place USING rtree(id, a, b)") {
      (_: URL, path: String) throws in
      try travelog("adopt", path)
      #expect(try travelog("check", path).output.contains("not recorded: place"))
    }
  }

  @Test(
    "The error for another program's database names adopt, which makes it readable."
  )
  func hint() throws {
    try withDatabase(shop) { _, path in
      let refused = try travelog("log", path)
      #expect(refused.code == 4)
      #expect(refused.errors.contains("travelog adopt \(path)"))
      #expect(try travelog("adopt", path).code == 0)
      let log = try travelog("log", path)
      #expect(log.code == 0)
      #expect(log.output.contains("[adopt]"))
      let again = try travelog("adopt", path)
      #expect(again.code == 2)
      #expect(again.errors.contains("adopted already"))
    }
  }

  @Test("Flags that contradict each other, and a command without --suspend, are refused.")
  func contradictions() throws {
    try withDatabase(shop) { (_: URL, path: String) throws in
      #expect(try travelog("adopt", path, "--detach", "--new-identity").code == 64)
      #expect(try travelog("adopt", path, "--suspend").code == 64)
      #expect(try travelog("adopt", path, "--", "true").code == 64)
      #expect(try travelog("adopt", path, "--prefix", "1").code == 2)
      #expect(try travelog("adopt", path, "--detach").code != 0)
    }
  }

  @Test(
    "--suspend runs a migration that triggers would prevent, and records what it did.",
    .enabled(if: installed("python3") != nil, "there is no python3")
  )
  func suspension() throws {
    try withDatabase(shop + "; INSERT INTO product VALUES ('tea', 3)") { _, path in
      try travelog("adopt", path)
      let drop = "ALTER TABLE product DROP COLUMN price"
      let python = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute(sys.argv[2])"
      #expect(try run("/usr/bin/env", ["python3", "-c", python, path, drop]).code != 0)
      let migration = try travelog(
        "adopt",
        "--suspend",
        path,
        "--",
        "python3",
        "-c",
        python,
        path,
        drop
      )
      #expect(migration.code == 0, "\(migration.errors)")
      let failed = try travelog("adopt", "--suspend", path, "--", "false")
      #expect(failed.code == 2)
      #expect(failed.errors.contains("The triggers are restored"))
      #expect(try travelog("adopt", "--suspend", path, "--", "/no/such/program").code == 2)
      try Connection(path: path, mode: .readWrite).execute("INSERT INTO product VALUES ('cup')")
      let log = try travelog("log", path, "--patch")
      #expect(log.output.contains("[migration]"))
      #expect(log.output.contains(#"+ product ["text:cup"]"#))
    }
  }

  @Test(
    "A Python program with and without a bracket is exported, restored and blamed.",
    .enabled(if: installed("python3") != nil, "there is no python3")
  )
  func python() throws {
    try withDatabase(shop + "; INSERT INTO product VALUES ('tea', 3), ('cup', 7)") { folder, path in
      try travelog("adopt", path)
      let program = """
        import sqlite3, sys
        shop = sqlite3.connect(sys.argv[1])
        shop.execute("UPDATE travelog_context SET author = ?, reason = ?, request = ?",
            ("billing", "ticket 7", "POST /pay"))
        shop.execute("UPDATE product SET price = 4 WHERE sku = ?", ("tea",))
        shop.execute("UPDATE travelog_context SET author = NULL")
        shop.commit()
        shop.execute("DELETE FROM product WHERE sku = ?", ("cup",))
        shop.commit()
        """
      #expect(try run("/usr/bin/env", ["python3", "-c", program, path]).code == 0)
      let (logs, copy) = (folder.path + "/logs", folder.path + "/copy.db")
      try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: true)
      #expect(try travelog("export", path, "--to", logs).code == 0)
      #expect(try travelog("verify", logs, "--against", path).code == 0)
      #expect(try travelog("import", logs, "--into", copy).code == 0)
      if let sqldiff = installed("sqldiff") {
        #expect(try run(sqldiff, ["--table", "product", path, copy]).output == "")
      }
      #expect(try travelog("diff", path, copy).code == 0)
      #expect(try travelog("check", path).code == 0)
      let blame = try travelog("blame", logs, "product", #"["text:tea"]"#)
      #expect(blame.output.contains("billing: ticket 7 (POST /pay)"))
      for source in [path, logs, copy] {
        #expect(try travelog("log", source).output.contains("billing: ticket 7 (POST /pay)"))
        let show = try travelog("show", source, "2").output
        #expect(show.contains("reason:  ticket 7\nrequest: POST /pay\n"))
        #expect(show.contains(#"details: {"boundary":"proven"}"#))
        for (flag, text) in [("--reason", "ticket 7"), ("--request", "POST /pay")] {
          let log = try travelog("log", source, flag, text)
          #expect(log.output.hasPrefix("2  ") && log.output.split(separator: "\n").count == 1)
          #expect(try travelog("log", source, flag, text + "0").output == "")
          let rest = try travelog("log", source, flag, "").output
          #expect(rest != "" && !rest.contains("billing"))
          let report = try travelog("report", source, flag, text, "--json").output
          #expect(report.contains(#""reason":"ticket 7","request":"POST /pay""#))
          #expect(!report.contains(#""op":"adopt""#))
        }
      }
      let filtered = folder.path + "/filtered"
      try FileManager.default.createDirectory(atPath: filtered, withIntermediateDirectories: true)
      let export = try travelog("export", path, "--to", filtered, "--reason", "ticket 7")
      #expect(export.code == 0)
      #expect(try travelog("verify", filtered).code == 0)
      let partial = try #require(
        try FileManager.default.subpathsOfDirectory(atPath: filtered).first {
          $0.split(separator: "/").last?.hasPrefix("partial=") == true
        }
      )
      let log = try travelog("log", filtered + "/" + partial)
      #expect(log.output.split(separator: "\n").map { $0.contains("ticket 7") } == [false, true])
      #expect(try travelog("log", path, "--author", "billing").output.contains("~1 product"))
      #expect(try travelog("undo", path, "2", "--dry-run").output.contains("price: 3 -> 4"))
      #expect(try travelog("undo", path, "2").code == 0)
      #expect(try travelog("undo", path, "2").errors.contains("later changes depend on it"))
      #expect(try travelog("promote", copy).code == 0)
      #expect(try travelog("diff", path, copy).output.contains("price: 3 -> 4"))
    }
  }

  @Test("Commands that read an earlier state, and dry runs, add nothing to the history.")
  func readingOnly() throws {
    let sql = shop + "; CREATE TABLE loose(a); INSERT INTO loose VALUES (1), (2)"
    try withDatabase(sql) { folder, path in
      try travelog("adopt", path)
      let program = try Connection(path: path, mode: .readWrite)
      try program.execute("INSERT INTO product VALUES ('tea', 3); DELETE FROM loose WHERE a = 1")
      let first = try travelog("diff", path + "@1", path)
      #expect(first.code == 1)
      #expect(first.output.contains(#"+ product ["text:tea"]"#), "\(first.output)")
      #expect(first.output.contains("- loose 1"), "\(first.output)")
      let undo = try travelog("undo", path, "2", "--dry-run")
      #expect(undo.code == 0, "\(undo.errors)")
      #expect(undo.output.contains("- loose 1"), "\(undo.output)")
      #expect(try travelog("report", path, "--output", folder.path + "/page.html").code == 0)
      let log = try travelog("log", path).output
      #expect(log.split(separator: "\n").count == 2, "\(log)")
      try program.execute(
        "CREATE TABLE rebuilt AS SELECT * FROM product; DROP TABLE product;"
          + " ALTER TABLE rebuilt RENAME TO product"
      )
      #expect(try travelog("log", path).output.contains("3 "))
      let early = try travelog("diff", path + "@2", path)
      #expect(early.code != 0)
      #expect(early.errors.contains("transaction 3 recorded tables again"), "\(early.errors)")
    }
  }

  @Test(
    "After a migration, blame names the transactions that set the values, and undo reverts them.",
    .enabled(if: installed("sqlite3") != nil, "sqlite3 is not installed")
  )
  func blameThroughMigration() throws {
    try withDatabase(shop) { folder, path in
      try travelog("adopt", path)
      let program = try Connection(path: path, mode: .readWrite)
      let bracket = "UPDATE travelog_context SET author = "
      try program.execute(
        "BEGIN; \(bracket)'alice'; INSERT INTO product VALUES ('tea', 3); \(bracket)NULL; COMMIT;"
          + "BEGIN; \(bracket)'bob'; UPDATE product SET price = 4 WHERE sku = 'tea';"
          + " \(bracket)NULL; COMMIT"
      )
      let sqlite = try #require(installed("sqlite3"))
      let migration = """
        CREATE TABLE n (sku TEXT PRIMARY KEY NOT NULL, price INT NOT NULL, state TEXT DEFAULT 'new');
        INSERT INTO n SELECT sku, coalesce(price, 0), 'new' FROM product; DROP TABLE product;
        ALTER TABLE n RENAME TO product; ALTER TABLE product RENAME COLUMN price TO cents;
        """
      let suspended = try travelog("adopt", "--suspend", path, "--", sqlite, path, migration)
      #expect(suspended.code == 0, "\(suspended.errors)")
      let logs = folder.path + "/logs"
      let exported = try travelog("export", path, "--to", logs)
      #expect(exported.code == 0, "\(exported.errors)")
      for history in [path, logs] {
        let blame = try travelog("blame", history, "product", #"["text:tea"]"#).output
        let lines = blame.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let authors = lines.filter { $0.first?.isNumber == true }.map {
          $0.contains("alice") ? "alice" : $0.contains("bob") ? "bob" : "migration"
        }
        #expect(authors == ["alice", "bob", "migration"], "\(blame)")
        #expect(lines.contains { $0.hasPrefix("state: ") && $0.contains("new") }, "\(blame)")
      }
      // The rebuilt table has no triggers, so all rows are recorded again. The values are the same.
      try program.execute(
        "CREATE TABLE n (sku TEXT PRIMARY KEY NOT NULL, cents INT, state TEXT);"
          + " INSERT INTO n SELECT sku, cents, 'old' FROM product; DROP TABLE product;"
          + " ALTER TABLE n RENAME TO product"
      )
      let rebuilt = try travelog("blame", path, "product", #"["text:tea"]"#).output
      #expect(rebuilt.contains("alice") && rebuilt.contains("bob"), "\(rebuilt)")
      #expect(rebuilt.contains("[difference]"), "\(rebuilt)")
    }
  }

  @Test(
    "A transaction before a migration can be undone.",
    .enabled(if: installed("sqlite3") != nil, "sqlite3 is not installed")
  )
  func undoBeforeMigration() throws {
    try withDatabase(shop) { _, path in
      try travelog("adopt", path)
      let program = try Connection(path: path, mode: .readWrite)
      try program.execute("INSERT INTO product VALUES ('tea', 3)")
      try travelog("log", path)
      try program.execute("UPDATE product SET price = 4 WHERE sku = 'tea'")
      let sqlite = try #require(installed("sqlite3"))
      let migration = """
        CREATE TABLE n (sku TEXT PRIMARY KEY NOT NULL, price INT NOT NULL, state TEXT NOT NULL);
        INSERT INTO n SELECT sku, price, 'new' FROM product; DROP TABLE product;
        ALTER TABLE n RENAME TO product; ALTER TABLE product RENAME COLUMN price TO cents;
        """
      let suspended = try travelog("adopt", "--suspend", path, "--", sqlite, path, migration)
      #expect(suspended.code == 0, "\(suspended.errors)")
      let undone = try travelog("undo", path, "3")
      #expect(undone.code == 0, "\(undone.errors)")
      let cents = try Connection(path: path, mode: .readOnly)
        .integer("SELECT cents FROM product WHERE sku = 'tea'")
      #expect(cents == 3)
    }
  }

  @Test(
    "The script of diff turns the rows of an earlier state into the present rows.",
    .enabled(if: installed("sqlite3") != nil, "sqlite3 is not installed")
  )
  func script() throws {
    let sql = """
      CREATE TABLE product(sku TEXT PRIMARY KEY COLLATE NOCASE, price INT UNIQUE, half AS (price / 2));
      CREATE TABLE loose(a, b);
      CREATE TABLE pair(x TEXT, y REAL, v BLOB, PRIMARY KEY (x, y)) WITHOUT ROWID;
      CREATE VIRTUAL TABLE note USING fts5(text);
      INSERT INTO product VALUES ('a', 1), ('b', 2), (NULL, 3);
      INSERT INTO loose VALUES (1, x'00'), ('it''s', -0.1);
      INSERT INTO note VALUES ('alpha'), ('beta');
      """
    try withDatabase(sql) { folder, path in
      try travelog("adopt", path)
      try Connection(path: path, mode: .readWrite).execute(
        """
        UPDATE product SET price = 9 WHERE sku = 'a'; UPDATE product SET price = 1 WHERE sku = 'b';
        DELETE FROM product WHERE sku IS NULL; INSERT INTO product VALUES ('A2', 2), (NULL, 5);
        UPDATE loose SET b = 1e300 WHERE a = 1; DELETE FROM loose WHERE b < 0;
        INSERT INTO loose VALUES (char(10) || 'é', 9223372036854775807);
        INSERT INTO pair VALUES ('k', 0.1, x'ff'), ('K', 0.1, NULL);
        UPDATE note SET text = 'gamma' WHERE text = 'beta';
        """
      )
      let logs = folder.path + "/logs"
      #expect(try travelog("export", path, "--to", logs).code == 0)
      let copy = folder.path + "/copy.db"
      #expect(try travelog("import", logs, "--into", copy, "--until", "1").code == 0)
      // A replica refuses the writes of the shell.
      #expect(try travelog("promote", copy).code == 0)
      let script = try travelog("diff", copy, path, "--format", "sql")
      #expect(script.code == 1, "\(script.errors)")
      let sqlite = try #require(installed("sqlite3"))
      let applied = try run(sqlite, ["-bail", copy], input: script.bytes)
      #expect(applied.code == 0, "\(applied.errors)\n\(script.output)")
      #expect(try travelog("diff", copy, path).output == "")
      #expect(try travelog("diff", copy, path, "--format", "sql").output == "")
      let found = try run(sqlite, [copy, "SELECT count(*) FROM note('gamma')"]).output
      #expect(found == "1\n")
    }
  }

  @Test(
    "Kills of a program, of undos and of exports lose and duplicate nothing.",
    .enabled(if: installed("python3") != nil, "there is no python3")
  )
  func kills() throws {
    let sql = "PRAGMA journal_mode = WAL; CREATE TABLE t(id INTEGER PRIMARY KEY, v INT UNIQUE)"
    try withDatabase(sql) { folder, path in
      try travelog("adopt", path)
      let logs = folder.path + "/logs"
      try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: true)
      try travelog("export", path, "--to", logs)
      let program = """
        import sqlite3, sys, random
        c = sqlite3.connect(sys.argv[1], timeout=30, isolation_level=None)
        r = random.Random(sys.argv[2])
        while True:
            c.execute("BEGIN IMMEDIATE")
            for _ in range(r.randint(1, 5)):
                c.execute("INSERT OR REPLACE INTO t VALUES (?, ?)", (r.randint(1, 50), r.randint(1, 50)))
            c.execute("COMMIT")
        """
      var random = SeededGenerator(for: "kills of adopted files")
      for round in 0..<trials(6, long: 100) {
        let last = try Store.open(.file(URL(fileURLWithPath: path))).read { try $0.sealedHead() }
        let processes = [
          ["python3", "-c", program, path, "\(round)"],
          [products + "/travelog", "undo", path, "\(last)"],
          [products + "/travelog", "export", path, "--to", logs],
        ].map { words -> ChildProcess in
          let process = ChildProcess()
          process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
          process.arguments = words
          process.standardOutput = FileHandle.nullDevice
          process.standardError = FileHandle.nullDevice
          return process
        }
        for process in processes { try process.run() }
        usleep(UInt32.random(in: 100_000..<400_000, using: &random))
        for process in processes {
          if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
          process.waitUntilExit()
        }
      }
      #expect(try travelog("export", path, "--to", logs).code == 0)
      let verification = try travelog("verify", logs, "--against", path)
      #expect(verification.code == 0, "\(verification.output) \(verification.errors)")
      #expect(try travelog("check", path).code == 0)
    }
  }
}
