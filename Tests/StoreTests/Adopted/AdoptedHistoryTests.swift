import Format
import Foundation
import SQLite
import Store
import StoreTesting
import Testing

@Suite("The history of a database of another program")
struct AdoptedHistoryTests {
  @Test("Each row of each kind of key is recorded with its values before and after.")
  func values() throws {
    let program = try AdoptedProgram()
    try program.run(
      """
      BEGIN;
      UPDATE travelog_context SET author = 'billing', reason = 'ticket 7', request = 'r1';
      INSERT INTO person VALUES (4, 'Dan', 1);
      UPDATE person SET age = 2 WHERE id = 4;
      UPDATE person SET id = 5 WHERE id = 3;
      INSERT INTO pet (id, owner) VALUES (4, 4);
      UPDATE tag SET n = 'many' WHERE word = 'blue';
      UPDATE tag SET word = 'set' WHERE word IS NULL;
      DELETE FROM pair WHERE y = 1;
      UPDATE loose SET b = 9.5 WHERE a = 1;
      INSERT INTO loose VALUES ('new', x'0a');
      UPDATE loose SET a = a;
      DELETE FROM person WHERE id = 2;
      UPDATE travelog_context SET author = NULL;
      COMMIT;
      """
    )
    let history = try program.history()
    #expect(history.map(\.operation) == ["foreign"])
    #expect(history.map(\.author) == ["billing"])
    #expect(history.map(\.boundary) == ["proven"])
    #expect(
      history.first?.changes == [
        #"insert person 4  {"id":"integer:4","name":"text:Dan","age":"integer:2"}"#,
        #"delete person 3 {"id":"integer:3","name":"text:Cy","age":"integer:5"} "#,
        #"insert person 5  {"id":"integer:5","name":"text:Cy","age":"integer:5"}"#,
        #"insert pet 4  {"id":"integer:4","name":"text:Rex","owner":"integer:4"}"#,
        #"update tag ["text:blue"] {"n":"real:2.5"} {"n":"text:many"}"#,
        #"delete tag ["rowid:3"] {"word":null,"n":"blob:AP8="} "#,
        #"insert tag ["text:set"]  {"word":"text:set","n":"blob:AP8="}"#,
        #"delete pair ["text:k","integer:1"] {"x":"text:k","y":"integer:1","v":null} "#,
        #"update loose 1 {"b":"blob:"} {"b":"real:9.5"}"#,
        #"insert loose 4  {"a":"text:new","b":"blob:Cg=="}"#,
        #"delete pet 2 {"id":"integer:2","name":"text:Kit","owner":"integer:2"} "#,
        #"delete pet 3 {"id":"integer:3","name":"text:Ace","owner":"integer:2"} "#,
        #"delete person 2 {"id":"integer:2","name":"text:Bob","age":null} "#,
      ]
    )
    let transaction = try program.open().read { try $0.transaction(2) }
    #expect(transaction?.reason == "ticket 7")
    #expect(transaction?.request == "r1")
    #expect(transaction?.details == #"{"boundary":"proven"}"#)
  }

  @Test("The write-ahead log proves where each of several transactions ended.")
  func writeAheadLog() throws {
    let program = try AdoptedProgram("PRAGMA journal_mode = WAL;")
    for word in ["a", "b", "c"] {
      try program.run(
        "BEGIN; INSERT INTO tag VALUES ('\(word)', 1); UPDATE person SET age = 7; COMMIT"
      )
    }
    try program.run("BEGIN; DELETE FROM tag; ROLLBACK")
    try program.run("UPDATE person SET age = 8 WHERE id = 1")
    let history = try program.history()
    #expect(history.map(\.boundary) == ["proven", "proven", "proven", "proven"])
    #expect(history.map(\.changes.count) == [4, 1, 1, 1])
  }

  @Test("Without a write-ahead log, only a single transaction between two runs is proven.")
  func rollbackJournal() throws {
    let program = try AdoptedProgram()
    for word in ["a", "b"] {
      try Connection(path: program.path, mode: .readWrite)
        .execute("INSERT INTO tag VALUES ('\(word)', 1)")
    }
    #expect(try program.history().map(\.boundary) == ["assumed", "assumed"])
    try program.run("INSERT INTO tag VALUES ('c', 1)")
    #expect(try program.history().last?.boundary == "proven")
  }

  @Test("An author without an end is kept in the details, and is not the author of a transaction.")
  func unclosedBracket() throws {
    let program = try AdoptedProgram()
    try program.run("UPDATE travelog_context SET author = 'lost'; INSERT INTO tag VALUES ('a', 1)")
    try program.run(
      """
      BEGIN; UPDATE travelog_context SET author = 'kept'; DELETE FROM tag WHERE word = 'a';
      UPDATE travelog_context SET author = NULL; COMMIT; UPDATE pair SET v = 3
      """
    )
    let history = try program.history()
    #expect(history.map(\.author) == [nil, "kept", nil])
    #expect(history.map(\.boundary) == ["proven", "proven", "proven"])
    let details = try program.open().read { try $0.transaction(2)?.details }
    #expect(details == #"{"boundary":"proven","unclosed":{"author":"lost"}}"#)
  }

  @Test("A bracket that another program's bracket seems to end gives its author to no transaction.")
  func bracketOfTwoConnections() throws {
    let program = try AdoptedProgram()
    try program.run(
      "BEGIN; UPDATE travelog_context SET author = 'lost'; INSERT INTO tag VALUES ('a', 1); COMMIT"
    )
    for sql in [
      "INSERT INTO tag VALUES ('b', 1)",
      """
      BEGIN; UPDATE travelog_context SET author = NULL; INSERT INTO tag VALUES ('c', 1);
      UPDATE travelog_context SET author = NULL; COMMIT
      """,
    ] {
      try Connection(path: program.path, mode: .readWrite).execute(sql)
    }
    let history = try program.history()
    #expect(history.allSatisfy { $0.author == nil })
    #expect(history.count == 3)
  }

  @Test("Rows that REPLACE removes without a trigger are recorded as deleted.")
  func replacedRows() throws {
    let program = try AdoptedProgram("PRAGMA journal_mode = WAL;")
    try program.connection.setForeignKeys(enforced: false)
    try program.run("INSERT OR REPLACE INTO person VALUES (9, 'Ann', 31)")
    try program.run("INSERT OR REPLACE INTO person VALUES (9, 'Ann', 32)")
    try program.run("INSERT OR IGNORE INTO person VALUES (12, 'Ann', 33)")
    try program.run("UPDATE OR REPLACE person SET name = 'Ann' WHERE id = 2")
    try program.run("REPLACE INTO pair VALUES ('k', 2, 'again')")
    #expect(
      try program.history().map(\.changes) == [
        [
          #"delete person 1 {"id":"integer:1","name":"text:Ann","age":"integer:30"} "#,
          #"insert person 9  {"id":"integer:9","name":"text:Ann","age":"integer:31"}"#,
        ],
        [#"update person 9 {"age":"integer:31"} {"age":"integer:32"}"#],
        [
          #"delete person 9 {"id":"integer:9","name":"text:Ann","age":"integer:32"} "#,
          #"update person 2 {"name":"text:Bob"} {"name":"text:Ann"}"#,
        ],
        [#"update pair ["text:k","integer:2"] {"v":"text:two"} {"v":"text:again"}"#],
      ]
    )
  }

  @Test("A large text is recorded by its digest, and its bytes can be read.")
  func largeText() throws {
    let program = try AdoptedProgram("PRAGMA journal_mode = WAL;")
    try program.run("INSERT INTO tag VALUES ('big', printf('%.*c', 1200000, 'x'))")
    try program.run("UPDATE tag SET n = 0 WHERE word = 'big'")
    let text = Data(repeating: UInt8(ascii: "x"), count: 1_200_000)
    let digest = SHA256.digest(of: Array(text)).description
    let store = try program.open()
    #expect(try store.read { try $0.largeData(digest) } == text)
    #expect(
      try program.history().map(\.changes) == [
        [#"insert tag ["text:big"]  {"word":"text:big","n":"text:"}"#],
        [#"update tag ["text:big"] {"n":"text:"} {"n":"integer:0"}"#],
      ]
    )
  }
}
