extension Reader {
  /// Reads the transactions of a selection.
  package func history(_ selection: HistorySelection) throws -> HistoryCursor {
    try HistoryCursor(history, selection: selection)
  }

  /// The id of the last transaction that is not too late.
  ///
  /// A transaction is too late if its time is after the given time; without `orAt`, an equal time
  /// is too late as well.
  ///
  /// The search begins at the id `first`, which must not be above the result. The search doubles
  /// its steps and then halves them, so a result near `first` is found quickly. If the clock was
  /// set back, several transactions can be the last one in this sense, and any of them is returned.
  package func lastTransaction(
    beforeTime time: String,
    orAt: Bool,
    from first: Int64,
    through last: Int64
  ) throws -> Int64 {
    func isIn(_ id: Int64) throws -> Bool {
      guard let other = try history.time(of: id) else { return true }
      return orAt ? other <= time : other < time
    }
    var low = first
    var step: Int64 = 1
    while low < last, try isIn(min(low + step, last)) {
      low = min(low + step, last)
      step *= 2
    }
    // The transaction at `low` is not too late, or it is the first one. The transaction at `high`
    // is too late.
    var high = min(low + step, last + 1)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if try isIn(middle) { low = middle } else { high = middle }
    }
    return low
  }
}
