import Changes

extension PipelineError {
  package var wording: Wording {
    switch reason {
    case .noFolder: "There is no folder \(logs).\n\(nameTheFolder)"
    case .noLogs: "There are no logs in \(logs).\n\(nameTheFolder)"
    case .noLogsOfStore(let store, let others):
      "There are no logs of the store \(store) in \(logs).\n\(those(others))"
    case .noLogsOfLineage(let lineage, let store, let others):
      "There are no logs of lineage \(lineage) of the store \(store) in \(logs)."
        + "\n\(those(others.map { "lineage \($0)" }))"
    case .severalStores(let stores, let choice):
      "There are logs of \(stores.count) stores in \(logs).\n\(choose(stores, choice: choice))"
    case .noFile: "There is no file or folder \(logs).\nName a store, a folder of logs, or a log."
    case .isPartOfLineage:
      "\(logs) contains only a part of the logs of a lineage.\nName a log, or the folder of the lineage."
    case .isUnreadable(let number):
      "\(logs) can't be opened: \(systemText(number))."
        + "\nGive this user the permission to read \(logs)."
    case .onlyState(let transaction):
      "The logs in \(logs) contain only the state after transaction \(transaction)."
        + "\nRun “travelog import \(logs) --into NEW.store” to create a store with this state."
    case .notAPoint(let words, let text):
      "\(inQuotes(abbreviated(words))) in \(inQuotes(abbreviated(text))) is not a point in a history.\nGive \(Point.forms) after the @."
    case .afterHead(let id, let base, let head):
      "The history of \(logs) ends at transaction \(head), before transaction \(id)."
        + "\nName a transaction from \(base) to \(head), or head."
    case .beforeHistory(let point, let beginning): beforeHistory(point, beginning: beginning)
    case .logsAreGone(let first):
      "The logs from transaction \(first) on were removed from \(logs).\nCopy the missing logs back"
        + " into the folder."
    case .hasNoState(let reason):
      "\(logs) does not show the state of a store. \(reason)"
        + "\nName a store, a log folder or a log."
    case .unknownEntity(let name, let known):
      "There is no entity or table \(inQuotes(abbreviated(name))) in \(logs).\nThe known names are \(listText(known))."
    case .unknownProperty(let name, let entity, let known):
      "\(entity) in \(logs) does not have an attribute, a to-one relationship or a column"
        + " \(inQuotes(abbreviated(name))).\nThe known names are \(listText(known))."
    case .isDroppedAndHashed(let property):
      "\(property) can't be both dropped and hashed.\nName the attribute only once with --redact."
    case .hasNoKey:
      "Values can't be hashed without a key, because anyone could guess the values."
        + "\nGive --redact-key with a file of random bytes."
    case .notAReplica:
      "\(store) is not a replica, so nothing can be imported into it."
        + "\nName a file that does not exist yet; import creates the replica in it."
    case .isReplica(let own, let wanted):
      "The store \(store) is a replica of \(own), not of \(wanted)."
        + "\nName a file that does not exist yet; import creates the replica in it."
    case .hasNoLogsOfReplica(let own):
      "\(store) is a replica of \(own), and there are no logs of that store in \(logs)."
        + "\nName the folder with the logs of that store."
    case .isPast(let point, let head):
      "The replica \(store) is at transaction \(head), which is later than \(named(point)),"
        + " and an import never removes transactions."
        + "\nName a file that does not exist yet: --into new.store --until \(point)"
    case .isInGap(let id, let gap):
      "Transaction \(id) is inside a gap: the logs in \(logs) record transactions"
        + " \(gap.lowerBound) to \(gap.upperBound) as one transaction."
        + "\nName the transaction before the gap, \(gap.lowerBound - 1), or the last transaction"
        + " in the gap, \(gap.upperBound)."
    case .logsEndBefore(let id, let end):
      "The logs in \(logs) end at transaction \(end), before transaction \(id)."
        + "\nCopy the missing logs into the folder, or name an earlier point."
    case .logsBeginAfter(let point):
      "The logs in \(logs) begin after \(point), so they can't restore \(store) to this state."
        + "\nName a later point, or copy the earlier logs into the folder."
    case .hasNoTransactions(let store):
      "The folder of the store \(store) in \(logs) contains no logs."
        + "\nCopy the logs into the folder, or export the store after its first transaction."
    case .hasNoSnapshot(let first, let until):
      "The logs in \(logs) begin with transaction \(first), and there is no snapshot of the state"
        + " before this transaction"
        + "\(until == .head ? "" : " and before \(until)")."
        + "\nCopy the logs from the first transaction on, or a snapshot, into the folder."
    case .isOlderLineage(let wanted, let own, let isNamed):
      "The replica \(store) needs the logs of lineage \(own)."
        + " \(isNamed ? "The named logs have" : "The logs in \(logs) end with") lineage \(wanted)."
        + "\nCopy the logs of lineage \(own) into the folder."
    case .isNewLineage(let wanted, let own, let folder):
      "The replica \(store) follows lineage \(own), but the logs in \(logs) continue in lineage"
        + " \(wanted), which began when the store was restored from an older copy."
        + "\nTo create a new replica, name a file that does not exist yet."
        + "\(folder.map { " To stay in lineage \(own), name \($0)." } ?? "")"
    case .isAmbiguousTime(let time, let last, let lineage, let parting, let folder):
      "The time \(time) is ambiguous: at this time, lineage \(lineage) in \(logs) was at transaction"
        + " \(last), but lineage \(parting.lineage) contains the transactions of lineage \(lineage)"
        + " only up to \(parting.transaction)."
        + "\nName a transaction up to \(parting.transaction), or an earlier time. For the state of"
        + " lineage \(lineage), name its folder: \(folder)."
    case .hasOtherDigest(let id):
      "Transaction \(id) has another digest in the log \(log) than in the replica \(store)."
        + "\nImport the logs into a new replica."
    case .isNotProven(let detail):
      "What was given with --head does not prove the logs in \(logs): \(detail)"
        + "\nNothing was imported. To see all findings, run “travelog verify \(logs)” with the same --head."
    case .isUnprovenTransaction(let id, let proven):
      "What was given with --head proves the logs in \(logs) up to transaction \(proven), and not"
        + " transaction \(id)."
        + "\nTo import only what is proven, use --until \(proven)."
    case .isUnprovenSnapshot(let transaction):
      "Nothing in the logs proves the snapshot \(log) of transaction \(transaction), so someone may have"
        + " altered it."
        + "\nIf the logs begin before the snapshot, leave out --from-snapshot. If you trust the snapshot,"
        + " use --allow-unproven."
    case .tokenIsDamaged(let path, let damage, let isFiltered):
      "The token \(path) can't be read (\(damage)), and there are no logs of \(store) in"
        + " \(logs) to rebuild the token from."
        + "\nName the folder with the logs. \(newFolder(isFiltered))"
    case .tokenHasNoLogs(let point):
      "Logs are missing: the token says that \(store) was exported up to transaction"
        + " \(point.transaction), but there are no logs of the store in \(logs)."
        + "\nCopy the logs back into the folder, or name the right folder. \(newFolder(false))"
    case .tokenIsAhead(let point, let lineage, let end):
      "Logs are missing: the token says that \(store) was exported up to transaction"
        + " \(point.transaction), but the logs in \(logs) end at transaction \(end)"
        + "\(point.lineage == lineage ? "" : " of lineage \(lineage)")."
        + "\nCopy the logs back into the folder, or name the right folder."
    case .wasExportedBefore(let isFiltered):
      "\(logs) has no \(isFiltered ? "logs with this filter" : "logs") of \(store), although the"
        + " store was exported before."
        + "\nIs the disk with the logs mounted? If it is, name the right folder."
        + " \(newFolder(isFiltered))"
    case .isExpired(let last, let error, let filtered):
      "\(store) was exported up to transaction \(last), but later transactions are no longer in"
        + " the history of the store: \(error.message)\n\(recover(filtered))"
    case .hasDiverged(let error):
      "The history of \(store) differs from the exported history: \(error.message)"
        + "\nIf the store was restored from an older copy, run “travelog recover \(store) --to"
        + " \(logs)”, which begins a new lineage."
    case .streamHasNoBeginning:
      "\(store) no longer has its whole history, but a stream must begin with the first"
        + " transaction."
        + "\nExport to a folder; the logs in a folder can begin with the state of the store."
    case .firstExportIsSnapshot:
      "\(store) no longer has its whole history, so the first export begins with the present state"
        + " of the store."
        + "\nLeave out --until."
    case .leavesOut(let ids, let again):
      "\(rangeText(ids)) of \(store) can't be written to logs, because transaction \(again) recorded"
        + " tables again whose earlier rows are not known. The history of \(store) keeps"
        + " \(ids.count == 1 ? "it" : "them")."
        + "\nTo begin the logs in \(logs) with the state after transaction \(again), run “travelog"
        + " export \(store) --to \(logs) --new-folder”."
    case .hasLogs:
      "\(logs) already has logs of \(store)."
        + "\nLeave out --new-folder to continue these logs, or name another folder."
    case .snapshotIsNotLast(let last, let head):
      "A snapshot contains the present state of \(store), at transaction \(head), but this export"
        + " ends at transaction \(last)."
        + "\nLeave out --until or --snapshot."
    case .snapshotIsFiltered:
      "A snapshot is the whole state of \(store), which filtered logs do not contain."
        + "\nLeave out --snapshot."
    case .hasNothingToContinue:
      "\(logs) contains no logs of \(store) to continue from."
        + "\nRun “travelog export \(store) --to \(logs)”."
    case .schemaChanged:
      "The schema of \(store) changed in the missing transactions, so a comparison can't find out"
        + " how these transactions changed the objects."
        + "\nExport \(store) to another folder; the new logs begin with the state of the store."
    case .isOtherLineage(let own, let last):
      "The store \(store) is in lineage \(own), but the logs of the store end in lineage \(last)."
        + "\nCopy the logs of lineage \(own) from the folder to which the store was exported last, or"
        + " export \(store) to a new folder; the new logs begin with the state of the store."
    case .areUnlogged(let missing):
      "\(rangeText(missing)) of \(store) \(missing.count == 1 ? "is" : "are") in no log in"
        + " \(logs), because the logs begin later. So no history of the store may be deleted."
        + "\nCopy the earlier logs into the folder. If there are no earlier logs, the store has the"
        + " only copy of this history; use --ignore-unlogged to delete this history anyway."
    case .isOnlyCopy(let transactions, let isCaptured):
      "\(store) has \(onlyCopy(transactions, isCaptured: isCaptured)), and"
        + " \(logs.isEmpty ? "no log folder was named" : "the logs in \(logs) do not have them")."
        + "\nTo keep the history: travelog export \(store) --to \(logs.isEmpty ? "LOGS" : logs) &&"
        + " travelog adopt --detach \(store) --logs \(logs.isEmpty ? "LOGS" : logs). To delete the"
        + " history, use --discard-history."
    case .isUnlogged:
      "There are no logs of \(store) in \(logs), so no history of the store may be deleted."
        + "\nRun “travelog export \(store) --to \(logs)” first."
    case .isUnsound(let finding):
      "The logs in \(logs) are damaged, so no history of \(store) may be deleted:"
        + " \(finding.message)"
        + "\nRun “travelog verify \(logs)” to see all findings."
    case .isOtherHistory(let error):
      "The logs in \(logs) do not belong to the history of \(store): \(error.message)"
        + "\nName the folder that has this store's logs."
    case .isLink:
      "The log \(log) is a symbolic link, so the values would remain in the target of the link."
        + "\nPut the file itself into the folder."
    case .isCovered:
      "The transactions of the log \(log) are also in another log: a compaction was interrupted."
        + "\nRun “travelog compact \(logs)” first."
    case .isUnexported(let id, let object):
      "Transaction \(id) of \(store) changed \(object), and is not exported yet."
        + "\nRun “travelog export \(store) --to \(logs)” first."
    case .isUnknownObject(let name, let entity):
      "The logs in \(logs) have no values of \(name) that can be erased."
        + "\nTo find the id: “travelog log \(logs) --entity \(entity)”"
    case .isOfOtherEntity(let entity, let object):
      "The object \(object.id) is a \(entity), not a \(object.entity)."
        + "\nName its entity: --entity \(entity) --id \(inShell("\(object.id)"))"
    case .isThere(let name):
      "\(name) still exists, so the store and the replicas need its present values."
        + "\nDelete \(name) in the store, export the deletion, and then erase. To erase only"
        + " earlier values, name each changed attribute with --attribute."
    case .hasValue(let attribute, let name, let transaction):
      "\(name) still has the \(attribute) that transaction \(transaction) set, so the store needs this value."
        + "\nChange the value or delete \(name) in the store, export the change, and then erase the"
        + " value."
    }
  }

  private func onlyCopy(_ transactions: Int64, isCaptured: Bool) -> String {
    let recorded = countText(Int(transactions), noun: "transaction") + " in its history"
    guard isCaptured else { return recorded }
    return (transactions > 0 ? recorded + " and " : "") + "changes that are not in its history yet"
  }

  private var nameTheFolder: String { "Name the folder that you gave to “travelog export --to”." }

  private func those(_ others: [String]) -> String {
    others.isEmpty ? nameTheFolder : "There are logs of \(listText(others))."
  }

  private func choose(_ stores: [String], choice: Choice) -> String {
    switch choice {
    case .identifier: "Name one of the stores with --store: \(stores.joined(separator: ", "))."
    case .path: "Name one folder: \(stores.map { "\(logs)/store=\($0)" }.joined(separator: ", "))."
    case .file: "Use --store to name the file of one of these stores."
    }
  }

  private func newFolder(_ isFiltered: Bool) -> String {
    isFiltered
      ? "To start a new set of logs in \(logs), export with the same filter and --new-folder."
      : "To start a new set of logs in \(logs), run “travelog export \(store) --to \(logs)"
        + " --new-folder”."
  }

  private func recover(_ filtered: String?) -> String {
    filtered.map { "Move \($0) away. \(newFolder(true))" }
      ?? "Run “travelog recover \(store) --to \(logs)” to record the lost transactions as a gap."
  }

  private func named(_ point: Point) -> String {
    if case .transaction(let id) = point { "transaction \(id)" } else { "\(point)" }
  }

  private func beforeHistory(_ point: Point, beginning: Beginning) -> Wording {
    let (base, head) = (beginning.base, beginning.head)
    let what =
      if case .time(let time) = point { "The time \(time)" } else { "Transaction \(point)" }
    let range =
      base < head
      ? "Name a transaction from \(base) to \(head), or a later time."
      : "There is no transaction after transaction \(base) yet."
    let inLogs =
      beginning.isStore
      ? " Only logs can show earlier states: travelog diff LOGS@\(point) \(logs)" : ""
    let earlier =
      beginning.earlier.map { " The logs of the previous lineage show earlier states: \($0)" }
      ?? ""
    return "\(what) is before the history of \(logs), which begins after transaction \(base)"
      + "\(beginning.time.map { ", at \($0)" } ?? "")."
      + "\n\(range)\(inLogs)\(earlier)"
  }
}
