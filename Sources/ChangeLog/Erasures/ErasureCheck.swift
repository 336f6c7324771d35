import Format

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

  /// Ends the open transaction, and throws if its lines are wrong.
  ///
  /// The error names the transaction, the path of its log, and the line at which it ends.
  mutating func check(_ found: LineDigests, of id: Int64, path: String, line: Int) throws {
    defer { mayBeErased = false }
    restatedBy = nil
    if erasures.isUnchecked { return }
    let records = erasures.entries[found.transaction]?.lines ?? []
    if !found.restated.isEmpty,
      let point = try erasures.restated?.restating(found.transaction, as: found.restated)
    {
      restatedBy = point
      return
    }
    guard found.remaining != records.last else {
      if records.isEmpty || mayBeErased { return }
      throw LogError(.damaged, path, line: line, transaction: id) {
        "The records of erasures name transaction \(id) of the log \(path), but none of its values"
          + " is erased: the record was forged, or the transaction was altered."
      }
    }
    guard found.remaining.map(records.contains) ?? true else {
      let digests = (found: found.remaining, expected: records.last)
      throw alteredTransaction(
        id,
        digests,
        mayBeErased: records.isEmpty,
        path: path,
        line: line
      )
    }
    if acceptsUnfinished { return }
    throw LogError(.damaged, path, line: line, transaction: id) {
      "Transaction \(id), which ends at line \(line) of the log \(path), contains values that the"
        + " records of erasures list as erased. This log is an older copy."
        + "\nReplace this copy with the current log."
    }
  }
}

func alteredTransaction(
  _ id: Int64,
  _ digests: (found: Digest?, expected: Digest?),
  mayBeErased: Bool = false,
  path: String,
  line: Int
) -> LogError {
  let expected = digests.expected.map { " and should have \($0)" }
  return LogError(.damaged, path, line: line, transaction: id) {
    "Transaction \(id), which ends at line \(line) of the log \(path), was altered. Its lines have the"
      + " digest \(digests.found?.description ?? "none")"
      + "\(expected ?? ", which no erasure record confirms")."
      + (mayBeErased ? " If its values were erased, the erasure record is missing." : "")
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
