import ChangeLog
import Format

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

  var kind: ExceptedPart.Kind {
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
