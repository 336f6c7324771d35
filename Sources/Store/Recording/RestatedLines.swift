import Format
import FoundationEssentials
import SQLite

/// Restatements in a temporary file, because an erasure can restate any number of lines.
package final class RestatedLines {
  private let connection: Connection
  private let adding: Statement
  private let removing: Statement

  package init() throws {
    // If the path is empty, SQLite creates a temporary file and deletes it itself.
    connection = try Connection(path: "", mode: .readWriteCreate)
    try connection.execute(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8192;
      CREATE TABLE line (id INTEGER PRIMARY KEY, lineage INTEGER, txn INTEGER, op TEXT,
        digest BLOB, sequence INTEGER, remaining BLOB,
        UNIQUE (lineage, txn, sequence, op, digest, remaining));
      BEGIN;
      """
    )
    adding = try connection.prepare(
      """
      INSERT OR IGNORE INTO line (lineage, txn, op, digest, sequence, remaining)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """
    )
    removing = try connection.prepare(
      """
      DELETE FROM line WHERE lineage = ?1 AND txn = ?2 AND op = ?3 AND digest = ?4
        AND sequence = ?5 AND remaining = ?6
      """
    )
  }

  /// Adds the lines that were not added before.
  package func add(_ restatement: Restatement) throws { try run(adding, restatement) }

  func remove(_ restatement: Restatement) throws { try run(removing, restatement) }

  private func run(_ statement: Statement, _ one: Restatement) throws {
    for line in one.lines {
      try statement.bind(1, one.lineage)
      try statement.bind(2, one.transaction)
      try statement.bind(3, one.operation.rawValue)
      try statement.bind(4, Data(one.digest.bytes))
      try statement.bind(5, line.sequence)
      try statement.bind(6, Data(line.values.bytes))
      try statement.run()
    }
  }

  /// Calls `body` with all lines in the order of lineages and transactions, in parts with at most
  /// `limit` lines.
  func forEachPart(ofLines limit: Int, _ body: ([Restatement]) throws -> Void) throws {
    let reading = try connection.prepare(
      "SELECT lineage, txn, op, digest, sequence, remaining FROM line ORDER BY lineage, txn, id"
    )
    var part: [Restatement] = []
    var count = 0
    while try reading.step() {
      guard let operation = TransactionOperation(rawValue: reading.string(at: 2)),
        let digest = Digest(bytes: reading.bytes(at: 3)),
        let values = Digest(bytes: reading.bytes(at: 5))
      else { continue }
      let one = Restatement(
        lineage: reading.int64(at: 0),
        transaction: reading.int64(at: 1),
        operation: operation,
        digest: digest,
        lines: [RestatedLine(sequence: reading.int64(at: 4), values: values)]
      )
      if part.last?.isContinued(by: one) == true {
        part[part.count - 1].lines += one.lines
      } else {
        part.append(one)
      }
      count += 1
      guard count == limit else { continue }
      try body(part)
      (part, count) = ([], 0)
    }
    if count > 0 { try body(part) }
  }
}

extension Restatement {
  /// Whether the other restatement has later lines of the same transaction.
  fileprivate func isContinued(by other: Restatement) -> Bool {
    guard let last = lines.last, let next = other.lines.first else { return false }
    return lineage == other.lineage && transaction == other.transaction
      && operation == other.operation && digest == other.digest && last.sequence < next.sequence
  }
}
