/// Which transactions are asked for, and in which order, as SQL over the alias `t` of
/// `history_transaction`.
public struct HistorySelection: Sendable {
  /// The condition that they meet; nil for all.
  public var condition: String?
  /// The values of the condition's parameters.
  public var bindings: [Value]
  /// The terms of the order.
  public var order: String
  /// The most that are given; nil for all.
  public var limit: Int?

  /// Describes a selection.
  public init(
    where condition: String? = nil,
    _ bindings: [Value] = [],
    orderedBy order: String = "t.id",
    limit: Int? = nil
  ) {
    self.condition = condition
    self.bindings = bindings
    self.order = order
    self.limit = limit
  }

  /// Leaves out what is not in a range of ids.
  public mutating func limit(toAfter first: Int64, through last: Int64 = .max) {
    let range = "t.id > \(first) AND t.id <= \(last)"
    condition = condition.map { "\(range) AND (\($0))" } ?? range
  }
}

extension Reader {
  /// The transactions of a selection; those that were deleted from history are left out.
  ///
  /// Those that nobody has sealed yet come after all others. Each part is in the order of the
  /// selection, and as long as its limit allows.
  public func history(_ selection: HistorySelection) throws -> HistoryCursor {
    try HistoryCursor(history, try unsealedHistory(), selection)
  }

  /// True where ``history(_:)`` may give two parts, each in its own order.
  public var hasUnsealedHistory: Bool {
    get throws { try unsealedHistory() != nil }
  }

  /// The last transaction, by id, before the first whose time is after a given one; with `orAt`,
  /// before the first that is not before it.
  ///
  /// It is looked for from an id on, which must be one that the result can't be below, by doubling
  /// steps and then halves, so that it costs next to nothing where it is near. Where the clock
  /// went back, the result is one of those that fit.
  public func lastTransaction(
    beforeTime time: String,
    orAt: Bool,
    from first: Int64,
    through last: Int64
  ) throws -> Int64 {
    func isIn(_ id: Int64) throws -> Bool {
      guard let other = try rows(with: id).time(of: id) else { return true }
      return orAt ? other <= time : other < time
    }
    var low = first
    var step: Int64 = 1
    while low < last, try isIn(min(low + step, last)) {
      low = min(low + step, last)
      step *= 2
    }
    // The one at `low` is in, or is where the search began; the one at `high` is not.
    var high = min(low + step, last + 1)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if try isIn(middle) { low = middle } else { high = middle }
    }
    return low
  }
}
