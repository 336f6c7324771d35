import ChangeLog
import Format

/// The erasures that transactions record.
///
/// Several transactions can record one erasure. So all transactions with the same object and the
/// same properties count as one.
struct RecordedErasures {
  struct Erasure {
    /// The last transaction that records the erasure.
    var by: Int64
    /// The transactions that lost values, as restatements without lines.
    var transactions: Set<Restatement> = []
  }

  /// The erasures by their details without restatements.
  private(set) var all: [ErasureDetails: Erasure] = [:]

  mutating func add(_ details: ErasureDetails, by transaction: Int64) {
    var erasure = details
    erasure.restatements = []
    all[erasure, default: Erasure(by: transaction)].by = transaction
    for one in details.restatements {
      var place = one
      place.lines = []
      all[erasure]?.transactions.insert(place)
    }
  }
}
