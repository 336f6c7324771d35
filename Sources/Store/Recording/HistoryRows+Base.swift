import Format
import FoundationEssentials
import SQLite

extension HistoryRows {
  /// The base of history: the last transaction that was deleted from its beginning.
  func base() throws -> HistoryPoint {
    guard case .text(let identifier) = try Catalog.value("identifier", on: connection),
      case .integer(let lineage) = try Catalog.value("lineage", on: connection)
    else { throw missingCatalogEntry() }
    guard Self.ids.contains(lineage) else {
      throw impossible(lineage, "the lineage")
    }
    let id = try Catalog.value("history_base", on: connection)
    guard case .integer(let transaction) = id else {
      return HistoryPoint(
        lineage: lineage,
        transaction: 0,
        digest: TransactionDigest.beginning(ofStore: identifier, lineage: lineage)
      )
    }
    guard Self.ids.contains(transaction) else {
      throw impossible(transaction, "the transaction of the base")
    }
    guard case .blob(let bytes) = try Catalog.value("history_base_digest", on: connection),
      let digest = bytes.withUnsafeBytes({ Digest(bytes: $0) })
    else { throw missingCatalogEntry() }
    return HistoryPoint(lineage: lineage, transaction: transaction, digest: digest)
  }

  private func missingCatalogEntry() -> StoreError {
    damaged("the catalog has no valid identifier, no valid lineage or no valid digest of the base")
  }

  /// Sets the base: the last transaction that history no longer contains, or never contained.
  static func setBase(_ point: HistoryPoint, on connection: Connection) throws {
    try Catalog.set("history_base", value: .integer(point.transaction), on: connection)
    try Catalog.set(
      "history_base_digest",
      value: .blob(Data(point.digest.bytes)),
      on: connection
    )
  }

  /// The latest time of the transactions up to the base; nil if the time is not known.
  ///
  /// Stores that were pruned by an earlier version do not contain the latest time.
  func baseTime() throws -> String? {
    guard case .text(let time) = try Catalog.value("history_base_time", on: connection) else {
      return nil
    }
    return time
  }

  static func setBaseTime(_ time: String, on connection: Connection) throws {
    try Catalog.set("history_base_time", value: .text(time), on: connection)
  }

  /// The last transaction that recorded a deletion of older history; nil if there is none.
  func lastPrune() throws -> Transaction? {
    let query =
      "SELECT max(id) FROM \(tables.transaction) WHERE op = 'prune' AND state <> 'deleted'"
    return try connection.integer(query).flatMap { try transaction($0) }
  }

  /// Removes the seeds that are kept for snapshots.
  ///
  /// From the seed of a snapshot, the salts of all its values can be derived, so erased values
  /// could be guessed.
  static func forgetMarkSeeds(on connection: Connection) throws {
    try connection.execute(
      """
      UPDATE \(connection.tables.transaction) SET seed = X'' WHERE changes = 0 AND seed <> X''
      """
    )
  }
}
