import Foundation
import Pages
import SQLite
import TestSupport

/// A random database with a write-ahead log, and the rows after each of its commits.
final class LoggedDatabase {
  let database: RandomDatabase
  private let folder: URL
  private var copies = 0
  /// The rows at the beginning of the log and after each commit in it.
  private(set) var states: [[String: [[Stored]]]] = []

  init(_ folder: URL, pageSize: Int, encoding: String, vacuum: String, seed: UInt64) throws {
    self.folder = folder
    database = try RandomDatabase(
      folder.appending(path: "app.db"),
      pageSize: pageSize,
      encoding: encoding,
      vacuum: vacuum,
      journal: "WAL",
      random: SeededGenerator(seed: seed)
    )
    try database.commit(statements: 40)
    try checkpoint("TRUNCATE")
  }

  var file: ByteSource { get throws { try ByteSource(contentsOf: database.url) } }
  var logBytes: [UInt8] { get throws { Array(try Data(contentsOf: log(of: database.url))) } }

  /// Checkpoints; the next commit begins the log again.
  func checkpoint(_ mode: String) throws {
    try database.connection.execute("PRAGMA wal_checkpoint(\(mode))")
    states = [try dump(database.connection)]
  }

  /// Commits, and keeps the rows of a copy of the database.
  func commit(statements count: Int) throws {
    try database.commit(statements: count)
    states.append(try rows(file, logBytes))
  }

  /// The rows that SQLite reads from a database and a log.
  func rows(_ file: ByteSource, _ log: [UInt8]) throws -> [String: [[Stored]]] {
    guard case .bytes(let bytes) = file else { return [:] }
    copies += 1
    let copy = folder.appending(path: "copy\(copies).db")
    try Data(bytes).write(to: copy)
    try Data(log).write(to: PagesTests.log(of: copy))
    defer {
      // The folder is removed at the end of the test.
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: copy.path + suffix)
      }
    }
    return try dump(Connection(path: copy.path, mode: .readWrite))
  }
}
