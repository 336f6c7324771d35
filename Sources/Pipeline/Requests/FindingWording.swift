import Format
import Store

extension Finding.Reason {
  var kind: Finding.Kind {
    switch self {
    case .isCovered: .gap
    case .isUnknownErasure, .hasNoParent, .tokenIsOther, .tokenIsDamaged, .erasuresAreOther,
      .stateDiffers, .startIsNotInParent, .filteredIsOther, .logIsDamaged:
      .damaged
    case .otherEnd(let end, let head, _):
      head.transaction > end.transaction ? .endMissing : .damaged
    case .tokenIsAhead, .treeIsAhead, .headIsMissing, .checkpointIsMissing, .positionIsMissing:
      .endMissing
    case .isOtherHistory, .rowDiffers, .moreRowsDiffer: .differs
    case .moreStrays: .misplaced
    default: .notice
    }
  }

  /// The message says what is wrong and where; the hint says what to do.
  func wording(path: String, transaction: Int64) -> Wording {
    switch self {
    case .isCovered(let folder):
      "The transactions of the log \(path) are also in another log."
        + "\nIf a compaction was interrupted, run “travelog compact \(folder)” again; otherwise"
        + " move the log out of the folder."
    case .isUnknownErasure(let digest):
      "\(path) says that values of transaction \(transaction) were erased, but the logs do not have"
        + " transaction \(transaction) with the digest \(digest)."
        + "\nCompare the file with another copy."
    case .hasNoParent(let lineage):
      "The first transaction of lineage \(lineage) does not name the head of the previous lineage."
        + "\nCompare the first log of lineage \(lineage) with other copies."
    case .otherEnd(let end, let head, let next) where head.transaction > end.transaction:
      "Lineage \(next) says that lineage \(end.lineage) ended with transaction \(head.transaction),"
        + " but the sound logs of lineage \(end.lineage) end at transaction \(end.transaction)."
        + "\nCopy the missing logs into the folder."
    case .otherEnd(let end, let head, let next):
      "Lineage \(next) says that lineage \(end.lineage) ended with transaction \(head.transaction)"
        + difference(between: end, and: head)
        + "\nThe logs of one of the two lineages were altered; compare the logs of both with other"
        + " copies."
    case .tokenIsAhead(let end):
      "The token \(path) says that transaction \(transaction) was exported, but the sound logs"
        + " end at transaction \(end)."
        + "\nCopy the missing logs into the folder."
    case .treeIsAhead(let end):
      "The tree \(path) has transactions up to \(transaction), but the sound logs end at"
        + " transaction \(end)."
        + "\nCopy the missing logs into the folder. Until then, keep a copy of the tree, which shows that"
        + " logs are missing."
    case .tokenIsOther:
      "The token \(path) has another digest of transaction \(transaction) than the logs."
        + "\nThe token or the logs were altered; compare the token and the logs with other copies."
    case .tokenIsDamaged(let damage): "The token \(path) can't be read: \(damage)"
    case .headIsMissing(let head, let end):
      "No transaction of the logs has the digest \(head). The last sound transaction, \(end.transaction), has"
        + " the digest \(end.digest): later logs are missing, or history was altered."
    case .erasuresAreOther(let digest):
      "The last erasure record does not have the digest \(digest): the records were altered, or"
        + " values were erased after the digest was noted."
    case .positionIsMissing(let position):
      "The logs do not have transaction \(position.transaction) with the digest \(position.digest):"
        + " the logs end before this transaction, or history was altered."
    case .isOtherHistory(let error): "\(error.message)"
    case .rowDiffers(let difference, let folder):
      text(difference, id: "\(difference.id)", is: "in \(path)", andNot: "in the logs")
        + "\nSome changes of the store's rows are missing from its history. To list these rows, run"
        + " “travelog check \(path) --logs \(folder)”."
    case .stateDiffers(let difference, let place):
      text(
        difference,
        id: "\(difference.object)",
        is: "in \(name(place, transaction))",
        andNot: "in a replay of the logs"
      )
    case .filteredIsOther:
      "The filtered logs have another digest of transaction \(transaction) than the logs without a"
        + " filter."
        + "\nThe logs of one of the two were altered; compare both with other copies."
    case .startIsNotInParent(let lineage, let end):
      "Lineage \(lineage) begins after transaction \(transaction) of lineage \(end.lineage), but lineage"
        + " \(end.lineage) ends at transaction \(end.transaction)."
        + "\nCompare the first log of lineage \(lineage) with other copies."
    case .checkpointIsMissing(let checkpoint, let end):
      "The logs do not contain the history of the checkpoint of size \(checkpoint.head.count), of the tree"
        + " \(inQuotes(abbreviated(checkpoint.origin))). The last sound transaction is"
        + " \(end.transaction): later logs are missing, or history was altered."
    case .moreRowsDiffer(let count):
      "\(count) more \(count == 1 ? "object differs" : "objects differ")."
    case .moreStrays(let count):
      "\(countText(count, noun: "more file")) that \(count == 1 ? "does" : "do") not belong in the"
        + " folder, beginning with \(path), \(count == 1 ? "was" : "were") found."
        + "\nMove the listed files out of the folder, and verify the logs again."
    case .othersMayWrite: "Other users can write to \(path).\nRun “chmod go-w \(path)”."
    case .recordIsAhead(let end):
      "\(path) has an erasure record for transaction \(transaction), but the logs end at transaction"
        + " \(end): later logs are missing, or an interrupted export did not write them."
    case .lineageIsMissing(let missing, let next):
      "Lineage \(next) continues lineage \(missing), but the logs of lineage \(missing) are missing."
    case .isUnexported(let count, let last):
      "\(path) has \(count) \(count == 1 ? "transaction" : "transactions") after transaction"
        + " \(last), the last transaction in the logs: \(count == 1 ? "it is" : "they are") not"
        + " exported yet, or logs are missing."
    case .tokenWasDamaged(let damage): "The token \(path) is not valid. \(damage)"
    case .tokenWasAltered:
      "The token had another digest of transaction \(transaction) than the logs, and has been"
        + " rebuilt from the logs."
    case .tokenWasBehind(let token, let rebuilt):
      "The token was at \(text(token, besides: rebuilt)), behind the logs, and has been rebuilt"
        + " from the logs. The logs are complete up to \(text(rebuilt, besides: token))."
    case .tokenWasMissing(let end):
      "The token was missing or damaged, and has been rebuilt from the logs, which are complete"
        + " up to transaction \(end). Nothing is lost."
    case .tokenWasRebuilt(let end):
      "The token was missing or out of date and has been rebuilt from the logs, which end at"
        + " transaction \(end)."
    case .logsBeginAfter(let base, let store):
      "\(store) no longer has its whole history, so the logs begin after transaction \(base)."
    case .beginsWithSnapshot(let ids, let store, let logs):
      "\(rangeText(ids)) of \(store) \(ids.count == 1 ? "is" : "are") in no log: \(logs)"
        + " begins with a later snapshot. “prune” keeps \(ids.count == 1 ? "it" : "them")."
    case .isNotErased(let count, let id, let object, let properties):
      "\(path) still has values in \(countText(count, noun: "transaction")), although transaction"
        + " \(id) says that they were erased.\nRun “travelog erase \(path) --entity \(object.entity)"
        + " --id \(inShell("\(object.id)"))\(properties.map { " --attribute \($0)" }.joined())”."
    case .snapshotIsUnproven:
      "The snapshot of transaction \(transaction) is unproven, because this export could not record"
        + " the snapshot's digest in the store."
        + "\nExport as a user who may write to the store."
    case .isNotCaptured(let tables, let isRecorded):
      "No trigger captured some changes of \(quoted(tables))"
        + " in \(path), for example because a program disables triggers."
        + (isRecorded
          ? " All rows of these tables are recorded again."
          : "\nTo record all rows of these tables again: travelog check \(path) --record")
    case .isNotSealed(let count):
      "\(countText(Int(count), noun: "captured change")) of \(path) \(count == 1 ? "is" : "are") not"
        + " in the logs, because this user may not write to the file."
        + "\nExport as a user who may write to it."
    case .isAltered(let tables):
      "A program changed rows of \(quoted(tables))"
        + " in the replica \(path), and no transaction contains the changes."
        + "\nTo list them: travelog check \(path) --logs LOGS"
        + "\nTo create a new replica: travelog import LOGS --into NEW"
    case .modelIsGuessed(let text), .logIsDamaged(let text): "\(path): \(text)"
    case .isReplica:
      "\(path) is a replica, so the logs contain only what was imported into it. Programs can't write"
        + " to it.\nTo use it instead of its origin, run “travelog promote \(path)”."
    case .treeIsNotWhole(let damage):
      "The tree of transactions beside the logs is not complete: \(damage)"
    }
  }
}

private func difference(between end: HistoryPoint, and head: HistoryPoint) -> Wording {
  let logs = ", but the logs of lineage \(end.lineage)"
  return end.transaction == head.transaction
    ? " and the digest \(head.digest)\(logs) have the digest \(end.digest)."
    : "\(logs) continue to transaction \(end.transaction)."
}

private func name(_ place: Finding.StatePlace, _ transaction: Int64) -> String {
  switch place {
  case .snapshot: "snapshot \(transaction)"
  case .lineage(let number): "the state with which lineage \(number) begins"
  }
}

/// Says how an object of a state differs from the logs, without its values.
private func text(
  _ difference: RowDifference,
  id: String,
  is here: String,
  andNot there: String
) -> Wording {
  let object = "\(String(decoding: difference.entity, as: UTF8.self)) \(id)"
  return switch difference.kind {
  case .insert: "\(object) is \(here) and not \(there)."
  case .delete: "\(object) is \(there) and not \(here)."
  case .update:
    "\(object) has other values \(here) than \(there):"
      + " \(String(decoding: difference.changed, as: UTF8.self))."
  }
}

private func quoted(_ tables: [String]) -> String {
  tables.map { "'\(abbreviated($0))'" }.joined(separator: ", ")
}

private func text(_ point: HistoryPoint, besides other: HistoryPoint) -> String {
  "transaction \(point.transaction)"
    + (point.lineage == other.lineage ? "" : " of lineage \(point.lineage)")
}
