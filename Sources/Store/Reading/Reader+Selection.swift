extension Reader {
  /// The transactions of a selection; those that were deleted from history are left out.
  ///
  /// Those that nobody has sealed yet come after all others. Each part is in the order of the
  /// selection, and as long as its limit allows.
  package func history(_ selection: HistorySelection) throws -> HistoryCursor {
    try HistoryCursor(history, unsealed: try unsealedHistory(), selection: selection)
  }

  /// Whether ``history(_:)`` may give two parts, each in its own order.
  package var hasUnsealedHistory: Bool {
    get throws { try unsealedHistory() != nil }
  }

  /// The last transaction, by id, before the first whose time is after a given one; with `orAt`,
  /// before the first that is not before it.
  ///
  /// It is looked for from an id on, which must be one that the result can't be below, by doubling
  /// steps and then halves, so that it costs next to nothing where it is near. Where the clock
  /// went back, the result is one of those that fit.
  package func lastTransaction(
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
