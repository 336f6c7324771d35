import ChangeLog
import Changes

/// Selects the snapshot with which a replica begins.
extension ImportRequest {
  /// The snapshot for a new replica, if it is requested, or the logs do not reach back to the
  /// beginning.
  func firstSnapshot(of chain: LogChain) throws -> LogFolder.File? {
    let first = chain.files.first?.range.lowerBound
    let beginsLineage = try chain.beginsLineage()
    guard fromSnapshot || !beginsLineage else { return nil }
    let file = try snapshot(of: chain, before: first)
    guard file == nil, !beginsLineage else { return file }
    guard let first else {
      throw error(.hasNoTransactions(chain.store))
    }
    throw error(.hasNoSnapshot(first: first, until: until))
  }

  /// The newest snapshot that can be used.
  func snapshot(of chain: LogChain, before first: Int64?) throws -> LogFolder.File? {
    try chain.snapshots.last { file in
      let id = file.range.lowerBound
      if let first, id < first - 1 { return false }
      switch until {
      case .head: return true
      case .transaction(let last): return id <= last
      case .time(let time):
        let reader = try chain.open(file, after: nil)
        return try reader.next().map { $0.time <= time } ?? false
      }
    }
  }
}
