import Changes
import FoundationEssentials
import SQLite

extension Store {
  /// Ends a replica's life as one: it becomes a store with an identity of its own, which anybody may
  /// write to.
  ///
  /// Its history begins anew, because that of its origin stays in the origin's logs. The store is to
  /// be opened again afterwards.
  ///
  /// - Returns: The new identifier.
  /// - Throws: ``StoreError``, with ``StoreError/Code/misuse`` where it is no replica; nothing has
  ///   changed then.
  @discardableResult
  package func promote() throws -> String {
    guard isReplica else { throw ReplayFailure.notAReplica.at(location.path) }
    return try inTransaction { writer, connection in
      let last = try HistoryRows(connection).range().head.transaction
      let identifier = UUID().uuidString
      try HistoryDeletion(writer).deleteAll(through: last)
      try Catalog.set("identifier", value: .text(identifier), on: connection)
      try Catalog.set("lineage", value: .integer(0), on: connection)
      let digest = TransactionDigest.beginning(ofStore: identifier, lineage: 0)
      try HistoryRows.setBase(
        HistoryPoint(lineage: 0, transaction: last, digest: digest),
        on: connection
      )
      try connection.execute("DELETE FROM store_catalog WHERE key IN ('replica', 'rewound')")
      try Self.forgetExports(on: connection)
      try writer.blobs.prepareToCommit()
      return identifier
    }
  }
}
