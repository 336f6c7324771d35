import Format
import Foundation
import SQLite
import StoreTesting
import Testing

@testable import Store

@Suite("A file that was adopted from another program")
struct AdoptedFileTests {
  private func findings(_ program: AdoptedProgram) throws -> [String] {
    var findings: [String] = []
    _ = try program.open().check { findings.append($0.description) }
    return findings
  }

  @Test("Detaching restores the schema exactly, and adopting again begins a new history.")
  func detaching() throws {
    let program = try AdoptedProgram(isAdopted: false)
    let schema = try schemaRows(of: program.path)
    let rows = try programRows(of: program.path)
    let result = try Store.adopt(program.path)
    #expect(result.rows == Int64(rows.count))
    #expect(try storeError { _ = try Store.adopt(program.path) }.code == .misuse)
    try program.run("INSERT INTO loose VALUES (8, 8); DELETE FROM loose WHERE a = 8")
    #expect(try program.open().identifier == result.identifier)
    #expect(try program.open().unrecordedTables() == [])
    try Store.detach(program.path)
    #expect(try schemaRows(of: program.path) == schema)
    #expect(try programRows(of: program.path) == rows)
    #expect(try storeError { try Store.detach(program.path) }.code == .notAStore)
    #expect(try storeError { _ = try Store.adopt(program.path, prefix: "a b") }.code == .misuse)
    let again = try Store.adopt(program.path, prefix: "audit_")
    #expect(again.identifier != result.identifier)
    try program.run("INSERT INTO tag VALUES ('new', 1)")
    #expect(try program.history().map(\.changes.count) == [1])
  }

  @Test("The differences of two adopted files are listed table by table.")
  func differences() throws {
    let (old, new) = (try AdoptedProgram(), try AdoptedProgram())
    func found() throws -> [String] {
      try old.open().read { left in
        try new.open().read { right in
          var result: [String] = []
          try left.differences(to: right) { change in
            let entity = String(decoding: change.entity, as: UTF8.self)
            result.append("\(change.kind.rawValue) \(entity) \(change.id)")
          }
          return result
        }
      }
    }
    #expect(try found() == [])
    try new.run(
      """
      UPDATE person SET age = 31 WHERE id = 1; INSERT INTO person VALUES (9, 'Eve', 1);
      DELETE FROM pet WHERE id = 3
      """
    )
    #expect(try found() == ["update person 1", "insert person 9", "delete pet 3"])
  }

  @Test("A copy of the file gets its own identity and an empty history.")
  func newIdentity() throws {
    let program = try AdoptedProgram()
    try program.run("INSERT INTO tag VALUES ('a', 1)")
    let identifier = try program.open().identifier
    #expect(try program.history().count == 1)
    #expect(try Store.renewIdentity(program.path) != identifier)
    #expect(try program.history() == [])
    try program.run("DELETE FROM tag WHERE word = 'a'")
    #expect(
      try program.history().map(\.changes) == [
        [#"delete tag ["text:a"] {"word":"text:a","n":"integer:1"} "#]
      ]
    )
  }

  @Test("A check finds rows that were changed past the triggers, and records their tables again.")
  func unrecordedRows() throws {
    let program = try AdoptedProgram()
    try program.run(
      """
      UPDATE person SET name = 'Anna' WHERE id = 1; INSERT INTO tag VALUES ('new', 1);
      DELETE FROM pair WHERE y = 2; UPDATE loose SET b = 1 WHERE a = 'text'
      """
    )
    #expect(try findings(program) == [])
    try program.connection.setTriggers(enabled: false)
    try program.run(
      """
      UPDATE person SET name = 'unseen', age = 31 WHERE id = 1; DELETE FROM tag WHERE word = 'new';
      INSERT INTO pair VALUES ('k', 2, 'back'); UPDATE loose SET b = 2 WHERE a = 'text'
      """
    )
    try program.connection.setTriggers(enabled: true)
    #expect(
      try findings(program) == [
        #"loose 2 has other values than in history: ["b"]"#,
        #"history does not have pair ["text:k","integer:2"], but the row exists"#,
        #"person 1 has other values than in history: ["name"]"#,
        #"history has tag ["text:new"], but the row is missing"#,
        // Only the digest of the table covers the age, which history does not have.
        "rows of table person have other values, and no transaction contains the change",
      ]
    )
    let result = try program.open().check(recording: Author(name: "Zoe")) { _ in }
    let history = try program.history()
    #expect(result.recorded == Int64(history.count + 1))
    #expect(history.last?.operation == "difference")
    #expect(history.last?.author == "Zoe")
    #expect(history.last?.changes.count == 11)
    #expect(try findings(program) == [])
  }

  @Test("A check finds transactions that were altered or removed.")
  func alteredHistory() throws {
    let program = try AdoptedProgram("PRAGMA journal_mode = WAL;")
    for age in 1...4 { try program.run("UPDATE person SET age = \(age) WHERE id = 1") }
    #expect(try program.history().count == 4)
    #expect(try findings(program) == [])
    try program.run(
      """
      UPDATE travelog_transaction SET author = 'forged' WHERE id = 2;
      DELETE FROM travelog_transaction WHERE id = 4
      """
    )
    #expect(
      try findings(program) == [
        "transaction 2 or an earlier transaction was altered: a digest does not match",
        "transaction 4 is missing",
      ]
    )
  }

  @Test("Rows of a table whose trigger was dropped are recorded again when the file is opened.")
  func droppedTrigger() throws {
    let program = try AdoptedProgram()
    try program.run("DROP TRIGGER travelog_after_update_2; UPDATE person SET age = 9 WHERE id = 1")
    let history = try program.history()
    #expect(history.map(\.operation) == ["difference"])
    #expect(
      history.first?.changes.filter { $0.contains("person") } == [
        #"insert person 1  {"id":"integer:1","name":"text:Ann","age":"integer:9"}"#,
        #"insert person 2  {"id":"integer:2","name":"text:Bob","age":null}"#,
        #"insert person 3  {"id":"integer:3","name":"text:Cy","age":"integer:5"}"#,
      ]
    )
    try program.run("UPDATE person SET age = 10 WHERE id = 1")
    #expect(
      try program.history().last?.changes == [
        #"update person 1 {"age":"integer:9"} {"age":"integer:10"}"#
      ]
    )
  }

  @Test("An undo restores the rows of all tables, unless later changes depend on it.")
  func undo() throws {
    let program = try AdoptedProgram("PRAGMA journal_mode = WAL;")
    let rows = try programRows(of: program.path)
    try program.run(
      """
      BEGIN; UPDATE tag SET word = 'new' WHERE word = 'red'; DELETE FROM person WHERE id = 2;
      DELETE FROM pair; UPDATE loose SET b = 7 WHERE a = 1; INSERT INTO tag VALUES ('more', 1);
      COMMIT
      """
    )
    let changed = try programRows(of: program.path)
    try program.open().checkUndo(2...2)
    #expect(try programRows(of: program.path) == changed)
    #expect(try program.open().undo(2...2, author: Author(name: "Zoe")) == 3)
    #expect(try programRows(of: program.path) == rows)
    let last = try program.history().last
    #expect(last?.author == "Zoe")
    #expect(last?.operation == "recorded")
    #expect(last?.changes.count == 9)
    try program.run("UPDATE loose SET b = 8 WHERE a = 1")
    try program.run("UPDATE loose SET b = 9 WHERE a = 1")
    let error = try storeError { try program.open().checkUndo(4...4) }
    #expect(error.code == .undoConflict)
    #expect(
      error.undoConflicts.map(\.description) == [
        #"loose 1.b was changed: it was "integer:8" and is "integer:9" now"#
      ]
    )
  }
}
