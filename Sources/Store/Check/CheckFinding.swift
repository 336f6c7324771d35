import Format

/// A contradiction between rows, history, constraints and catalog.
package enum CheckFinding {
  /// A message of SQLite that the file is damaged.
  case integrity(String)
  /// A row refers to a row that does not exist.
  case danglingReference(table: String, row: Int64?, destination: String)
  /// A table, view, index or trigger differs from the schema. `expected` is nil if the schema does
  /// not contain it, and `found` is nil if the store does not contain it.
  case structure(type: String, name: String, expected: String?, found: String?)
  case missingTransactions(ClosedRange<Int64>)
  /// A transaction has more or fewer changes than its row says.
  case changeCount(transaction: Int64, expected: Int64, found: Int64)
  /// The changes of a transaction, or of an earlier transaction, do not match the recorded digest.
  case digest(transaction: Int64)
  /// Changes belong to a transaction that history does not have.
  case strayChanges(Int64)
  /// A row differs from history.
  ///
  /// The payload is the change that turns the state in history into the row.
  ///
  /// The bytes of the payload are valid only during the call of the closure.
  case row(RowDifference)
  /// The rows of a replica's table differ from the digest that the last import left.
  ///
  /// The findings about single rows do not explain the difference. `extra` is the number of rows
  /// that the table has too many; it is negative if rows are missing.
  case rows(table: String, extra: Int64)
  /// The store's count of the rows or changes that refer to a large value is wrong.
  case blobCount(
    sha256: String,
    rows: Int64,
    countedRows: Int64,
    history: Int64,
    countedHistory: Int64
  )
  /// The bytes of a large value are missing, although a row or change needs them.
  case missingBlob(sha256: String)
  /// The bytes of a large value do not match their digest.
  case alteredBlob(sha256: String)
  /// A file in the folder of large values is not referenced.
  case strayBlob(name: String)
}

extension CheckFinding: CustomStringConvertible {
  package var description: String {
    switch self {
    case .integrity(let text): return "SQLite reports: \(text)"
    case .danglingReference(let table, let row, let destination):
      // A row of a join table has no row number.
      return
        "\(row.map { "row \($0)" } ?? "a row") of \(table) refers to a missing row of \(destination)"
    case .structure(let type, let name, let expected, let found):
      if found == nil { return "the \(type) \(name) is missing" }
      return expected == nil
        ? "the \(type) \(name) does not belong to the schema"
        : "the \(type) \(name) differs from the schema"
    case .missingTransactions(let range):
      return range.count == 1
        ? "transaction \(range.lowerBound) is missing"
        : "transactions \(range.lowerBound) to \(range.upperBound) are missing"
    case .changeCount(let transaction, let expected, let found):
      return
        "transaction \(transaction) has \(countText(Int(found), noun: "change")) instead of \(expected)"
    case .digest(let transaction):
      return "transaction \(transaction) or an earlier transaction was altered:"
        + " a digest does not match"
    case .strayChanges(let count):
      return "\(countText(Int(count), noun: "change")) without a transaction"
    case .row(let change):
      let name = "\(String(decoding: change.entity, as: UTF8.self)) \(change.id)"
      switch change.kind {
      case .insert: return "history does not have \(name), but the row exists"
      case .delete: return "history has \(name), but the row is missing"
      case .update:
        let changed = String(decoding: change.changed, as: UTF8.self)
        return "\(name) has other values than in history: \(changed)"
      }
    case .rows(let table, let extra):
      if extra > 0 {
        return
          "table \(table) has \(countText(Int(extra), noun: "row")) that history does not explain"
      }
      return extra < 0
        ? "table \(table) lacks \(countText(Int(-extra), noun: "row")) that no transaction deleted"
        : "rows of table \(table) have other values, and no transaction contains the change"
    case .blobCount(let digest, let rows, let countedRows, let history, let countedHistory):
      return "the large value \(digest) is used by \(countText(Int(rows), noun: "row")) and"
        + " \(countText(Int(history), noun: "change")), but the store counts \(countedRows)"
        + " and \(countedHistory)"
    case .missingBlob(let digest): return "the large value \(digest) is missing"
    case .alteredBlob(let digest): return "the large value \(digest) was altered"
    case .strayBlob(let name): return "the blob file \(name) is not referenced"
    }
  }
}
