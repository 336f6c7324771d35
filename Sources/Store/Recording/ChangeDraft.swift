import Format

/// A change of an object in the open transaction.
///
/// A change has a draft if its object changes again in the transaction, or if its links change.
///
/// A draft has the object's values from before the transaction. The present values are read when
/// the transaction ends.
struct ChangeDraft {
  /// Whether a link existed before the transaction, and whether it exists now.
  struct LinkChange {
    var before: Bool
    var now: Bool
  }

  /// The values before the transaction, by their columns.
  var before: [ColumnIndex: EncodedValue] = [:]
  /// The added and removed links, by join table and destination.
  var links: [JoinIndex: [Int64: LinkChange]] = [:]

  mutating func note(_ join: JoinIndex, target: Int64, isLinked: Bool) {
    links[join, default: [:]][target, default: LinkChange(before: !isLinked, now: isLinked)].now =
      isLinked
  }
}
