import Foundation
import ProcessTesting
import SQLite
import TestSupport
import Testing

@Suite(
  "travelog with a database in UTF-16",
  .enabled(if: installed("sqlite3") != nil, "sqlite3 is not installed")
)
struct UTF16ProgramTests {
  /// The rows of a table as the `sqlite3` program reads them, with the bytes of each text.
  private func rows(_ path: String) throws -> String {
    let sqlite = try #require(installed("sqlite3"))
    let list = ["sku", "name", "price"].map { "typeof(\($0)), hex(CAST(\($0) AS BLOB))" }
    let sql = "SELECT \(list.joined(separator: ", ")) FROM product ORDER BY 2"
    let result = try run(sqlite, [path, "PRAGMA encoding; " + sql])
    #expect(result.code == 0, "\(result.errors)")
    return result.output
  }

  /// Runs the program, which must succeed.
  @discardableResult
  private func succeed(_ words: String...) throws -> String {
    let result = try run(products + "/travelog", words)
    #expect(result.code == 0, "\(words) \(result.errors)")
    return result.output
  }

  @Test(
    "Every command works, and a replica has the same bytes.",
    arguments: [("UTF-16le", "00d8", "ffff"), ("UTF-16be", "d800", "ffff")]
  )
  func commands(encoding: String, surrogate: String, noncharacter: String) throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("shop.db").path
      let (logs, copy) = (folder.path + "/logs", folder.path + "/copy.db")
      func change(_ sql: String) throws {
        let sqlite = try #require(installed("sqlite3"))
        let result = try run(sqlite, ["-bail", path, sql])
        #expect(result.code == 0, "\(result.errors)")
      }
      func replicate() throws {
        try succeed("export", path, "--to", logs)
        try succeed("verify", logs, "--against", path)
        try succeed("import", logs, "--into", copy)
        #expect(try rows(copy) == rows(path))
        if let sqldiff = installed("sqldiff") {
          let words = ["--primarykey", "--table", "product", path, copy]
          #expect(try run(sqldiff, words).output == "")
        }
        for file in [path, copy] { try succeed("check", file) }
        #expect(try succeed("diff", path, copy) == "")
        #expect(try succeed("diff", path, copy, "--format", "sql") == "")
      }
      let broken = "CAST(x'\(surrogate)' AS TEXT)"
      try change(
        """
        PRAGMA encoding = '\(encoding)';
        CREATE TABLE product(sku TEXT PRIMARY KEY NOT NULL, name TEXT UNIQUE, price INT);
        INSERT INTO product VALUES ('tea', 'Té', 3), (\(broken), CAST(x'\(noncharacter)' AS TEXT), 4);
        """
      )
      let before = try rows(path)
      #expect(try succeed("adopt", path, "--dry-run").contains("Table 'product' is recorded."))
      try succeed("adopt", path)
      try replicate()
      try change(
        """
        BEGIN;
        UPDATE travelog_context SET author = 'billing', reason = 'größer', request = 'r1';
        UPDATE product SET name = name || \(broken) || char(0) || 'b', price = 9 WHERE price = 4;
        INSERT INTO product VALUES (char(65279) || 'x', '', \(broken));
        DELETE FROM product WHERE sku = 'tea';
        UPDATE travelog_context SET author = NULL;
        COMMIT;
        """
      )
      try replicate()
      // The bytes of the key are ED A0 80.
      let row = #"["text64:7aCA"]"#
      for source in [path, logs, copy] {
        let log = try succeed("log", source, "--author", "billing", "--patch")
        #expect(log.contains("billing: größer (r1)"))
        #expect(log.contains("~ product \(row)"))
        #expect(log.contains(#"name: "\#u{ffff}" -> "text64:77+/7aCAAGI=""#))
        #expect(try succeed("show", source, "3", "--json").contains("\u{feff}x"))
        #expect(try succeed("blame", source, "product", row).contains("before: 4"))
        #expect(try succeed("report", source, "--json").contains("billing"))
      }
      let past = folder.path + "/past.db"
      try succeed("import", logs, "--into", past, "--until", "1")
      // A replica refuses the writes of the shell.
      try succeed("promote", past)
      let script = try run(products + "/travelog", ["diff", past, path, "--format", "sql"])
      #expect(script.code == 1, "\(script.errors)")
      let sqlite = try #require(installed("sqlite3"))
      let applied = try run(sqlite, ["-bail", past], input: script.bytes)
      #expect(applied.code == 0, "\(applied.errors)\n\(script.output)")
      #expect(try rows(past) == rows(path))
      try succeed("undo", path, "3")
      #expect(try rows(path) == before)
      try replicate()
      try repairs(path, logs: logs, row: row, broken: broken, change: change, replicate: replicate)
      try succeed("adopt", path, "--detach", "--discard-history")
      #expect(try rows(path).contains(encoding))
    }
  }

  private func repairs(
    _ path: String,
    logs: String,
    row: String,
    broken: String,
    change: (String) throws -> Void,
    replicate: () throws -> Void
  ) throws {
    let sqlite = try #require(installed("sqlite3"))
    let migration = "ALTER TABLE product ADD COLUMN size DEFAULT 'größe'"
    try succeed("adopt", "--suspend", path, "--", sqlite, path, migration)
    try replicate()
    let old = path + ".old"
    try FileManager.default.copyItem(atPath: path, toPath: old)
    try change("DELETE FROM product WHERE sku = \(broken)")
    try replicate()
    try succeed("erase", "--entity", "product", "--id", row, logs, "--store", path)
    #expect(try !succeed("log", path, "--patch").contains("77+/7aCAAGI="))
    #expect(try !succeed("log", logs, "--patch").contains("77+/7aCAAGI="))
    try replicate()
    try succeed("prune", path, "--logs", logs, "--keep", "0s")
    try replicate()
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: old, toPath: path)
    try change("UPDATE product SET name = \(broken) || 'new' WHERE sku = 'tea'")
    #expect(try run(products + "/travelog", ["export", path, "--to", logs]).code != 0)
    try succeed("recover", path, "--to", logs)
    let copy = path + ".copy"
    try succeed("import", logs, "--into", copy)
    #expect(try rows(copy) == rows(path))
    try succeed("promote", copy)
    #expect(try succeed("diff", path, copy) == "")
  }
}
