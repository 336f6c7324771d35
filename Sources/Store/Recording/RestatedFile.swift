import SQLite

/// A temporary file for the details of the transactions that record an erasure of too many lines
/// for one transaction.
final class RestatedFile {
  private let connection: Connection
  /// The number of details that were read.
  private var read: Int64 = 0

  init() throws {
    // If the path is empty, SQLite creates a temporary file and deletes it itself.
    connection = try Connection(path: "", mode: .readWriteCreate)
    try connection.execute(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
      CREATE TABLE details (id INTEGER PRIMARY KEY, text TEXT);
      BEGIN;
      """
    )
  }

  func append(_ details: String) throws {
    try connection.run("INSERT INTO details (text) VALUES (?1)", values: [.text(details)])
  }

  /// The first details that were not read yet; nil if all were read.
  func next() throws -> String? {
    read += 1
    return try connection.first(
      "SELECT text FROM details WHERE id = ?1",
      values: [.integer(read)]
    ) { $0.string(at: 0) }
  }
}
