import FoundationEssentials
import Glibc
import SQLite

/// The statements that write rows of `history_transaction`.
final class TransactionRow {
  private let last: Statement
  private let insertion: Statement
  private let listing: Statement
  private let renumbering: Statement
  private let schemaID: Int64

  init(_ connection: Connection, schemaID: Int64) throws {
    self.schemaID = schemaID
    last = try connection.prepare(
      """
      SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'history_transaction'), 0),
        coalesce((SELECT max(id) FROM history_change), 0)
      """
    )
    insertion = try connection.prepare(
      """
      INSERT INTO history_transaction (id, time, author, process, process_id, host, bundle, schema,
        first_change, changes, salt, op)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
      """
    )
    listing = try connection.prepare(
      "SELECT id FROM history_change WHERE id >= ?1 ORDER BY id"
    )
    renumbering = try connection.prepare(
      "UPDATE history_change SET id = ?2, sequence = ?3 WHERE id = ?1"
    )
  }

  /// The id of the next transaction, and that of the next change.
  func next() throws -> (transaction: Int64, change: Int64) {
    defer { last.reset() }
    guard try last.step() else { return (1, 1) }
    return (last.int64(at: 0) + 1, last.int64(at: 1) + 1)
  }

  /// Writes the row that closes a transaction.
  func insert(
    _ id: Int64,
    _ author: Author,
    firstRow: Int64,
    count: Int64,
    operation: TransactionOperation = .recorded
  ) throws {
    try insertion.bind(1, id)
    try insertion.bind(2, currentTime())
    try insertion.bind(3, author.name.map { .text($0) } ?? .null)
    try insertion.bind(4, author.process)
    try insertion.bind(5, Int64(getpid()))
    try insertion.bind(6, hostName)
    try insertion.bind(7, author.bundle.map { .text($0) } ?? .null)
    try insertion.bind(8, schemaID)
    try insertion.bind(9, firstRow)
    try insertion.bind(10, count)
    var random = SystemRandomNumberGenerator()
    let salt = (0..<2).flatMap { _ in
      withUnsafeBytes(of: random.next() as UInt64) { Array($0) }
    }
    try insertion.bind(11, Data(salt))
    try insertion.bind(12, operation.rawValue)
    try insertion.run()
  }

  /// Numbers the changes of the open transaction anew, without gaps, and returns the next id.
  func closeGaps(from first: Int64) throws -> Int64 {
    try listing.bind(1, first)
    defer { listing.reset() }
    var ids: [Int64] = []
    while try listing.step() { ids.append(listing.int64(at: 0)) }
    for (index, id) in ids.enumerated() where id != first + Int64(index) {
      try renumbering.bind(1, id)
      try renumbering.bind(2, first + Int64(index))
      try renumbering.bind(3, Int64(index))
      try renumbering.run()
    }
    return first + Int64(ids.count)
  }
}
