import Changes
import FoundationEssentials
import SQLite

extension Store {
  /// Turns a replica into an independent store with a new identifier.
  ///
  /// The history of the promoted store begins again, because the earlier transactions belong to the
  /// origin and its logs. Open the store again afterwards.
  ///
  /// - Returns: The new identifier.
  /// - Throws: ``StoreError``, with ``StoreError/Code/misuse`` if it is not a replica; nothing has
  ///   changed then.
  @discardableResult
  package func promote() throws -> String {
    guard isReplica else { throw ReplayFailure.notAReplica.at(location.path) }
    // A program that writes to it needs triggers, which `adopt` creates.
    try refuseIfAdopted("promoting a replica")
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
      for key in ["replica", "rewound"] { try Catalog.remove(key, on: connection) }
      try Self.forgetExports(on: connection)
      try writer.blobs.prepareToCommit()
      return identifier
    }
  }
}
