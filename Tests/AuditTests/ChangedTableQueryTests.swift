import ChangeLog
import Format
import Foundation
import Pipeline
import SQLite
import Store
import StoreTesting
import TestSupport
import Testing

@testable import Audit

@Suite("Queries of points before a change of tables, and of databases in UTF-16")
struct ChangedTableQueryTests {
  @Test(
    "Points before a renamed table or column are the same after a number in the header changes."
  )
  func numberAfterRenaming() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("app.db").path
      let program = try Connection(path: path, mode: .readWriteCreate)
      try program.execute(
        "CREATE TABLE t (a TEXT PRIMARY KEY, x); CREATE TABLE u (b); INSERT INTO t VALUES ('k', 1);"
          + " INSERT INTO u VALUES (2)"
      )
      _ = try Store.adopt(path)
      var states: [Int64: Dump] = [:]
      for sql in [
        "ALTER TABLE t RENAME COLUMN a TO c", "ALTER TABLE u RENAME TO v",
        "PRAGMA user_version = 5",
      ] {
        states[try readableStore(path).read { try $0.sealedHead() }] = try dump(path)
        try program.execute(sql)
      }
      _ = try readableStore(path)
      #expect(states.count == 3)
      for (id, state) in states { #expect(try dump(of: "\(path)@\(id)") == state, "at \(id)") }
    }
  }

  @Test("Two columns that exchange their names are a difference of two points.")
  func exchangedColumns() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("app.db").path
      let history = folder.path + "/app.history"
      let program = try Connection(path: path, mode: .readWriteCreate)
      try program.execute(
        "CREATE TABLE a (id INTEGER PRIMARY KEY, x, y); INSERT INTO a VALUES (1, 'x', 'y')"
      )
      _ = try Store.follow(path, history: history)
      try program.execute(
        "BEGIN; ALTER TABLE a RENAME COLUMN x TO q; ALTER TABLE a RENAME COLUMN y TO x;"
          + " ALTER TABLE a RENAME COLUMN q TO y; COMMIT"
      )
      let states = try StoreState.pair("\(history)@1", history)
      let differences = try StoreDifferences(states.first, states.second)
      var rows: [AdoptedRowPair] = []
      try differences.adoptedRows { rows.append($0) }
      let before = try #require(rows.first?.before)
      let after = try #require(rows.first?.after)
      #expect(rows.count == 1 && before != after && Set(before) == Set(after))
      var changed: [ChangeKind] = []
      try differences.objects { changed.append($0.kind) }
      #expect(changed == [.update])
    }
  }

  @Test("Points are not compared if rows changed in a way that no trigger captured.")
  func uncaptured() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("app.db").path
      let program = try Connection(path: path, mode: .readWriteCreate)
      try program.execute(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, x); INSERT INTO t VALUES (1, 2), (3, 4)"
      )
      _ = try Store.adopt(path)
      try program.execute("UPDATE t SET x = 7 WHERE id = 1")
      let head = try readableStore(path).read { try $0.sealedHead() }
      for point in 1...head { _ = try StoreState("\(path)@\(point)") }
      try program.setTriggers(enabled: false)
      try program.execute("INSERT INTO t VALUES (5, 6)")
      for point in 1...head {
        let error = #expect(throws: PipelineError.self) { try StoreState("\(path)@\(point)") }
        #expect(error?.code == .historyExpired)
      }
    }
  }

  @Test("Points before a table with another key got the name of a table have the earlier rows.")
  func otherKey() throws {
    for (before, after) in [
      ("(a INTEGER PRIMARY KEY, x)", "(a TEXT PRIMARY KEY, x)"),
      ("(a TEXT PRIMARY KEY, x)", "(a INTEGER PRIMARY KEY, x)"), ("(a, x)", "(x, a TEXT UNIQUE)"),
      ("(a TEXT PRIMARY KEY, x) WITHOUT ROWID", "(a, x, PRIMARY KEY (a, x)) WITHOUT ROWID"),
      ("(a, x, PRIMARY KEY (x, a)) WITHOUT ROWID", "(x, a PRIMARY KEY) WITHOUT ROWID"),
      ("(a, x, PRIMARY KEY (x, a))", "(x, a PRIMARY KEY)"),
    ] {
      try withTemporaryFolder { folder in
        let path = folder.appendingPathComponent("app.db").path
        let history = folder.path + "/app.history"
        let program = try Connection(path: path, mode: .readWriteCreate)
        try program.execute(
          "CREATE TABLE t \(before); INSERT INTO t (a, x) VALUES (1, 2), (2, 3);"
            + " CREATE TABLE e \(before)"
        )
        _ = try Store.follow(path, history: history)
        var states: [Int64: Dump] = [:]
        for sql in [
          "DROP TABLE t; CREATE TABLE t \(after); INSERT INTO t (a, x) VALUES (1, 4), (5, 6)",
          "ALTER TABLE e RENAME COLUMN a TO b; UPDATE t SET x = 7 WHERE a = 1",
          "DROP TABLE t; CREATE TABLE t \(before); INSERT INTO t (a, x) VALUES (1, 8), (6, 9)",
        ] {
          states[try readableStore(history).read { try $0.sealedHead() }] = try dump(path)
          try program.execute(sql)
        }
        let logs = LogFolder(folder.path + "/logs")
        try logs.create()
        _ = try export(ExportRequest(store: history, logs: logs))
        for (id, state) in states {
          for source in [history, logs.path] {
            let found = try dump(of: "\(source)@\(id)")
            #expect(found == state, "\(before) \(after) \(source) at \(id)")
          }
        }
      }
    }
  }

  @Test(
    "A database in UTF-16 has readable texts at a point, and a new file of the point the same bytes.",
    arguments: [("UTF-16le", "00d8"), ("UTF-16be", "d800")]
  )
  func otherEncoding(encoding: String, surrogate: String) throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("app.db").path
      let program = try Connection(path: path, mode: .readWriteCreate)
      try program.execute(
        "PRAGMA encoding = '\(encoding)'; CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT);"
          + " INSERT INTO t VALUES (1, 'Lämp'), (2, CAST(x'\(surrogate)' AS TEXT))"
      )
      _ = try Store.adopt(path)
      try program.execute("UPDATE t SET x = 'new'")
      let queried = try QueriedStates([("main", "\(path)@1")])
      let query = try PastQuery(queried.states.map { ($0.name, $0.state) })
      let found = try rows("SELECT x, typeof(x), 'é' || id FROM t WHERE id = 1", of: query).1
      #expect(found == ["text:Lämp|text:text|text:é1"])
      let name = try query.rows(of: "SELECT id FROM t WHERE x = :x", values: ["x": .text("Lämp")])
      #expect(try name.next() == [.integer(1)])
      let file = folder.path + "/into.db"
      _ = try queried.states[0].state.write(to: file)
      let new = try Connection(path: file, mode: .readOnly)
      let sql = "SELECT CAST(x AS BLOB) = x'\(surrogate)' FROM t WHERE id = 2"
      #expect(try rows(sql, on: new).1 == ["integer:1"])
    }
  }
}
