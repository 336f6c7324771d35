import Adoption
import SQLite

/// The part of an adopted file's history that exists only in the file.
package struct UnloggedHistory: Sendable {
  /// The number of transactions with changes that no log contains.
  package let transactions: Int64
  /// Whether there are captured changes that are not sealed yet.
  package let hasCapturedChanges: Bool

  /// Examines the history; nil if logs contain all changes.
  ///
  /// The history of a replica comes from logs. A transaction without changes, such as an adoption,
  /// counts as contained in logs.
  init?(
    besides logged: ClosedRange<Int64>?,
    names: CaptureNames,
    on connection: Connection
  ) throws {
    let catalog = try Catalog(on: connection)
    guard !catalog.isReplica else { return nil }
    let logged = logged ?? 0...0
    transactions =
      try connection.first(
        """
        SELECT count(*) FROM \(connection.tables.transaction)
          WHERE changes > 0 AND state <> 'deleted' AND (id < ?1 OR id > ?2)
        """,
        values: [.integer(logged.lowerBound), .integer(logged.upperBound)]
      ) { $0.int64(at: 0) } ?? 0
    hasCapturedChanges = try Capture.unsealedCount(on: connection) > 0
    if transactions == 0, !hasCapturedChanges { return nil }
  }
}
