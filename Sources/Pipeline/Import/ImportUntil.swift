import FoundationEssentials
import Store

/// Throws if a replica already has transactions after the requested end of an import.
///
/// A file that is not a replica is not an error here; the import reports it.
///
/// - Throws: ``PipelineError`` with ``PipelineError/Code/misuse``, or ``StoreError``.
package func checkIsNotPast(_ until: Point, store: String) throws {
  guard until != .head, try !Store.isUnmade(URL(fileURLWithPath: store)) else { return }
  let replica = try readableStore(store)
  guard replica.isReplica else { return }
  try replica.read { try $0.checkIsNotPast(until, store: store) }
}

extension Reader {
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
