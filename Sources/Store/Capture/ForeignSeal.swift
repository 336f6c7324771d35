import SQLite

/// Seals foreign changes in the transaction of the next writer.
enum ForeignSeal {
  /// Seals all captured rows.
  ///
  /// The open transaction must have the write lock.
  static func seal(
    on connection: Connection,
    blobs: Blobs,
    besides writing: ChangeRecorder? = nil
  ) throws {
    guard try CapturedRows.areThere(on: connection) else { return }
    let catalog = try Catalog(on: connection)
    // The rows were captured under the schema that the store has now, so the recorder uses this
    // schema.
    let recorder = try ChangeRecorder(
      connection,
      schema: catalog.schema,
      schemaID: catalog.schemaID,
      blobs: blobs,
      provenance: .system,
      besides: writing
    )
    try recorder.noteForeignChanges()
    let transactions = try ForeignTransactions(
      connection,
      schema: catalog.schema,
      recorder: recorder,
      blobs: blobs
    )
    try transactions.record(through: .max)
    try transactions.reserveIDs(on: connection)
    try connection.execute("DELETE FROM history_foreign")
  }
}

extension ForeignTransactions {
  /// Reserves the ids that foreign writers used, because SQLite does not reserve an id that an
  /// UPDATE set.
  fileprivate func reserveIDs(on connection: Connection) throws {
    for (table, highest) in highest where highest > 0 {
      for sql in [
        "UPDATE sqlite_sequence SET seq = ?2 WHERE name = ?1 AND seq < ?2",
        "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, ?2"
          + " WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)",
      ] {
        try connection.run(sql, values: [.text(table), .integer(highest)])
      }
    }
  }
}
