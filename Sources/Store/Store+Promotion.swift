import Format
import FoundationEssentials
import SQLite

extension Store {
  /// Turns a replica into an independent store with a new identifier.
  ///
  /// The history of the promoted store begins again, because the earlier transactions belong to the
  /// origin and its logs. Open the store again afterwards.
  ///
  /// - Parameter leftOut: Called with each trigger of an adopted file that the promoted store does
  ///   not have, because the trigger uses a table that is not recorded.
  /// - Returns: The new identifier.
  /// - Throws: ``StoreError``, with ``StoreError/Code/misuse`` if the store is not a replica. The
  ///   store is then unchanged.
  @discardableResult
  package func promote(
    leftOut: (_ trigger: String, _ table: String) throws -> Void = { _, _ in }
  ) throws -> String {
    guard isReplica else { throw notAReplica(at: location.path) }
    if schema.isAdopted {
      let (identifier, triggers) = try Self.promoteAdopted(
        location.path,
        busyTimeout: options.busyTimeout
      )
      for (trigger, table) in triggers { try leftOut(trigger, table) }
      return identifier
    }
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
      try UnknownValues.removeTable(on: connection)
      try Catalog.remove("replica", on: connection)
      try Self.forgetExports(on: connection)
      try writer.blobs.prepareToCommit()
      return identifier
    }
  }

  /// Turns a replica of an adopted file into an adopted file, with the triggers of its program.
  private static func promoteAdopted(
    _ path: String,
    busyTimeout: Duration
  ) throws -> (identifier: String, leftOut: [(trigger: String, table: String)]) {
    try describingErrors(at: path) {
      let connection = try openAdopted(path, busyTimeout: busyTimeout, allowsReplica: true)
      return try connection.inTransaction {
        let catalog = try Catalog(on: connection)
        guard catalog.isReplica, let names = AdoptedFile.names(on: connection) else {
          throw notAReplica(at: path)
        }
        try AdoptedFile.removeAll(names: names, on: connection)
        let leftOut = try AdoptedReplica.createTriggers(catalog.schema, on: connection)
        connection.removeCachedStatements()
        let result = try install(
          names,
          leavingOut: catalog.schema.leftOut ?? [],
          on: connection
        )
        return (result.identifier, leftOut)
      }
    }
  }
}

func notAReplica(at path: String) -> StoreError {
  StoreError(.misuse, at: path) { "The store \(path) is not a replica." }
}
