import Changes

extension Finding {
  package var kind: Kind {
    switch reason {
    case .log(let kind, _): kind
    case .isCovered: .gap
    case .isUnknownErasure, .hasNoParent, .endIsOther, .tokenIsOther, .tokenIsDamaged,
      .erasuresAreOther, .stateDiffers, .startIsNotInParent, .filteredIsOther:
      .damaged
    case .endIsMissing, .tokenIsAhead, .treeIsAhead, .headIsMissing, .checkpointIsMissing,
      .positionIsMissing:
      .endMissing
    case .isOtherHistory, .rowDiffers, .moreRowsDiffer: .differs
    case .moreStrays: .misplaced
    }
  }

  /// The message says what is wrong and where; the hint says what to do.
  package var wording: Wording {
    switch reason {
    case .log(_, let error): error.wording
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
    case .endIsMissing(let lineage, let end, let next):
      "Lineage \(next) says that lineage \(lineage) ended with transaction \(transaction), but"
        + " the sound logs of lineage \(lineage) end at transaction \(end)."
        + "\nCopy the missing logs into the folder."
    case .endIsOther(let lineage, let head, let end, let next)
    where head.transaction == end.transaction:
      "Lineage \(next) says that lineage \(lineage) ended with transaction"
        + " \(end.transaction) and the digest \(head.digest), but the logs of lineage \(lineage) have"
        + " the digest \(end.digest)."
        + "\nThe logs of one of the two lineages were altered; compare the logs of both with other"
        + " copies."
    case .endIsOther(let lineage, let head, let end, let next):
      "Lineage \(next) says that lineage \(lineage) ended with transaction \(head.transaction), but"
        + " the logs of lineage \(lineage) continue to transaction \(end.transaction)."
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
    case .rowDiffers(let kind, let object, let properties, let folder):
      "\(text(kind, object: object, properties: properties))."
        + "\nSome changes of the store's rows are missing from its history. To list these rows, run"
        + " “travelog check \(path) --logs \(folder)”."
    case .stateDiffers(let kind, let object, let properties, let place):
      switch kind {
      case .insert: "\(object) is in \(name(place)) and not in a replay of the logs."
      case .delete: "\(object) is in a replay of the logs and not in \(name(place))."
      case .update:
        "\(object) has other values in \(name(place)) than in a replay of the logs: \(properties)."
      }
    case .filteredIsOther:
      "The filtered logs have another digest of transaction \(transaction) than the logs without a"
        + " filter."
        + "\nThe logs of one of the two were altered; compare both with other copies."
    case .startIsNotInParent(let lineage, let parent, let end):
      "Lineage \(lineage) begins after transaction \(transaction) of lineage \(parent), but lineage"
        + " \(parent) ends at transaction \(end.transaction)."
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
    }
  }

  private func name(_ place: StatePlace) -> String {
    switch place {
    case .snapshot: "snapshot \(transaction)"
    case .lineage(let number): "the state with which lineage \(number) begins"
    }
  }

  private func text(_ kind: ChangeKind, object: String, properties: String) -> String {
    switch kind {
    case .insert: "\(object) is in \(path) and not in the logs"
    case .delete: "\(object) is in the logs and not in \(path)"
    case .update: "\(object) has other values in \(path) than in the logs: \(properties)"
    }
  }
}

extension Notice {
  package var wording: Wording {
    switch self {
    case .othersMayWrite(let path): "Other users can write to \(path).\nRun “chmod go-w \(path)”."
    case .recordIsAhead(let path, let transaction, let end):
      "\(path) has an erasure record for transaction \(transaction), but the logs end at transaction"
        + " \(end): later logs are missing, or an interrupted export did not write them."
    case .lineageIsMissing(let missing, let next):
      "Lineage \(next) continues lineage \(missing), but the logs of lineage \(missing) are missing."
    case .isUnexported(let store, let count, let last):
      "\(store) has \(count) \(count == 1 ? "transaction" : "transactions") after transaction"
        + " \(last), the last transaction in the logs: \(count == 1 ? "it is" : "they are") not"
        + " exported yet, or logs are missing."
    case .tokenWasDamaged(let path, let damage): "The token \(path) is not valid. \(damage)"
    case .tokenWasAltered(let transaction):
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
    case .isNotErased(let count, let id, let object, let properties, let logs):
      notErased(count, by: id, of: object, properties: properties, logs: logs)
    case .snapshotIsUnproven(let transaction):
      "The snapshot of transaction \(transaction) is unproven, because this export could not record"
        + " the snapshot's digest in the store."
        + "\nExport as a user who may write to the store."
    case .isNotCaptured(let tables, let path, let isRecorded):
      "No trigger captured some changes of \(tables.map { "'\(abbreviated($0))'" }.joined(separator: ", "))"
        + " in \(path), for example because a program disables triggers."
        + (isRecorded
          ? " All rows of these tables are recorded again."
          : "\nTo record all rows of these tables again: travelog check \(path) --record")
    case .isNotSealed(let count, let path):
      "\(countText(Int(count), noun: "captured change")) of \(path) \(count == 1 ? "is" : "are") not"
        + " in the logs, because this user may not write to the file."
        + "\nExport as a user who may write to it."
    case .isAltered(let tables, let replica):
      "A program changed rows of \(tables.map { "'\(abbreviated($0))'" }.joined(separator: ", "))"
        + " in the replica \(replica), and no transaction contains the changes."
        + "\nTo list them: travelog check \(replica) --logs LOGS"
        + "\nTo create a new replica: travelog import LOGS --into NEW"
    case .isReplica(let store):
      "\(store) is a replica, so the logs contain only what was imported into it. Programs can't write"
        + " to it.\nTo use it instead of its origin, run “travelog promote \(store)”."
    case .treeIsNotWhole(let damage):
      "The tree of transactions beside the logs is not complete: \(damage)"
    }
  }

  private func notErased(
    _ count: Int,
    by id: Int64,
    of object: ObjectName,
    properties: [String],
    logs: String
  ) -> Wording {
    let words =
      count == 1
      ? "in 1 transaction" : "in \(count) transactions"
    let flags = properties.map { " --attribute \($0)" }.joined()
    let name = "--entity \(object.entity) --id \(inShell("\(object.id)"))"
    return "\(logs) still has values \(words), although transaction \(id) says that they were"
      + " erased.\nRun “travelog erase \(logs) \(name)\(flags)”."
  }

  private func text(_ point: HistoryPoint, besides other: HistoryPoint) -> String {
    "transaction \(point.transaction)"
      + (point.lineage == other.lineage ? "" : " of lineage \(point.lineage)")
  }
}
