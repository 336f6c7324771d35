import Foundation
import SQLite
import StoreTesting
import Testing

@testable import Format
@testable import Store

/// A replica in a file that follows its origin through all its schemas.
struct FollowingReplica {
  let url: URL
  /// The maximum number of transactions in one SQL transaction.
  var batch = 3

  /// Creates a replica with the first schema of its origin.
  init(of origin: Store, at url: URL) throws {
    self.url = url
    _ = try Store.open(
      .file(url),
      schema: try origin.read { try #require(try $0.schemas().first?.schema) },
      options: Options(
        origin: ReplicaOrigin(identifier: origin.identifier, lineage: origin.lineage)
      )
    )
  }

  /// Follows with a replica that exists.
  init(at url: URL) { self.url = url }

  func open() throws -> Store { try Store.open(.file(url)) }

  /// Replays everything that the replica does not have yet.
  func follow(_ origin: Store, through last: Int64 = .max) throws {
    try origin.read { reader in
      let schemas = try reader.schemas()
      let content = { (digest: String) in try reader.largeValue(digest) }
      var next: [Transaction] = []
      func replayNext() throws {
        guard let name = next.first?.schema,
          let schema = schemas.first(where: { $0.digest == name })?.schema
        else { return }
        let run = next
        next = []
        func replay(_ replayer: Replayer) throws {
          for transaction in run { try replayOne(transaction, reader, replayer) }
        }
        let store = try open()
        if store.schema == schema {
          try store.replay(content: content, replay)
        } else {
          try Migration.replay(url, to: schema, content: content, replay)
        }
      }
      let first = try open().read { try $0.historyRange().head.transaction }
      let cursor = try reader.history(after: first, through: last)
      while let transaction = try cursor.nextTransaction() {
        if next.count >= batch || next.last.map({ $0.schema != transaction.schema }) ?? false {
          try replayNext()
        }
        next.append(transaction)
      }
      try replayNext()
    }
  }

  /// Expects that the replica equals its origin.
  func expectEquality(_ origin: Store, _ comment: String = "") throws {
    let replica = try open()
    let expected = try sortedRowDump(of: origin)
    try #require(try sortedRowDump(of: replica) == expected, "rows \(comment)")
    try #require(try lines(of: replica) == lines(of: origin), "history \(comment)")
    let head = try origin.read { try $0.historyRange().head }
    try #require(try replica.read { try $0.historyRange().head } == head, "head \(comment)")
    let blobs = "SELECT sha256, size, rows, history FROM store_blob ORDER BY 1"
    try #require(
      try Set(rows(blobs, in: replica)) == Set(rows(blobs, in: origin)),
      "large values \(comment)"
    )
    try #require(try structure(of: replica) == structure(of: origin), "tables \(comment)")
    try #require(try rows("PRAGMA foreign_key_check", in: replica) == [])
  }
}

/// Replays one transaction as a reader has it.
func replayOne(_ transaction: Transaction, _ reader: Reader, _ replayer: Replayer) throws {
  let cursor = try reader.history(after: transaction.id - 1, through: transaction.id)
  guard let transaction = try cursor.nextTransaction() else { return }
  try replayer.begin(transaction.id, count: transaction.count)
  while let change = try cursor.nextChange() { try replayer.apply(change) }
  try replayer.end(transaction)
}

/// All rows of a store's own tables, with columns sorted by name instead of by creation.
func sortedRowDump(of store: Store) throws -> [String] {
  var result: [String] = []
  let tables = try rows(
    """
    SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'
      AND name NOT GLOB 'history_*' AND name NOT GLOB 'store_*' AND name NOT GLOB 'travelog_*'
      ORDER BY name
    """,
    in: store
  )
  for table in tables {
    let columns = try rows(
      "SELECT name FROM pragma_table_xinfo(\(literal(table))) ORDER BY name",
      in: store
    )
    let list = columns.map { "quote(\(quoted($0)))" }.joined(separator: " || '|' || ")
    result += try rows("SELECT \(list) FROM \(quoted(table)) ORDER BY 1", in: store)
      .map { "\(table): \($0)" }
  }
  return result
}
