/// Something that a store's check found: rows, history, constraints and catalog that contradict each
/// other.
package enum CheckFinding {
  /// What SQLite itself says of the file.
  case integrity(String)
  /// A row leads to one that is not there.
  case danglingReference(table: String, row: Int64?, destination: String)
  /// A table, view, index or trigger is not as the schema has it; nil if there is none.
  case structure(type: String, name: String, expected: String?, found: String?)
  /// Transactions are missing.
  case missingTransactions(ClosedRange<Int64>)
  /// A transaction does not have as many changes as it says.
  case changeCount(transaction: Int64, expected: Int64, found: Int64)
  /// A transaction, or one before it, is not what its digest was made of.
  case digest(transaction: Int64)
  /// Changes belong to no transaction that history has.
  case strayChanges(Int64)
  /// Rows are not what history says: what would make history's state that of the rows.
  ///
  /// Its bytes are there only while the finding is told of.
  case row(RowDifference)
  /// A large value is needed by another number of rows or changes than was counted.
  case blobCount(
    sha256: String,
    rows: Int64,
    countedRows: Int64,
    history: Int64,
    countedHistory: Int64
  )
  /// A large value is needed, and its bytes are gone.
  case missingBlob(sha256: String)
  /// The bytes of a large value are not those that its name was made of.
  case alteredBlob(sha256: String)
  /// A file lies in the folder of large values that nobody needs.
  case strayBlob(name: String)
}

extension CheckFinding: CustomStringConvertible {
  /// The finding in words.
  package var description: String {
    switch self {
    case .integrity(let text): return "SQLite says of the file: \(text)"
    case .danglingReference(let table, let row, let destination):
      // Rows of links have no number.
      return
        "\(row.map { "the row \($0)" } ?? "a row") of \(table) leads to a row of \(destination) that"
        + " is not there"
    case .structure(let type, let name, let expected, let found):
      if found == nil { return "the \(type) \(name) is missing" }
      return expected == nil
        ? "the \(type) \(name) is none of the schema"
        : "the \(type) \(name) is not that of the schema"
    case .missingTransactions(let range):
      return range.count == 1
        ? "transaction \(range.lowerBound) is missing"
        : "transactions \(range.lowerBound) to \(range.upperBound) are missing"
    case .changeCount(let transaction, let expected, let found):
      return "transaction \(transaction) says that it has \(expected) changes, and has \(found)"
    case .digest(let transaction):
      return "transaction \(transaction), or one before it, was altered: its digest is another"
    case .strayChanges(let count): return "\(count) changes belong to no transaction"
    case .row(let change):
      let name = "\(String(decoding: change.entity, as: UTF8.self)) \(change.object)"
      switch change.kind {
      case .insert: return "\(name) is there, and not in history"
      case .delete: return "\(name) is in history, and not there"
      case .update:
        let changed = String(decoding: change.changed, as: UTF8.self)
        return "\(name) has other values than in history: \(changed)"
      }
    case .blobCount(let digest, let rows, let countedRows, let history, let countedHistory):
      return "the large value \(digest) is needed by \(rows) rows and \(history) changes, and"
        + " \(countedRows) and \(countedHistory) were counted"
    case .missingBlob(let digest): return "the large value \(digest) is gone"
    case .alteredBlob(let digest): return "the large value \(digest) was altered"
    case .strayBlob(let name): return "the file \(name) in the folder of large values is nobody's"
    }
  }
}
