import Changes

/// The reason why a store's history can't be read, followed or reverted.
package enum HistoryFailure: StoreReason {
  case damaged(HistoryDamage)
  case expired(Int64, base: Int64, oldest: Int64?), deleted(Int64)
  case insideGap(Int64, of: ClosedRange<Int64>)
  case otherLineage(Int64, storeLineage: Int64), beyondHead(Int64, head: Int64)
  case otherDigest(Int64), otherBeginning(base: Int64, comparedHead: Int64)
  case migrated(Int64, by: Int64), erased(Int64)
  case noTransactions(ClosedRange<Int64>, head: Int64), noStateAt(Int64, head: Int64)
  case unknownValues(Int64)
  case undoConflict(
    ClosedRange<Int64>,
    [UndoConflict],
    [(id: Int64, objects: [(entity: String, id: ObjectID)])]
  )

  package var code: StoreError.Code {
    switch self {
    case .damaged: .damaged
    case .expired, .deleted, .insideGap: .historyExpired
    case .otherLineage, .beyondHead, .otherDigest, .otherBeginning: .historyDiverged
    case .migrated, .erased, .unknownValues: .irreversible
    case .noTransactions, .noStateAt: .misuse
    case .undoConflict: .undoConflict
    }
  }

  package func wording(_ path: String) -> Wording {
    let other = "The store \(path) was restored from an older copy or is another store:"
    return switch self {
    case .damaged(let damage): "The history of the store \(path) is damaged: \(damage.text)."
    case .expired(let id, let base, let oldest):
      "Transaction \(id) was deleted from the history of the store \(path), which begins after"
        + " transaction \(base)"
        + "; \(oldest.map { "the oldest kept transaction is \($0)" } ?? "no transaction is kept")."
    case .deleted(let id):
      "Transaction \(id) can't be reverted: it was deleted from the history of \(path)."
        + "\nRestore the store from a copy instead."
    case .insideGap(let id, let gap):
      "The store \(path) does not have the state after transaction \(id): one gap has"
        + " the changes of transactions \(gap.lowerBound) to \(gap.upperBound) together.\n"
    case .otherLineage(let lineage, let storeLineage):
      "\(other) the requested point is in lineage \(lineage), but the store has lineage"
        + " \(storeLineage)."
    case .beyondHead(let transaction, let head):
      "\(other) the requested point is transaction \(transaction), but the last transaction of the"
        + " store is \(head)."
    case .otherDigest(let transaction): "\(other) transaction \(transaction) has another digest."
    case .otherBeginning(let base, let head):
      "The rows of the store \(path) can't be compared with the logs. The comparison needs the state"
        + " after transaction \(base), with which the history of the store begins. The logs show the"
        + " state after transaction \(head), or belong to another history."
        + "\nName the log folder to which this store was exported."
    case .migrated(let id, let migration):
      "Transaction \(id) of the store \(path) can't be reverted:"
        + " \(id == migration ? "it" : "transaction \(migration)") changed the schema."
    case .erased(let id):
      "Some values of transaction \(id) of the store \(path) were erased or deleted, so this"
        + " transaction can't be reverted, and a new lineage can't contain it."
    case .noTransactions(let range, let head):
      "There \(range.lowerBound == range.upperBound ? "is" : "are") no"
        + " \(rangeText(range).lowercased()) in the store \(path), whose last transaction is \(head)."
    case .noStateAt(let id, let head):
      "The store \(path) is at transaction \(head) and can't be reverted to \(id)."
    case .unknownValues(let count):
      "The rows of the replica \(path) have placeholders for \(count) erased"
        + " \(count == 1 ? "value" : "values"), so the rows do not show the state of the origin."
        + "\nImport the logs up to a later transaction, which sets these values again."
    case .undoConflict(let range, let conflicts, let later):
      "\(rangeText(range)) can't be undone in the store \(path) because later changes depend on"
        + " \(range.lowerBound == range.upperBound ? "it" : "them")"
        + "\(inParentheses(later.map(\.id))):\(items: texts(conflicts, later: later))"
    }
  }
}

private func texts(
  _ conflicts: [UndoConflict],
  later: [(id: Int64, objects: [(entity: String, id: ObjectID)])]
) -> [String] {
  conflicts.map { conflict in
    let those = later.filter { $0.objects.contains { $0 == conflict.object } }
    return "\(conflict)\(inParentheses(those.map(\.id)))"
  }
}

/// The transactions as text in parentheses, such as “ (transactions 14 and 17)”; empty for an empty
/// list.
private func inParentheses(_ transactions: [Int64]) -> String {
  let ids = transactions.map(String.init)
  guard let last = ids.last, ids.count > 1 else {
    return ids.first.map { " (transaction \($0))" } ?? ""
  }
  guard ids.count <= 10 else { return " (transactions \(listText(ids)))" }
  return " (transactions \(ids.dropLast().joined(separator: ", ")) and \(last))"
}

package enum HistoryDamage: Sendable {
  case missingTransaction(Int64), missingChanges(of: Int64), missingCatalogEntry
  case missingSchema(String), unknownKind(String), unknownOp(String, of: Int64)
  case unknownState(String, of: Int64), impossibleNumber(Int64, as: String)
  case unreadable(Int64, String), noObject(String), missingSeed(of: Int64)

  fileprivate var text: String {
    switch self {
    case .missingTransaction(let id): "transaction \(id) is missing"
    case .missingChanges(let id): "changes of transaction \(id) are missing"
    case .missingCatalogEntry:
      "the catalog has no valid identifier, no valid lineage or no valid digest of the base"
    case .missingSchema(let schema): "the schema \(schema) is missing"
    case .unknownKind(let kind): "a change has the unknown kind \(abbreviated(kind))"
    case .unknownOp(let op, let id): "transaction \(id) has the unknown op \(abbreviated(op))"
    case .unknownState(let state, let id):
      "transaction \(id) has the unknown state \(abbreviated(state))"
    case .impossibleNumber(let number, let name): "\(name) is the impossible number \(number)"
    case .unreadable(let id, let detail):
      "transaction \(id) can't be read: \(abbreviated(detail))"
    case .missingSeed(let id): "seeds of transaction \(id) are missing"
    case .noObject(let text): "\(abbreviated(text)) does not identify an object"
    }
  }
}
