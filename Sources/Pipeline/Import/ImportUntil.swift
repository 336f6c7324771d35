import FoundationEssentials
import Store

/// Fails if a replica is already past the point where an import is to end.
///
/// A store that does not exist, or is not a replica, passes: the import says what is wrong with it.
///
/// - Throws: ``PipelineError`` with ``PipelineError/Code/misuse``, or ``StoreError``.
package func checkIsNotPast(_ until: Point, store: String) throws {
  guard until != .head, try !Store.isUnmade(URL(fileURLWithPath: store)) else { return }
  let replica = try readableStore(store)
  guard replica.isReplica else { return }
  try replica.read { try $0.checkIsNotPast(until, store: store) }
}

extension Reader {
  /// Fails if a replica is already past the point where an import is to end.
  func checkIsNotPast(_ until: Point, store: String) throws {
    let head = try historyRange().head.transaction
    let isPast =
      switch until {
      case .head: false
      case .transaction(let id): id < head
      case .time(let time): try firstTransaction(afterTime: time) != nil
      }
    guard isPast else { return }
    let point =
      switch until {
      case .transaction(let id): "transaction \(id)"
      case .time, .head: "\(until)"
      }
    throw PipelineError(
      .misuse,
      "The replica \(store) is at transaction \(head), which is already past \(point), and an import"
        + " never goes back.",
      hint: "Name a file that does not exist yet: --into new.store --until \(until)"
    )
  }
}
