import Adoption
import Changes
import SQLite
import StoreTesting
import Testing

@testable import Store

@Suite("Sealing the captured changes of an adopted file")
struct AdoptedSealTests {
  /// Runs statements and seals their changes, as a writer does in its SQL transaction.
  private func seal(_ sql: String) throws -> (last: Int64?, hasRows: Bool) {
    let program = try AdoptedProgram()
    let connection = try Connection(path: program.path, mode: .readWrite)
    try connection.useTables(prefix: CaptureNames.usualPrefix)
    return try connection.inTransaction {
      try connection.execute(sql)
      let catalog = try Catalog(on: connection)
      let blobs = Blobs(connection, folder: nil)
      let names = try #require(AdoptedFile.names(on: connection))
      let last = try AdoptedFile.sealAll(
        names,
        schema: catalog.schema,
        recorder: ChangeRecorder(
          connection,
          schema: catalog.schema,
          schemaID: catalog.schemaID,
          blobs: blobs,
          provenance: .system
        ),
        blobs: blobs,
        on: connection
      )
      let hasBracket = try connection.hasRow("SELECT 1 FROM \(names.bracket)")
      return (last, try AdoptedFile.unsealedCount(on: connection) > 0 || hasBracket)
    }
  }

  @Test("A seal returns its last transaction, and nil if no row ends with other values.")
  func result() throws {
    for (sql, made) in [
      ("SELECT 1", nil), ("UPDATE loose SET b = b", nil), ("UPDATE loose SET b = 7", 2),
      ("INSERT INTO loose VALUES (9, 9); DELETE FROM loose WHERE a = 9", 3),
    ] as [(String, Int64?)] {
      let (last, hasRows) = try seal(sql)
      #expect(last == made && !hasRows, "\(sql)")
    }
  }

  @Test("A seal takes the write lock only if something was captured or a table changed.")
  func lock() throws {
    let program = try AdoptedProgram()
    #expect(try program.history() == [])
    let connection = try Connection(path: program.path, mode: .readWrite)
    try connection.useTables(prefix: CaptureNames.usualPrefix)
    func seal() throws {
      try AdoptedFile.seal(on: connection, blobFolder: nil, timeout: .zero)
    }
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

  @Test("While another process is sealing, a command waits, and fails only after its timeout.")
  func waiting() throws {
    let program = try AdoptedProgram()
    try program.run("INSERT INTO loose VALUES (1, 1)")
    let connection = try Connection(path: program.path, mode: .readWrite)
    try connection.useTables(prefix: CaptureNames.usualPrefix)
    // Process 1 runs on each machine.
    let mark = #"{"process":1,"token":7,"time":\#(currentMilliseconds())}"#
    try Catalog.set("sealing", value: .text(mark), on: connection)
    let begin = ContinuousClock.now
    #expect {
      try AdoptedFile.seal(on: connection, blobFolder: nil, timeout: .milliseconds(200))
    } throws: { error in
      (error as? StoreError)?.code == .locked
    }
    #expect {
      try AdoptedFile.begin(waiting: .milliseconds(200), on: connection)
    } throws: { error in
      (error as? StoreError)?.code == .locked
    }
    #expect(ContinuousClock.now - begin >= .milliseconds(400))
    #expect(!connection.isInTransaction)
    try SealingMark.remove(on: connection)
    #expect(try program.history().count == 1)
  }
}
