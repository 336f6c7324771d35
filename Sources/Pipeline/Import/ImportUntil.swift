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
    throw PipelineError(.isPast(until, head: head), store: store)
  }
}
