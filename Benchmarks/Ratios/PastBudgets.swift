import Foundation
import Pipeline
import SQLite
import SampleTrips
import Store

/// The cost of queries at earlier points, of a store of SampleTrips and of an adopted file, each with
/// `count` changes.
struct PastBudgets {
  let count: Int
  private let program: ProgramBudgets
  private let folder: URL
  private let travelog: String
  private let store: String
  private let adopted: String
  private let logs: String

  init(count: Int, program: ProgramBudgets, folder: URL) throws {
    self.count = count
    self.program = program
    self.folder = folder
    travelog = builtTravelog
    store = folder.appending(path: "past.store").path
    adopted = folder.appending(path: "past.db").path
    logs = folder.appending(path: "past.logs").path
    try SampleTrips.seed(URL(fileURLWithPath: store), changes: count, seed: 2)
    _ = try ProgramRun(travelog, ["export", store, "--to", logs])
    try makeProgram()
  }

  /// A third as many rows as changes, and then commits of a hundred changes: inserted, updated and
  /// deleted rows.
  private func makeProgram() throws {
    let connection = try Connection(path: adopted, mode: .readWriteCreate)
    try connection.execute(
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
      CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INT, status TEXT, total REAL, note TEXT);
      CREATE INDEX orders_customer ON orders (customer);
      WITH RECURSIVE i(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM i WHERE x < \(count / 3))
        INSERT INTO orders SELECT x, x % 5000, 'new', x * 1.5, 'note ' || x FROM i;
      """
    )
    _ = try ProgramRun(travelog, ["adopt", adopted])
    var next = count / 3 + 1
    for round in 0..<count / 100 {
      try connection.execute("BEGIN")
      for number in 0..<100 {
        let id = (round * 7_919 + number * 104_729) % next + 1
        switch number % 20 {
        case 0..<7:
          try connection.execute("INSERT INTO orders VALUES (\(next), \(id), 'new', 7.5, 'note')")
          next += 1
        case 7..<18:
          try connection.execute("UPDATE orders SET status = 's\(number)' WHERE id = \(id)")
        default: try connection.execute("DELETE FROM orders WHERE id = \(id)")
        }
      }
      try connection.execute("COMMIT")
    }
    _ = try ProgramRun(travelog, ["status", adopted])
  }

  /// A point after which a part of the transactions is.
  private func point(_ part: Double, of path: String) throws -> String {
    let head = try readableStore(path).read { try $0.sealedHead() }
    return "\(path)@\(head - max(1, Int64(Double(head) * part)))"
  }

  var budgets: [Budget] {
    [
      Budget(
        name: "query 10 % ago, against import --until",
        limit: 0.1,
        peer: {
          let place = folder.appending(path: UUID().uuidString).path
          defer { program.remove(place) }
          let until = try point(0.1, of: store).split(separator: "@").last ?? ""
          return try ProgramRun(
            travelog,
            ["import", logs, "--into", place, "--until", String(until)]
          ).seconds
        },
        ours: { try query(store, "BucketListItem", 0.1) }
      )
    ]
  }

  var figures: [Figure] {
    [(store, "BucketListItem", "store"), (adopted, "orders", "adopted")].flatMap {
      path,
      table,
      kind in
      [
        figure("\(kind): a table one transaction ago, ms", 100) {
          try query(path, table, 0) * 1_000
        },
        figure("\(kind): 10 % ago, ms", 1_500) { try query(path, table, 0.1) * 1_000 },
        figure("\(kind): 90 % ago, ms", 5_000) { try query(path, table, 0.9) * 1_000 },
        figure("\(kind): one row by key, 90 % ago, ms", 50) {
          let words = ["query", try point(0.9, of: path), "SELECT * FROM \(table) WHERE id = 77"]
          return try ProgramRun(travelog, words).seconds * 1_000
        },
        figure("\(kind): 90 % ago, MiB", 64) {
          try program.mebibytes(
            ["query", try point(0.9, of: path), "SELECT count(*) FROM \(table)"]
          )
        },
      ]
    }
  }

  private func figure(
    _ name: String,
    _ limit: Double,
    _ measure: @escaping () throws -> Double
  ) -> Figure {
    Figure(name: name, limit: limit, measure: measure)
  }

  private func query(_ path: String, _ table: String, _ part: Double) throws -> Double {
    let words = ["query", try point(part, of: path), "SELECT count(*) FROM \(table)"]
    return try ProgramRun(travelog, words).seconds
  }
}
