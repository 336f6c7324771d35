import SQLite

/// Makes history of what triggers caught, in the transaction of whoever writes next.
enum ForeignSeal {
  /// Seals all that there is; it must be in a transaction that holds the lock for writing.
  static func seal(
    on connection: Connection,
    blobs: Blobs,
    besides writing: ChangeRecorder? = nil
  ) throws {
    guard try CapturedRows.areThere(on: connection) else { return }
    let catalog = try Catalog(on: connection)
    // What was caught was written under the schema that the store has now.
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
  /// Keeps the ids that came from being given again, which SQLite does not where an update gave
  /// them.
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
