import Format
import FoundationEssentials
import SQLite

/// The statements that write rows of `history_transaction`.
final class TransactionRow {
  /// The maximum number of changes in a transaction whose digest is computed at once.
  ///
  /// For a transaction with more changes, the digest is computed when it is needed, at the latest
  /// by the next transaction. So a large save does not read its own changes again.
  static let promptDigestLimit = 1000

  private let last: Statement
  private let lastDigest: Statement
  private let insertion: Statement
  private let listing: Statement
  private let renumbering: Statement
  private let sealing: Statement
  private let schemaID: Int64
  private let rows: HistoryRows
  /// The digest of the transaction before the open transaction.
  private var previous: Digest?
  private let provenance: Provenance

  init(_ connection: Connection, schemaID: Int64, provenance: Provenance) throws {
    self.schemaID = schemaID
    rows = HistoryRows(connection)
    self.provenance = provenance
    let tables = connection.tables
    // The tables of an adopted file have no AUTOINCREMENT. For this file, the catalog has the id of
    // the last deleted transaction.
    let sequence =
      tables.prefix == nil
      ? "(SELECT seq FROM sqlite_sequence WHERE name = '\(tables.transaction)')" : "NULL"
    // The ids of changes rise with the ids of their transactions, also if the last changes were
    // deleted.
    last = try connection.prepare(
      """
      SELECT max(
          coalesce(\(sequence), 0),
          coalesce((SELECT max(id) FROM \(tables.transaction)), 0),
          coalesce((SELECT value FROM \(tables.catalog) WHERE key = 'history_base'), 0)),
        max(
          coalesce((SELECT max(id) FROM \(tables.change)), 0),
          coalesce(
            (SELECT first_change + changes - 1 FROM \(tables.transaction)
              ORDER BY id DESC LIMIT 1),
            0))
      """
    )
    lastDigest = try connection.prepare(
      "SELECT iif(op = 'gap', NULL, digest) FROM \(tables.transaction) ORDER BY id DESC LIMIT 1"
    )
    sealing = try connection.prepare("UPDATE \(tables.transaction) SET digest = ?2 WHERE id = ?1")
    insertion = try connection.prepare(
      """
      INSERT INTO \(tables.transaction) (id, time, author, process, process_id, host, bundle,
        schema, first_change, changes, seed, op, details, digest, state, reason, request)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
      """
    )
    listing = try connection.prepare(
      "SELECT id FROM \(tables.change) WHERE id >= ?1 ORDER BY id"
    )
    renumbering = try connection.prepare(
      "UPDATE \(tables.change) SET id = ?2, sequence = ?3 WHERE id = ?1"
    )
  }

  func nextIDs() throws -> (transaction: Int64, change: Int64) {
    defer { last.reset() }
    guard try last.step() else { return (1, 1) }
    let (transaction, change) = (last.int64(at: 0), last.int64(at: 1))
    guard HistoryRows.ids.contains(transaction) else {
      throw rows.impossible(transaction, "the id of the last transaction")
    }
    guard HistoryRows.ids.contains(change) else {
      throw rows.impossible(change, "the id of the last change")
    }
    return (transaction + 1, change + 1)
  }

  /// Computes the digest of the last transaction if it has none yet, and keeps the digest for the
  /// next transaction.
  func sealLast(_ id: Int64) throws {
    defer { lastDigest.reset() }
    previous = try lastDigest.step() ? Digest(bytes: lastDigest.bytes(at: 0)) : nil
    guard previous == nil else { return }
    guard let digest = try rows.digest(of: id) else {
      throw rows.damaged("transaction \(id) is missing")
    }
    if try rows.transaction(id)?.digest == nil {
      try sealing.bind(1, id)
      try sealing.bind(2, Data(digest.bytes))
      try sealing.run()
    }
    previous = digest
  }

  /// Closes a transaction: inserts its row.
  func insert(
    _ id: Int64,
    author: Author,
    firstRow: Int64,
    count: Int64,
    operation: TransactionOperation,
    details: String?,
    stamp: Provenance.Stamp?,
    keepsSeed: Bool = false
  ) throws {
    let stamp = stamp ?? provenance.stamp(author, count)
    var transaction = Transaction(
      id: id,
      time: stamp.time,
      operation: operation,
      author: Author.given(author.name),
      reason: Author.given(author.reason),
      request: Author.given(author.request),
      process: stamp.process,
      processID: stamp.processID,
      host: stamp.host,
      bundle: author.bundle,
      schema: try rows.schemaDigest(schemaID),
      count: count,
      seed: count > 0 || keepsSeed ? stamp.seed : nil,
      details: details
    )
    transaction.firstChange = firstRow
    if count <= Self.promptDigestLimit, let previous {
      transaction.digest = try rows.digest(of: transaction, after: previous)
    }
    try insert(transaction, schemaID: schemaID)
  }

  /// Inserts the row of a copied transaction with the properties that it has in the other history.
  func insert(_ transaction: Transaction) throws {
    var transaction = transaction
    if transaction.digest == nil, let previous {
      transaction.digest = try rows.digest(of: transaction, after: previous)
    }
    try insert(transaction, schemaID: try rows.schemaID(transaction.schema))
  }

  /// Prepares for the transaction that follows an inserted one; returns false if ``nextIDs()`` must
  /// look up the next ids.
  func follow(_ transaction: Transaction) -> Bool {
    guard transaction.operation != .gap, let digest = transaction.digest else { return false }
    previous = digest
    return true
  }

  private func insert(_ transaction: Transaction, schemaID: Int64) throws {
    try insertion.bind(1, transaction.id)
    try insertion.bind(2, transaction.time)
    try insertion.bind(3, transaction.author.map { .text($0) } ?? .null)
    try insertion.bind(4, transaction.process)
    try insertion.bind(5, transaction.processID)
    try insertion.bind(6, transaction.host)
    try insertion.bind(7, transaction.bundle.map { .text($0) } ?? .null)
    try insertion.bind(8, schemaID)
    try insertion.bind(9, transaction.firstChange)
    try insertion.bind(10, transaction.count)
    try insertion.bind(11, Data(transaction.seed?.bytes ?? []))
    try insertion.bind(12, transaction.operation.rawValue)
    try insertion.bind(13, transaction.details.map { .text($0) } ?? .null)
    try insertion.bind(14, transaction.digest.map { .blob(Data($0.bytes)) } ?? .null)
    try insertion.bind(15, transaction.state.rawValue)
    try insertion.bind(16, transaction.reason.map { .text($0) } ?? .null)
    try insertion.bind(17, transaction.request.map { .text($0) } ?? .null)
    try insertion.run()
  }

  /// Renumbers the changes of the open transaction without gaps, and returns the next id.
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
