import Format

/// The transactions that a query reads, and their order, as parts of SQL.
///
/// In the SQL, `t` is the table `history_transaction`.
package struct HistorySelection: Sendable {
  /// The condition of the transactions; nil for all transactions.
  package var condition: String?
  package var bindings: [Value]
  /// The terms after `ORDER BY`.
  package var order: String
  /// The maximum number of transactions; nil for no limit.
  package var limit: Int?

  package init(
    where condition: String? = nil,
    bindings: [Value] = [],
    orderedBy order: String = "t.id",
    limit: Int? = nil
  ) {
    self.condition = condition
    self.bindings = bindings
    self.order = order
    self.limit = limit
  }

  package mutating func limit(toAfter first: Int64, through last: Int64 = .max) {
    let range = "t.id > \(first) AND t.id <= \(last)"
    condition = condition.map { "\(range) AND (\($0))" } ?? range
  }
}
