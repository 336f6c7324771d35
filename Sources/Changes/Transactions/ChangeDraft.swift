/// A change that is not yet as history will keep it, because its object was changed again in the
/// same transaction, or has links in a join table.
///
/// It knows how the object was before the transaction; how it is now is read when the transaction
/// ends.
package struct ChangeDraft {
  /// Whether one link was there before the transaction, and whether it is there now.
  package struct LinkChange {
    package var before: Bool
    package var now: Bool
  }

  /// The values that were there before the transaction, by their columns.
  package var before: [ColumnIndex: EncodedValue] = [:]
  /// The links that came or went, by join table and destination.
  package var links: [JoinIndex: [Int64: LinkChange]] = [:]

  package init() {}

  /// Notes that a link came or went.
  package mutating func note(_ join: JoinIndex, target: Int64, isLinked: Bool) {
    links[join, default: [:]][target, default: LinkChange(before: !isLinked, now: isLinked)].now =
      isLinked
  }
}
