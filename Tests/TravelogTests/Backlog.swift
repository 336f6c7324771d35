import Foundation
import Pipeline
import SQLite
import Store
import Testing

/// An adopted file with captured changes that are not in its history yet.
struct Backlog {
  private static let files = ["", "-wal"]

  let path: String
  private let pristine: String
  private let folder: URL
  private let small: Int
  private let large: Int
  /// Keeps the write-ahead log, which proves the ends of transactions.
  private let program: Connection

  /// Creates a file in which a program has changed rows in many small transactions, and then
  /// `large` rows and a value of more than 1 MiB in one large transaction.
  init(journal: String, small: Int = 600, large: Int = 3000, in folder: URL) throws {
    self.folder = folder
    self.small = small
    self.large = large
    path = folder.path + "/app.db"
    pristine = folder.path + "/pristine.db"
    program = try Connection(path: pristine, mode: .readWriteCreate)
    try program.execute(
      """
      PRAGMA journal_mode = \(journal); PRAGMA synchronous = OFF;
      CREATE TABLE t(id INTEGER PRIMARY KEY, v, w UNIQUE);
      """
    )
    #expect(try travelog("adopt", pristine).code == 0)
    for number in 1...small {
      try program.execute(
        "INSERT INTO t VALUES (\(number), 0, NULL); UPDATE t SET v = 1 WHERE id = \(number)"
      )
    }
    try program.execute(
      """
      BEGIN;
      UPDATE travelog_context SET author = 'night job';
      WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT \(large))
        INSERT INTO t SELECT n + \(small), n, 'row ' || n FROM number;
      UPDATE t SET v = hex(zeroblob(600000)) WHERE id = 1;
      UPDATE travelog_context SET author = NULL;
      COMMIT;
      """
    )
    try prepare()
  }

  /// Creates the file again with the same captured changes, and then runs a statement.
  func prepare(_ statement: String = "SELECT 1") throws {
    try removeStore(path)
    for ending in Self.files where FileManager.default.fileExists(atPath: pristine + ending) {
      try FileManager.default.copyItem(atPath: pristine + ending, toPath: path + ending)
    }
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.keepWriteAheadLogOnClose()
    try connection.execute(statement)
  }

  /// The recorded changes that history must have, each as its kind and the id of its row.
  private var expected: [String] {
    (1...small).flatMap { ["insert \($0)", "update \($0)"] }
      + (small + 1...small + large).map { "insert \($0)" } + ["update 1"]
  }

  /// Exports the file, and checks that history has each change once, and that a replica and the
  /// file are equal.
  func check(logs: String, _ place: String) throws {
    let replica = folder.path + "/replica.db"
    try removeStore(replica)
    func expect(_ arguments: String...) throws {
      let run = try travelog(arguments)
      #expect(run.code == 0, "\(place): \(arguments) \(run.output)\(run.errors)")
    }
    try expect("export", path, "--to", logs)
    #expect(try changes() == expected, "\(place)")
    try expect("check", path)
    try expect("verify", logs, "--against", path)
    try expect("import", logs, "--into", replica)
    try expect("diff", replica, path)
    try expect("check", replica, "--logs", logs)
    let connection = try Connection(path: path, mode: .readWrite)
    let left = try connection.integer(
      """
      SELECT (SELECT count(*) FROM travelog_rows_0) + (SELECT count(*) FROM travelog_rows_1)
        + (SELECT count(*) FROM travelog_catalog WHERE key IN ('sealed', 'sealing'))
      """
    )
    #expect(left == 0, "\(place)")
  }

  private func changes() throws -> [String] {
    try readableStore(path).read { reader in
      let cursor = try reader.history()
      var result: [String] = []
      while try cursor.nextTransaction() != nil {
        while let change = try cursor.nextChange() {
          result.append("\(change.kind.rawValue) \(change.id)")
        }
      }
      return result
    }
  }
}
