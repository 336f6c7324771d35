import Format
import FoundationEssentials
import SQLite

/// The statements that read the rows of history on one connection.
///
/// Export, replay, the writer's digests and the lookup of points all use these statements.
final class HistoryRows {
  private static let columns = """
    t.id, t.time, t.op, t.author, t.process, t.process_id, t.host, t.bundle, t.schema,
    t.first_change, t.changes, t.seed, t.digest, t.state, t.details, t.reason, t.request
    """

  let connection: Connection
  private var schemas: [Int64: String] = [:]

  init(_ connection: Connection) { self.connection = connection }

  var tables: HistoryTables { connection.tables }

  var path: String { connection.path }

  /// A statement that reads the transactions with ids in a range, in ascending order.
  func transactions(after first: Int64, through last: Int64) throws -> Statement {
    try connection.query(
      """
      SELECT \(Self.columns) FROM \(tables.transaction) t
        WHERE t.id > ?1 AND t.id <= ?2 ORDER BY t.id
      """,
      values: [.integer(first), .integer(last)]
    )
  }

  /// A statement that reads the selected transactions, without deleted transactions.
  func transactions(_ selection: HistorySelection) throws -> Statement {
    var sql = "SELECT \(Self.columns) FROM \(tables.transaction) t WHERE t.state <> 'deleted'"
    if let condition = selection.condition { sql += " AND (\(condition))" }
    sql += " ORDER BY \(selection.order)"
    if let limit = selection.limit { sql += " LIMIT \(limit)" }
    return try connection.query(sql, values: selection.bindings)
  }

  var changes: String {
    """
    SELECT kind, sequence, entity, object, changed, before, after, special, large, transaction_id,
      leaf
      FROM \(tables.change) WHERE id >= ?1 ORDER BY id
    """
  }

  /// A statement that reads the changes from an id on, in ascending order.
  func changes(from first: Int64) throws -> Statement {
    try connection.query(changes, values: [.integer(first)])
  }

  /// A statement that reads the changes of a transaction, from the last change to the first.
  func changes(backwardsFrom transaction: Transaction) throws -> Statement {
    try connection.query(
      """
      SELECT kind, sequence, entity, object, changed, before, after, special, large, transaction_id,
      leaf
        FROM \(tables.change) WHERE id >= ?1 AND id < ?2 AND transaction_id = ?3 ORDER BY id DESC
      """,
      values: [
        .integer(transaction.firstChange), .integer(transaction.firstChange + transaction.count),
        .integer(transaction.id),
      ]
    )
  }

  /// A cached statement that reads the changes that an SQL condition selects, with their ids.
  func changes(where condition: String) throws -> Statement {
    try connection.cached(
      """
      SELECT kind, sequence, entity, object, changed, before, after, special, large,
        transaction_id, leaf, id FROM \(tables.change) WHERE \(condition)
      """
    )
  }

  /// A transaction without its changes; nil if history does not contain it.
  func transaction(_ id: Int64) throws -> Transaction? {
    let query = "SELECT \(Self.columns) FROM \(tables.transaction) t WHERE t.id = ?1"
    return try connection.first(query, values: [.integer(id)]) { try transaction(at: $0) }
  }

  /// The transactions after `id` that changed any of `objects`, each with the objects that it
  /// changed.
  func transactions(
    after id: Int64,
    changing objects: [(entity: String, id: ObjectID)]
  ) throws -> [(id: Int64, objects: [(entity: String, id: ObjectID)])] {
    let wanted = Dictionary(grouping: objects, by: \.entity).mapValues { Set($0.map(\.id)) }
    // The changes of later transactions have higher ids. So one range of ids contains all of them.
    let statement = try connection.query(
      """
      SELECT transaction_id, entity, object FROM \(tables.change)
        WHERE id >= (
          SELECT first_change FROM \(tables.transaction) WHERE id > ?1 ORDER BY id LIMIT 1)
        ORDER BY id
      """,
      values: [.integer(id)]
    )
    var result: [(id: Int64, objects: [(entity: String, id: ObjectID)])] = []
    while try statement.step() {
      let entity = statement.string(at: 1)
      let name = statement.type(at: 2) == .text ? RowName(canonical: statement.bytes(at: 2)) : nil
      let object = name.map { ObjectID($0) } ?? ObjectID(statement.int64(at: 2))
      guard wanted[entity]?.contains(object) == true else { continue }
      if result.last?.id != statement.int64(at: 0) { result.append((statement.int64(at: 0), [])) }
      result[result.count - 1].objects.append((entity, object))
    }
    return result
  }

  /// The time of a transaction; nil if history has no transaction with this id.
  func time(of id: Int64) throws -> String? {
    try connection.first(
      "SELECT time FROM \(tables.transaction) WHERE id = ?1",
      values: [.integer(id)]
    ) {
      $0.string(at: 0)
    }
  }

  /// The valid ids of transactions, and zero for no transaction.
  ///
  /// The limit lets code add to any id without an overflow, even if the file was forged.
  static let ids: Range<Int64> = 0..<1 << 62
  /// The valid numbers of changes in a transaction.
  static let counts: Range<Int64> = 0..<1 << 40

  func transaction(at row: Statement) throws -> Transaction {
    let id = row.int64(at: 0)
    guard Self.ids.contains(id) else {
      throw impossible(id, "the id of a transaction")
    }
    guard let operation = TransactionOperation(rawValue: row.string(at: 2)) else {
      throw damaged("transaction \(id) has the unknown op \(abbreviated(row.string(at: 2)))")
    }
    guard let state = Transaction.State(rawValue: row.string(at: 13)) else {
      throw damaged(
        "transaction \(id) has the unknown state \(abbreviated(row.string(at: 13)))"
      )
    }
    guard Self.ids.contains(row.int64(at: 9)) else {
      throw impossible(row.int64(at: 9), "the first change of transaction \(id)")
    }
    guard Self.counts.contains(row.int64(at: 10)) else {
      throw impossible(row.int64(at: 10), "the number of changes of transaction \(id)")
    }
    var transaction = Transaction(
      id: id,
      time: row.string(at: 1),
      operation: operation,
      author: row.isNull(at: 3) ? nil : row.string(at: 3),
      reason: row.isNull(at: 15) ? nil : row.string(at: 15),
      request: row.isNull(at: 16) ? nil : row.string(at: 16),
      process: row.string(at: 4),
      processID: row.int64(at: 5),
      host: row.string(at: 6),
      bundle: row.isNull(at: 7) ? nil : row.string(at: 7),
      schema: try schemaDigest(row.int64(at: 8)),
      count: row.int64(at: 10),
      seed: Seed(bytes: row.bytes(at: 11)),
      details: row.isNull(at: 14) ? nil : row.string(at: 14),
      digest: Digest(bytes: row.bytes(at: 12))
    )
    transaction.state = state
    transaction.firstChange = row.int64(at: 9)
    return transaction
  }

  func change(at row: Statement) throws -> Change {
    guard let kind = ChangeKind(name: row.bytes(at: 0)) else {
      throw unknownKind(row.string(at: 0), at: path)
    }
    var change = Change(
      kind: kind,
      sequence: row.int64(at: 1),
      entity: row.bytes(at: 2),
      object: row.int64(at: 3),
      changed: row.bytes(at: 4),
      before: row.bytes(at: 5),
      after: row.bytes(at: 6),
      special: row.bytes(at: 7),
      large: row.bytes(at: 8)
    )
    change.leaf = row.bytes(at: 10)
    if row.type(at: 3) == .text { change.name = row.bytes(at: 3) }
    return change
  }

  /// Calls `body` with each restatement in the details of transactions.
  func forEachRestatement(_ body: (Restatement) throws -> Void) throws {
    let statement = try connection.query(
      """
      SELECT id FROM \(tables.transaction)
        WHERE instr(details, '"restated":') > 0 AND state <> 'deleted'
      """
    )
    while try statement.step() {
      try transaction(statement.int64(at: 0))?.restatements.forEach(body)
    }
  }

  func schemaDigest(_ id: Int64) throws -> String {
    if let known = schemas[id] { return known }
    let find = "SELECT digest FROM \(tables.schema) WHERE id = ?1"
    guard
      let digest = try connection.first(find, values: [.integer(id)], read: { $0.string(at: 0) })
    else { throw missingSchema("\(id)", at: path) }
    schemas[id] = digest
    return digest
  }

  func schemaID(_ digest: String) throws -> Int64 {
    if let known = schemas.first(where: { $0.value == digest }) { return known.key }
    let find = "SELECT id FROM \(tables.schema) WHERE digest = ?1"
    guard let id = try connection.integer(find, values: [.text(digest)]) else {
      throw StoreError(.schemaMismatch, at: path) {
        "The store \(path) never had the schema \(digest), which a transaction needs."
          + "\nReplay the migration to that schema first."
      }
    }
    schemas[id] = digest
    return id
  }

  func damaged(_ detail: String) -> StoreError { damagedHistory(detail, at: path) }

  func impossible(_ number: Int64, _ name: String) -> StoreError {
    damaged("\(name) is the impossible number \(number)")
  }
}

package func damagedHistory(_ detail: String, at path: String) -> StoreError {
  StoreError(.damaged, at: path) { "The history of the store \(path) is damaged: \(detail)." }
}

package func missingSchema(_ schema: String, at path: String) -> StoreError {
  damagedHistory("the schema \(schema) is missing", at: path)
}

package func unreadableTransaction(_ id: Int64, _ detail: String, at path: String) -> StoreError {
  damagedHistory("transaction \(id) can't be read: \(abbreviated(detail))", at: path)
}

func unknownKind(_ kind: String, at path: String) -> StoreError {
  damagedHistory("a change has the unknown kind \(abbreviated(kind))", at: path)
}
