import ChangeLog
import Changes

/// A snapshot or a gap.
///
/// The chain covers a snapshot or a gap only if a transaction of the chain names its digest.
struct MarkedPart: Hashable {
  let mark: Mark
  /// Whether this part is the snapshot with which the logs begin.
  let isBase: Bool
  /// The first transaction that names this part; nil if no transaction does.
  let by: Int64?
  /// Whether a replay of the logs gives the state of this part, or a trusted store has that state.
  var isReplayed = false

  /// Whether nothing proves this part.
  ///
  /// A transaction after the proven part of the chain could be forged together with the snapshot or
  /// gap that it names. Therefore such a transaction does not prove a snapshot or gap in the proven
  /// part.
  func isUnproven(upTo proven: HistoryPoint?) -> Bool {
    guard !isReplayed, let by else { return !isReplayed }
    guard let proven, mark.transaction <= proven.transaction else { return false }
    return by > proven.transaction
  }

  fileprivate var kind: ExceptedPart.Kind {
    switch mark.kind {
    case .gap: .gap
    case .snapshot: isBase ? .base : .snapshot
    }
  }
}

/// A transaction with erased values, and the transaction that confirms the values that remain.
struct RestatedPart: Hashable {
  let transaction: Int64
  let by: HistoryPoint
}

extension Verification {
  /// Adds the parts that the verdict does not cover.
  ///
  /// The verdict does not cover snapshots and gaps that nothing proves, nor transactions with
  /// erased values.
  ///
  /// - Parameter heads: The last proven transaction of each lineage of the store.
  mutating func exceptMarked(_ heads: [Int64: Int64]) {
    var parts: [ExceptedPart] = []
    for part in marked where part.isUnproven(upTo: proven) {
      parts.add(part.kind, part.mark.transaction)
    }
    var others: [ExceptedPart] = []
    for part in restated {
      // If the transaction that confirms the values is not proven, it could be forged together with
      // the values.
      let isProven = proven.map { $0.transaction < part.transaction } ?? true
      others.addRestated(
        part.transaction,
        by: part.by.transaction,
        isProven: isProven || heads[part.by.lineage].map { part.by.transaction <= $0 } ?? false
      )
    }
    except =
      parts.filter { $0.kind != .gap } + others + except + parts.filter { $0.kind == .gap }
  }
}
