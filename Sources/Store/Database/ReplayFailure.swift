import Changes

/// The reason why a transaction can't be replayed into a replica, or a replica can't be written.
package enum ReplayFailure: StoreReason {
  case replica, notAReplica
  case gap(Int64, expected: Int64), snapshotIntoContents
  case changedByOthers(version: String), mismatch(Int64, [ReplayDifference])
  case malformed(ChangeName, String), outOfPlace(ChangeName, next: Int64, count: Int64)
  case outOfOrder, incomplete(Int64, of: Int64), otherLineage(Int64, replica: Int64)
  case notAMigration(Int64), missingMigration(version: String)

  package typealias ChangeName = (sequence: Int64, transaction: Int64, object: ObjectName)

  package var code: StoreError.Code {
    switch self {
    case .replica: .replica
    case .gap, .snapshotIntoContents: .historyGap
    case .changedByOthers, .mismatch: .replayMismatch
    case .malformed, .outOfPlace: .damaged
    case .notAReplica, .outOfOrder, .incomplete, .otherLineage, .notAMigration, .missingMigration:
      .misuse
    }
  }

  package func wording(_ path: String) -> Wording {
    switch self {
    case .replica:
      "The store \(path) is a replica, which accepts only changes of its origin."
        + "\nTo make the replica independent: travelog promote \(path)"
    case .notAReplica: "The store \(path) is not a replica."
    case .gap(let id, let expected):
      "Transaction \(id) can't be replayed into the store \(path): the last transaction of the"
        + " store is \(expected - 1), so transaction \(expected) must be next."
    case .snapshotIntoContents:
      "A snapshot can't be replayed into \(path), which is not empty."
    case .changedByOthers(let version):
      "The replica \(path) can't be migrated to version \(version) of the schema because another"
        + " program has changed it."
    case .mismatch(let id, let differences):
      "Transaction \(id) can't be replayed or reverted in the store \(path) because another program"
        + " changed the same objects:\(items: differences)"
    case .malformed(let change, let detail): "\(text(change)) can't be replayed: \(detail).\n"
    case .outOfPlace(let change, let next, let count):
      "\(text(change)) can't be replayed: change \(next) of \(count) must be next.\n"
    case .outOfOrder: "The calls that replay into the store \(path) were made in the wrong order."
    case .incomplete(let done, let count):
      "Only \(done) of \(count) changes were replayed into the store \(path)."
    case .otherLineage(let lineage, let replica):
      "A snapshot of lineage \(lineage) can't be replayed into \(path), which has lineage \(replica)."
    case .notAMigration(let id):
      "Transaction \(id) has another schema than the transaction before it, but is not a migration."
    case .missingMigration(let version):
      "The migration of the store \(path) to version \(version) of the schema was not replayed."
    }
  }

  private func text(_ change: ChangeName) -> String {
    "Change \(change.sequence) of transaction \(change.transaction) (\(change.object))"
  }
}
