import Changes

/// Checks that the remaining values of erased transactions match the erasure records of a log.
struct ErasureCheck {
  private let erasures: Erasures
  /// Whether a transaction may still have the values that an interrupted erasure should have
  /// removed.
  private let acceptsUnfinished: Bool
  /// Whether values of a change in the open transaction can have been erased.
  private var mayBeErased = false
  /// The transaction that confirms the remaining values of the last transaction; nil if no
  /// transaction does.
  private(set) var restatedBy: HistoryPoint?

  init(_ erasures: Erasures, acceptsUnfinished: Bool) {
    self.erasures = erasures
    self.acceptsUnfinished = acceptsUnfinished
  }

  mutating func take(_ change: Change) {
    if !mayBeErased, !erasures.entries.isEmpty { mayBeErased = change.mayBeErased }
  }

  /// Ends the open transaction, and returns the reason why its lines are wrong; nil if the lines
  /// are right.
  mutating func fault(of found: LineDigests) throws -> LogFailure? {
    defer { mayBeErased = false }
    restatedBy = nil
    if erasures.isUnchecked { return nil }
    let records = erasures.entries[found.transaction]?.lines ?? []
    if !found.restated.isEmpty,
      let point = try erasures.restated?.restating(found.transaction, as: found.restated)
    {
      restatedBy = point
      return nil
    }
    guard found.remaining != records.last else {
      return records.isEmpty || mayBeErased ? nil : .nothingErased
    }
    guard found.remaining.map(records.contains) ?? true else {
      return .alteredTransaction(
        found: found.remaining,
        expected: records.last,
        mayBeErased: records.isEmpty
      )
    }
    return acceptsUnfinished ? nil : .notErased
  }
}

extension Change {
  /// Whether a value of the change was erased, or the change has no value that could be erased.
  ///
  /// In tombstone mode, a store can record an erasure for a transaction that only added links to an
  /// object that was deleted later. Such a transaction contains no erased value.
  fileprivate var mayBeErased: Bool {
    if hasErasedValues { return true }
    // A list of links begins with a bracket. Most changes contain no list of links, so their values
    // need not be parsed here.
    let texts = [before, after].filter { !$0.isEmpty }
    return texts.allSatisfy { text in
      var parts = LineParts(text)
      return text.count == 2 || parts.skip(to: ":[")
    } && toldValues.isEmpty
  }
}
