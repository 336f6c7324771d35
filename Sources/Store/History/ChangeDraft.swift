/// A change that is not yet as history will keep it, because its object was changed again in the
/// same transaction, or has links in a join table.
///
/// It knows how the object was before the transaction; how it is now is read when the transaction
/// ends.
struct ChangeDraft {
  /// Where an object stands in a many-to-many relationship.
  struct Link: Equatable {
    /// The position, where the relationship has an order.
    var position: Int64?
  }

  /// How one link was before the transaction, and how it is now; nil where there is none.
  struct LinkChange {
    var before: Link?
    var now: Link?
  }

  /// The values that were there before the transaction, by their columns.
  var before: [Int: EncodedValue] = [:]
  /// The links, by join table and destination.
  var links: [Int: [Int64: LinkChange]] = [:]

  /// Notes that a link came, went or moved.
  mutating func note(_ join: Int, _ target: Int64, before: Link?, now: Link?) {
    if links[join]?[target] == nil {
      links[join, default: [:]][target] = LinkChange(before: before, now: now)
    } else {
      links[join]?[target]?.now = now
    }
  }
}
