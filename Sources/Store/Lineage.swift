import Format
import FoundationEssentials
import SQLite

extension Store {
  /// Begins a new lineage, because the history after a transaction differs from the exported
  /// history.
  ///
  /// History keeps the transactions after the base, with recomputed digests. The store must be
  /// opened again afterwards.
  ///
  /// - Parameter base: The last transaction to delete from history, with the digest that the new
  ///   lineage has for the state after this transaction.
  /// - Throws: ``StoreError``; the store is then unchanged.
  package func beginLineage(after base: HistoryPoint) throws {
    try maintain { writer in
      // The digest of the last transaction must be computed before its changes are deleted.
      try writer.recorder.sealLast()
      let connection = writer.connection
      try HistoryDeletion(writer).deleteAll(through: base.transaction)
      try Catalog.set("lineage", value: .integer(base.lineage), on: connection)
      try HistoryRows.setBase(base, on: connection)
      try Self.chainAnew(after: base, on: connection)
    }
  }

  private static func chainAnew(after base: HistoryPoint, on connection: Connection) throws {
    let rows = HistoryRows(connection)
    var previous = base.digest
    var next = base.transaction + 1
    while let transaction = try rows.transaction(next) {
      guard transaction.state != .deleted else {
        throw rows.erased(next)
      }
      let digest = try rows.digest(of: transaction, after: previous)
      try connection.run(
        "UPDATE \(connection.tables.transaction) SET digest = ?2 WHERE id = ?1",
        values: [.integer(next), .blob(Data(digest.bytes))]
      )
      previous = digest
      next += 1
    }
  }
}
