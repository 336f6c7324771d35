import Changes
import FoundationEssentials
import SQLite

/// The transactions that a reader sees before they are sealed.
///
/// The transactions are built in memory. They have the ids, seeds and digests that they will have
/// after sealing.
struct UnsealedHistory {
  /// The last sealed transaction of the store.
  let sealed: Int64
  /// The last captured row of the unsealed transactions.
  let lastCaught: Int64
  let rows: HistoryRows
  /// The values that are too large for a row of history and are not in blob files yet.
  let blobs: Blobs

  /// Builds the unsealed transactions; nil if everything is sealed.
  ///
  /// `isLast` returns whether the transaction of the last captured row is complete. Only complete
  /// transactions are shown.
  init?(
    of reader: Connection,
    history: HistoryRows,
    folder: BlobFolder?,
    configure: ((Connection) throws -> Void)?,
    isLast: (CapturedRow.Place) throws -> Bool
  ) throws {
    guard try Self.hasTable(reader), try CapturedRows.areThere(on: reader) else { return nil }
    let catalog = try Catalog(on: reader)
    // A foreign change in a replica is not part of its origin's history, so it is not shown.
    guard !catalog.isReplica else { return nil }
    guard let last = try Self.lastShown(on: reader, isLast) else { return nil }
    lastCaught = last
    let connection = try Connection(path: "", mode: .memory)
    // Queries of history may use functions that the caller adds, so this connection needs them too.
    try configure?(connection)
    rows = HistoryRows(connection)
    sealed = try Self.copyHead(from: reader, history: history, to: connection)
    blobs = Blobs(inMemory: connection, folder: folder, besides: reader)
    let recorder = try ChangeRecorder(
      connection,
      schema: catalog.schema,
      schemaID: catalog.schemaID,
      blobs: blobs,
      provenance: .system,
      after: SealedLines(history)
    )
    try ForeignTransactions(reader, schema: catalog.schema, recorder: recorder, blobs: blobs)
      .record(through: last)
  }

  /// Whether a store has the table of captured rows; a store of an earlier version may lack it.
  static func hasTable(_ connection: Connection) throws -> Bool {
    try connection.hasRow(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '\(ForeignCapture.name)'"
    )
  }

  /// The last captured row of the last transaction that can be shown; nil if there is none.
  private static func lastShown(
    on connection: Connection,
    _ isLast: (CapturedRow.Place) throws -> Bool
  ) throws -> Int64? {
    let statement = try CapturedRows.places(on: connection)
    var ended: CapturedRow.Place?
    var previous: CapturedRow.Place?
    while try statement.step() {
      let place = CapturedRows.place(at: statement)
      if let previous, previous.endsTransaction(before: place) { ended = previous }
      previous = place
    }
    if let previous, try isLast(previous) { return previous.id }
    return ended?.id
  }

  /// Copies the last transaction of the store's history, because the next transaction depends on
  /// it, and returns the id of the copied transaction.
  private static func copyHead(
    from reader: Connection,
    history: HistoryRows,
    to memory: Connection
  ) throws -> Int64 {
    try memory.execute(Catalog.statements(memory.tables))
    for (table, columns) in [
      ("store_catalog", ["key", "value"]), ("store_schema", ["id", "version", "digest", "json"]),
    ] {
      let list = columns.joined(separator: ", ")
      let reading = try reader.prepare("SELECT \(list) FROM \(table)")
      let writing = try memory.prepare(
        "INSERT INTO \(table) (\(list)) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
      )
      while try reading.step() {
        for index in columns.indices {
          try writing.bind(Int32(index) + 1, reading.value(at: Int32(index)))
        }
        try writing.run()
      }
    }
    let head = try history.range().head
    let sequence = try reader.integer(
      "SELECT seq FROM sqlite_sequence WHERE name = 'history_transaction'"
    )
    let last = max(sequence ?? 0, head.transaction)
    // Only the digest of the transaction is kept, because the next transaction needs it.
    try memory.run(
      """
      INSERT INTO history_transaction (id, time, op, process, process_id, host, schema,
        first_change, changes, seed, digest)
        SELECT ?1, '', 'recorded', '', 0, '', min(id), 1, 0, x'', ?2 FROM store_schema
      """,
      values: [.integer(last), .blob(Data(head.digest.bytes))]
    )
    return last
  }

  /// The last transaction; nil if the captured rows changed nothing.
  func head() throws -> HistoryPoint? {
    let head = try rows.range().head
    return head.transaction > sealed ? head : nil
  }
}
