import Adoption
import Changes
import SQLite
import StoreTesting
import Testing

@testable import Store

@Suite("Sealing the captured changes of an adopted file")
struct AdoptedSealTests {
  /// Calls `body` with a seal of a file in the open SQL transaction of a connection.
  private func withSeal(_ body: (AdoptedSeal, Connection) throws -> Void) throws {
    let program = try AdoptedProgram()
    let connection = try Connection(path: program.path, mode: .readWrite)
    try connection.useTables(prefix: CaptureNames.usualPrefix)
    try connection.inTransaction {
      let catalog = try Catalog(on: connection)
      let blobs = Blobs(connection, folder: nil)
      let seal = try AdoptedSeal(
        connection,
        names: try #require(AdoptedFile.names(on: connection)),
        layouts: catalog.schema.layouts(),
        recorder: ChangeRecorder(
          connection,
          schema: catalog.schema,
          schemaID: catalog.schemaID,
          blobs: blobs,
          provenance: .system
        ),
        blobs: blobs
      )
      try body(seal, connection)
    }
    // The folder of the file exists as long as the program.
    withExtendedLifetime(program) {}
  }

  @Test("A seal returns its last transaction, and nil if no row ends with other values.")
  func result() throws {
    for (sql, made) in [
      ("SELECT 1", nil), ("UPDATE loose SET b = b", nil), ("UPDATE loose SET b = 7", 2),
      ("INSERT INTO loose VALUES (9, 9); DELETE FROM loose WHERE a = 9", nil),
    ] as [(String, Int64?)] {
      try withSeal { seal, connection in
        try connection.execute(sql)
        let found = try seal.run()
        #expect(found == made, "\(sql)")
        for table in ["rows_0", "bracket"] {
          #expect(try !connection.hasRow("SELECT 1 FROM travelog_\(table)"), "\(sql)")
        }
      }
    }
  }

  @Test("A row that REPLACE deleted is found in a table of the catalog, also without its triggers.")
  func replacedRow() throws {
    try withSeal { seal, connection in
      let number = try #require(seal.tables.firstIndex { $0.layout.entity.name == "person" })
      let rows = seal.names.rows(number)
      try connection.execute(
        """
        DROP TRIGGER travelog_after_insert_\(number);
        INSERT INTO \(rows) (clock, kind, b0, b1, b2)
          VALUES (1, \(CapturedKind.victim.rawValue), 9, 'Zed', 1);
        INSERT INTO \(rows) (clock, kind, time, series, a0, a1, a2)
          VALUES (1, \(CapturedKind.insert.rawValue), 0, 1, 10, 'Zed', 2);
        """
      )
      #expect(try seal.run() == 2)
      let changes = try connection.all(
        "SELECT kind || ' ' || object FROM travelog_change WHERE transaction_id = 2 ORDER BY id"
      ) { $0.string(at: 0) }
      #expect(changes == ["delete 9", "insert 10"])
    }
  }

  @Test("A seal takes the write lock only if something was captured or a table changed.")
  func lock() throws {
    let program = try AdoptedProgram()
    #expect(try program.history() == [])
    let connection = try Connection(path: program.path, mode: .readWrite)
    try connection.useTables(prefix: CaptureNames.usualPrefix)
    func seal() throws { try AdoptedFile.seal(on: connection, blobFolder: nil) }
    try program.run("BEGIN IMMEDIATE")
    try seal()
    try program.run("INSERT INTO loose VALUES (1, 1); COMMIT; BEGIN IMMEDIATE")
    #expect(throws: SQLiteError.self) { try seal() }
    try program.run("COMMIT")
    try seal()
    try program.run("CREATE TABLE fresh(a); BEGIN IMMEDIATE")
    #expect(throws: SQLiteError.self) { try seal() }
    try program.run("COMMIT")
  }

  // MARK: The order of updates

  /// A captured event of a row of `loose`, with the values of `b` before and after it.
  private typealias Event = (kind: CapturedKind, before: String, after: String)

  /// The updates that are moved before another event, by the number of the event.
  ///
  /// The events are numbered from 1.
  private func moves(_ events: [Event]) throws -> [Int64: Int64] {
    var result: [Int64: Int64] = [:]
    try withSeal { seal, connection in
      for (index, event) in events.enumerated() {
        try connection.run(
          "INSERT INTO \(seal.names.rows(0)) (id, clock, kind, b0, a0, b1, a1)"
            + " VALUES (?1, ?1, ?2, 1, 1, ?3, ?4)",
          values: [
            .integer(Int64(index) + 1), .integer(event.kind.rawValue), .text(event.before),
            .text(event.after),
          ]
        )
      }
      let touched = try TouchedRows()
      try seal.findMoves(0, touched: touched)
      for number in 1...Int64(events.count) {
        if let update = try touched.update(movedBefore: number, table: 0) {
          result[number] = update
        }
      }
    }
    return result
  }

  @Test("An update is moved before the first event that changes its row again, and no other one.")
  func moved() throws {
    #expect(
      try moves([(.move, "A", "B"), (.update, "B", "C"), (.update, "A", "B")]) == [2: 3]
    )
    // The second change of the row is not its first one.
    #expect(
      try moves([
        (.move, "A", "B"), (.update, "B", "C"), (.update, "B", "D"), (.update, "A", "B"),
      ]) == [2: 4]
    )
    // An event of another row between the beginning and the update changes nothing.
    #expect(try moves([(.move, "A", "B"), (.update, "X", "Y"), (.update, "A", "B")]) == [:])
    // An event that has only one of the two values of the beginning is not the update.
    for (before, after) in [("A", "C"), ("C", "B")] {
      #expect(
        try moves([
          (.move, "A", "B"), (.update, before, after), (.update, "B", "D"), (.update, "A", "B"),
        ]) == [3: 4]
      )
    }
  }

  @Test("The last 1000 beginnings of updates are remembered.")
  func depth() throws {
    for (count, expected) in [(1000, [1001: 1002]), (1001, [:])] as [(Int, [Int64: Int64])] {
      let others = (1..<count).map { (.move, "\($0) old", "\($0) new") as Event }
      let found = try moves(
        [(.move, "A", "B")] + others + [(.update, "B", "C"), (.update, "A", "B")]
      )
      #expect(found == expected, "\(count) beginnings")
    }
  }
}
