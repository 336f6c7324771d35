import Changes

/// Which transactions are asked for, and in which order, as SQL over the alias `t` of
/// `history_transaction`.
package struct HistorySelection: Sendable {
  /// The condition that they meet; nil for all.
  package var condition: String?
  /// The values of the condition's parameters.
  package var bindings: [Value]
  /// The terms of the order.
  package var order: String
  /// The most that are given; nil for all.
  package var limit: Int?

  /// Describes a selection.
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

  /// Leaves out what is not in a range of ids.
  package mutating func limit(toAfter first: Int64, through last: Int64 = .max) {
    let range = "t.id > \(first) AND t.id <= \(last)"
    condition = condition.map { "\(range) AND (\($0))" } ?? range
  }
}
