import Changes

/// Compares what remains in the erased transactions of a log with the records of their erasures.
struct ErasureCheck {
  private let erasures: Erasures
  /// Whether a transaction may also have the lines from before its last erasure, which was
  /// interrupted.
  private let acceptsUnfinished: Bool
  /// Whether values of a change in the open transaction may have been erased.
  private var mayBeErased = false
  /// The transaction that confirms what remains in the last transaction; nil if none does.
  private(set) var restatedBy: HistoryPoint?

  init(_ erasures: Erasures, acceptsUnfinished: Bool) {
    self.erasures = erasures
    self.acceptsUnfinished = acceptsUnfinished
  }

  /// Takes a change of the open transaction.
  mutating func take(_ change: Change) {
    if !mayBeErased, !erasures.entries.isEmpty { mayBeErased = change.mayBeErased }
  }

  /// Ends the open transaction, and returns why its lines can't be accepted; nil if they can.
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
  /// Whether the change has an erased value, or has no value that an erasure could remove.
  ///
  /// A store that keeps only tombstones also marks a transaction in which a deleted object only got links.
  fileprivate var mayBeErased: Bool {
    if hasErasedValues { return true }
    // Lists of links begin with a bracket, so most changes need not be split into members.
    let texts = [before, after].filter { !$0.isEmpty }
    return texts.allSatisfy { text in
      var parts = LineParts(text)
      return text.count == 2 || parts.skip(to: ":[")
    } && toldValues.isEmpty
  }
}
