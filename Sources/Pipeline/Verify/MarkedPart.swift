import Changes

/// A snapshot or a gap, which is not covered by the chain unless a transaction of the chain names it.
struct MarkedPart: Hashable {
  let mark: Mark
  /// Whether the logs begin with it.
  let isBase: Bool
  /// The first transaction that names it; nil if none does.
  let by: Int64?
  /// Whether a replay of the logs leads to the same state, or the state is that of a trusted store.
  var isReplayed = false

  /// Whether nothing proves it.
  ///
  /// A transaction after the proven part of the chain could be forged together with what it names, so it
  /// proves nothing about an earlier state.
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

extension Verification {
  /// Adds the snapshots and gaps that nothing proves to the parts that the verdict does not cover.
  mutating func exceptMarked() {
    var parts: [ExceptedPart] = []
    for part in marked where part.isUnproven(upTo: proven) {
      parts.add(part.kind, part.mark.transaction)
    }
    except = parts.filter { $0.kind != .gap } + except + parts.filter { $0.kind == .gap }
  }
}
