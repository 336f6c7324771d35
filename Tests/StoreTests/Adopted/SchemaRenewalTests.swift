import Format
import Foundation
import SQLite
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
}
