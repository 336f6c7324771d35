import Foundation
import SQLite
import StoreTesting
import TestSupport
import Testing

@Suite("travelog query")
struct QueryProgramTests {
  /// Calls with the path of an adopted database, in which transaction 2 changed a price, transaction 3
  /// deleted a product, and transaction 4 dropped a table.
  private func withShop(_ body: (URL, String) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("shop.db").path
      let program = try Connection(path: path, mode: .readWriteCreate)
      try program.execute(
        """
        CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT, price REAL, photo BLOB, code TEXT);
        INSERT INTO product VALUES (1, 'Lamp, "old"', 49, x'00ff', 'secret'), (2, NULL, 5, '', '');
        CREATE TABLE tag (word TEXT PRIMARY KEY);
        CREATE TABLE hidden (x);
        """
      )
      let words = ["--without-column", "product.code", "--without-table", "hidden"]
      try #require(travelog(["adopt", path] + words).code == 0)
      for sql in [
        "UPDATE product SET price = 39 WHERE id = 1", "DELETE FROM product WHERE id = 2",
        "INSERT INTO tag VALUES ('new')",
      ] {
        try program.execute(sql)
        #expect(try travelog("status", path).code == 0)
      }
      try body(folder, path)
    }
  }

  private func digest(_ path: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path))
  }

  @Test("A new file of a point has the full-text tables of that time.")
  func fullText() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("app.db").path
      let program = try Connection(path: path, mode: .readWriteCreate)
      try program.execute(
        """
        CREATE VIRTUAL TABLE own USING fts5(a, b); INSERT INTO own VALUES ('hello', 'world');
        CREATE TABLE d (id INTEGER PRIMARY KEY, t); INSERT INTO d VALUES (7, 'lamp');
        CREATE VIRTUAL TABLE other USING fts5(t, content = 'd', content_rowid = 'id');
        INSERT INTO other (other) VALUES ('rebuild');
        """
      )
      #expect(try travelog("adopt", path).code == 0)
      try program.execute("DELETE FROM own; UPDATE d SET t = 'chair'")
      let (whole, part) = (folder.path + "/whole.db", folder.path + "/part.db")
      #expect(try travelog("query", path + "@1", "--into", whole).code == 0)
      #expect(
        try travelog("query", path + "@1", "--into", part, "--table", "own_content").code == 0
      )
      for file in [whole, part] {
        let new = try Connection(path: file, mode: .readWrite)
        let found = try new.prepare("SELECT b FROM own WHERE own MATCH 'hello'")
        #expect(try found.step() && found.string(at: 0) == "world", "\(file)")
      }
      let new = try Connection(path: whole, mode: .readWrite)
      #expect(try new.integer("SELECT rowid FROM other WHERE other MATCH 'lamp'") == 7)
    }
  }

  @Test("A statement reads the rows of a point as a table, as CSV and as JSON, with parameters.")
  func forms() throws {
    try withShop { _, path in
      let before = try digest(path)
      let sql = "SELECT id, name, price, photo FROM product WHERE id < :most ORDER BY id"
      let text = try travelog("query", path + "@1", sql, "-p", "most=9")
      #expect(
        text.output == """
          id  name         price  photo
          1   Lamp, "old"  49.0   x'00ff'
          2   NULL         5.0

          """
      )
      #expect(text.code == 0)
      let csv = try travelog("query", path + "@1", sql, "--parameter", "most=9", "--csv")
      #expect(
        csv.output
          == "id,name,price,photo\r\n1,\"Lamp, \"\"old\"\"\",49.0,AP8=\r\n2,,5.0,\r\n"
      )
      let json = try travelog("query", path + "@2", sql, "-p", "most=2", "--json")
      #expect(
        json.output == #"{"schema":1,"type":"query_row","row":{"id":1,"name":"Lamp, \"old\"","#
          + #""price":39.0,"photo":{"base64":"AP8="}}}"# + "\n"
      )
      let both = try travelog(
        "query",
        path,
        "SELECT o.id, n.price FROM old.product o LEFT JOIN product n USING (id) ORDER BY 1",
        "--at",
        "old=\(path)@1",
        "--csv"
      )
      #expect(both.output == "id,price\r\n1,39.0\r\n2,\r\n")
      #expect(try digest(path) == before)
    }
  }

  @Test("The tables of a point are listed, and values that history leaves out are NULL and named.")
  func tables() throws {
    try withShop { _, path in
      let list = try travelog("query", path + "@1", "--tables")
      #expect(list.output == "product(id, name, price, photo, code)\ntag(word)\n")
      let row = try travelog("query", path + "@1", "SELECT id, code FROM product", "--csv")
      #expect(row.output == "id,code\r\n1,\r\n2,\r\n")
      #expect(row.errors.contains("leaves out code of product"))
      let hidden = try travelog("query", path, "SELECT * FROM hidden")
      #expect(hidden.code == 64)
      #expect(hidden.errors.contains("leaves out the table “hidden”"))
    }
  }

  @Test("A state becomes a new file, whole or in part, and no file is replaced.")
  func newFile() throws {
    try withShop { folder, path in
      let file = folder.appendingPathComponent("old.db").path
      #expect(try travelog("query", path + "@1", "--into", file, "--table", "product").code == 0)
      let rows = try Connection(path: file, mode: .readOnly).prepare(
        "SELECT count(*), (SELECT count(*) FROM sqlite_schema WHERE type = 'table') FROM product"
      )
      #expect(try rows.step() && rows.int64(at: 0) == 2 && rows.int64(at: 1) == 1)
      let again = try travelog("query", path, "--into", file)
      #expect(again.code == 64)
      #expect(again.errors.contains("never replaced"))
      let unknown = try travelog("query", path, "--into", file + "2", "--table", "gone")
      #expect(unknown.code == 10)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(names.filter { $0.hasPrefix("old.db") } == ["old.db"])
    }
  }

  @Test("What can't be answered ends with the right code, and says why.")
  func refusals() throws {
    try withShop { folder, path in
      for (words, code, part) in [
        (["DELETE FROM product"], 64, "can't be run"),
        (["SELECT 1; SELECT 2"], 64, "more than one statement"),
        (["ATTACH 'x' AS y"], 64, "something else than read"),
        (["PRAGMA user_version = 7"], 64, "something else than read"),
        (["SELECT load_extension('x')"], 64, "can't be run"),
        (["SELECT * FROM missing"], 64, "no such table: missing"),
        (["SELECT :a"], 64, "has no value"), (["SELECT 1", "-p", "a=1"], 64, "no parameter :a"),
        (["SELECT 1", "--at", "main=\(path)"], 64, "used already"),
        (["SELECT 1", "--csv", "--json"], 64, "two forms"),
        (["SELECT 1", "--tables"], 64, "only one"),
        ([], 64, "needs a SELECT"), (["SELECT 1", "--table", "product"], 64, "--into"),
        (["SELECT abs(-9223372036854775808)"], 64, "integer overflow"),
        (
          [
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c",
            "--timeout", "1s",
          ], 2, "took longer than"
        ),
      ] as [([String], Int32, String)] {
        let run = try travelog(["query", path + "@1"] + words)
        #expect(run.code == code && run.errors.contains(part), "\(words): \(run.errors)")
      }
      #expect(try travelog("query", path + "@99", "SELECT 1").code == 10)
      #expect(try travelog("query", folder.path + "/none", "SELECT 1").code == 10)
      let old = try travelog("query", path + "@0", "SELECT 1")
      #expect(old.code == 12, "\(old.errors)")
    }
  }

  @Test("A point in a gap and a point that was pruned end with 12.")
  func gap() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      try travelog("export", world.store, "--to", world.logs)
      let pruned = try travelog("prune", world.store, "--logs", world.logs, "--keep", "0s")
      #expect(pruned.code == 0, "\(pruned.errors)")
      #expect(try travelog("query", world.store + "@2", "SELECT 1").code == 12)
      let sql = "SELECT count(*) > 0 AS n FROM Guest"
      let logs = try travelog("query", world.logs + "@2", sql, "--csv")
      #expect(logs.output == "n\r\n1\r\n", "\(logs.errors)")
    }
  }
}
