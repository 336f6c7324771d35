import Changes
import Foundation
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Store

@Suite("Comparing the tables of an adopted file with its catalog")
struct SchemaRenewalTests {
  private struct TakenBack: Error {}

  /// Calls `body` with a connection to an adopted file, in an SQL transaction.
  private func withFile(_ body: (Connection, Blobs, Catalog) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("app.db").path
      let sql = "CREATE TABLE a(id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (1, 'x')"
      try Connection(path: path, mode: .readWriteCreate).execute(sql)
      _ = try Store.adopt(path)
      let connection = try Connection(path: path, mode: .readWrite)
      try connection.useTables(prefix: "travelog_")
      let blobs = Blobs(connection, folder: nil)
      #expect(throws: TakenBack.self) {
        try connection.inTransaction(abandoned: {}) {
          try body(connection, blobs, Catalog(on: connection))
          throw TakenBack()
        }
      }
    }
  }

  @Test("A comparison reports a difference only if a table differs from the catalog.")
  func result() throws {
    for (sql, isChanged) in [
      ("SELECT 1", false), ("CREATE TABLE b(c); DROP TABLE b", false),
      ("ALTER TABLE a ADD COLUMN w", true), ("CREATE TABLE b(c)", true),
      ("CREATE INDEX a_v ON a(v)", true),
    ] {
      try withFile { connection, blobs, catalog in
        try connection.execute(sql)
        let renewal = SchemaRenewal(
          connection: connection,
          names: try #require(AdoptedFile.names(on: connection)),
          catalog: catalog,
          blobs: blobs
        )
        let found = try renewal.run()
        #expect(found == isChanged, "\(sql)")
        #expect(try AdoptedFile.isCurrent(on: connection))
        let version = try #require(Int64(catalog.schema.version))
        let now = try Catalog(on: connection).schema.version
        #expect(now == "\(version + (isChanged ? 1 : 0))", "\(sql)")
      }
    }
  }

  @Test("Tables that are recorded again get the next version of the schema.")
  func recordedAgain() throws {
    try withFile { connection, blobs, catalog in
      let renewal = SchemaRenewal(
        connection: connection,
        names: try #require(AdoptedFile.names(on: connection)),
        catalog: catalog,
        blobs: blobs
      )
      let made = try renewal.recordAgain(["a"], author: Author(name: "Zoe"))
      #expect(made == 2)
      let version = try #require(Int64(catalog.schema.version))
      #expect(try Catalog(on: connection).schema.version == "\(version + 1)")
      let transaction = try #require(try HistoryRows(connection).transaction(made))
      #expect(transaction.operation == .difference)
      #expect(transaction.author == "Zoe")
      #expect(transaction.count == 1)
      #expect(transaction.details == #"{"boundary":"proven","replaced":["a"],"captured":false}"#)
    }
  }

  @Test("The version after a version that is not a number is 1.")
  func forgedVersion() throws {
    try withFile { connection, blobs, catalog in
      var catalog = catalog
      catalog.schema.version = "first"
      let renewal = SchemaRenewal(
        connection: connection,
        names: try #require(AdoptedFile.names(on: connection)),
        catalog: catalog,
        blobs: blobs
      )
      _ = try renewal.recordAgain(["a"], author: Author())
      #expect(try Catalog(on: connection).schema.version == "1")
    }
  }

  @Test("If a table gets a new constraint, no row is recorded, and a replica has the constraint.")
  func newConstraint() throws {
    let program = try AdoptedProgram()
    let replica = try program.replica("replica.db", after: 1)
    try Store.suspend(program.path) {
      try program.run(
        """
        DROP TABLE pair;
        CREATE TABLE pair(x TEXT, y INT, v CHECK (v <> 'bad'), PRIMARY KEY (x, y)) WITHOUT ROWID;
        INSERT INTO pair VALUES ('k', 1, NULL), ('k', 2, 'two');
        """
      )
    }
    let history = try program.history()
    #expect(history.map(\.operation) == ["migration"])
    #expect(history.first?.changes == [])
    try replica.follow(program.open())
    #expect(try programRows(of: replica.url.path) == programRows(of: program.path))
    let table = try Connection(path: replica.url.path, mode: .readOnly)
      .first("SELECT sql FROM sqlite_schema WHERE name = 'pair'") { $0.string(at: 0) }
    #expect(table?.contains("CHECK (v <> 'bad')") == true)
  }

  @Test("A writer can't seal changes with a schema that is older than the tables.")
  func olderSchema() throws {
    try withFile { connection, blobs, catalog in
      let recorder = try ChangeRecorder(
        connection,
        schema: catalog.schema,
        schemaID: catalog.schemaID,
        blobs: blobs,
        provenance: .system
      )
      func seal() throws {
        try AdoptedFile.seal(
          on: connection,
          blobs: blobs,
          recorder: recorder,
          schema: catalog.schema
        )
      }
      try seal()
      try connection.execute("CREATE TABLE b(c)")
      #expect(try storeError { try seal() }.code == .changedMeanwhile)
    }
  }

  @Test("A row without a key and a rowid is damage, and the error names its table.")
  func nameless() throws {
    try withFile { connection, _, catalog in
      let layouts = try catalog.schema.layouts()
      let table = AdoptedTable(connection, layout: layouts[0], layouts: layouts)
      #expect(try table.name(of: [.integer(5), .null], rowid: nil) == RowName(ObjectID(5)))
      let error = try storeError { _ = try table.name(of: [.null, .null], rowid: nil) }
      #expect(error.code == .damaged)
      let message = "transaction 0 can't be read: a row of a has no key"
      #expect(error.message.contains(message), "\(error.message)")
    }
  }

  @Test("Triggers are suspended by another process only while that process is running.")
  func suspension() throws {
    func isRunning(_ process: Int32) throws -> Bool {
      let json = #"{"process":\#(process),"tables":{}}"#
      return try JSONDecoder().decode(Suspension.self, from: Data(json.utf8)).isRunning
    }
    let child = Process()
    child.executableURL = URL(fileURLWithPath: "/bin/true")
    try child.run()
    child.waitUntilExit()
    #expect(try !isRunning(child.processIdentifier))
    #expect(try !isRunning(getpid()))
    // The first process of the system is always running, and may belong to another user.
    #expect(try isRunning(1))
  }

  @Test("A replica finds the words of replayed rows in a full-text index.")
  func fullText() throws {
    let program = try AdoptedProgram(
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, body);
      CREATE VIRTUAL TABLE search USING fts5(body, content='note', content_rowid='id');
      """
    )
    let replica = try program.replica("replica.db", after: 1)
    func count(_ word: String) throws -> Int64? {
      try Connection(path: replica.url.path, mode: .readOnly)
        .integer("SELECT count(*) FROM search('\(word)')")
    }
    try program.run("INSERT INTO note VALUES (1, 'first')")
    try replica.follow(program.open())
    #expect(try count("first") == 1)
    try program.run("UPDATE note SET body = 'second'")
    try replica.follow(program.open())
    #expect(try count("second") == 1)
    try program.run("DELETE FROM note")
    try replica.follow(program.open())
    #expect(try count("second") == 0)
  }
}
