import ChangeLog
import Changes

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

/// Adds a notice if transactions have values that a later transaction records as erased.
///
/// The erasure was recorded, but this folder is a copy from which the values were not removed.
func noteWhole(_ results: inout [Verification], logs: LogFolder) {
  let erasures = results.flatMap { $0.recordedErasures.all }.sorted { $0.value.by < $1.value.by }
  for (details, erasure) in erasures {
    for index in results.indices where results[index].findings.isEmpty {
      let (first, last) = (results[index].from.transaction, results[index].to.transaction)
      let whole = erasure.transactions.count {
        $0.lineage == results[index].lineage && $0.operation != .snapshot
          && first < $0.transaction && $0.transaction <= last
          && !results[index].erasedDigests.contains($0.digest)
      }
      guard whole > 0 else { continue }
      results[index].notices.append(
        .isNotErased(whole, by: erasure.by, of: details.object, details.properties, logs.path)
      )
    }
  }
}
