import ChangeLog
import Format
import Store

extension FolderHistory {
  /// The changes that make the rows after a transaction, from the nearest snapshot or the beginning.
  ///
  /// Nil if only an import makes the rows: if the schema changes on the way, or if the logs before the
  /// transaction are missing.
  package func replay(through last: Int64) throws -> PastReplay? {
    try listing { try makeReplay(through: last) }
  }

  private func makeReplay(through last: Int64) throws -> PastReplay? {
    let snapshot = try snapshot(through: last)
    let first = snapshot.map { $0.range.lowerBound + 1 } ?? 1
    let files = chain.files.filter { $0.range.lowerBound <= last && $0.range.upperBound >= first }
    guard try snapshot != nil || beginsAtFirst(),
      first > last || files.first.map({ $0.range.lowerBound <= first }) == true,
      let start = snapshot ?? files.first
    else { return nil }
    let schema = try chain.open(start, after: nil).header.schema
    guard try files.allSatisfy({ try chain.open($0, after: nil).header.schema == schema }) else {
      return nil
    }
    return PastReplay(schema: schema, content: { [chain] in try chain.folder.blobs.value($0) }) {
      [self] body in
      if let snapshot {
        let reader = try chain.open(snapshot, after: nil)
        while try reader.next({ change, _, _ in try body(change) }) != nil {}
        try chain.checkEnd(reader, file: snapshot)
      }
      guard first <= last else { return }
      try read(
        first...last,
        wants: { _ in true },
        change: { change, _ in try body(change) },
        transaction: { _ in }
      )
    }
  }

  /// The transaction of the snapshot with which the rows after a transaction begin, if nothing proves
  /// this snapshot; nil otherwise.
  package func unprovenStart(through last: Int64) throws -> Int64? {
    try listing {
      guard let snapshot = try snapshot(through: last), try !isProven(snapshot) else { return nil }
      return snapshot.range.lowerBound
    }
  }

  /// The nearest snapshot at or before a transaction.
  ///
  /// A snapshot that nothing proves is used only if the logs do not begin with the first transaction,
  /// because anybody who can write to the folder can add a snapshot.
  private func snapshot(through last: Int64) throws -> LogFolder.File? {
    let snapshots = chain.snapshots.filter { $0.range.lowerBound <= last }
    if let proven = try snapshots.last(where: isProven) { return proven }
    return try beginsAtFirst() ? nil : snapshots.first
  }

  private func beginsAtFirst() throws -> Bool {
    try chain.beginsLineage() && chain.files.first?.range.lowerBound == 1
  }

  private func isProven(_ snapshot: LogFolder.File) throws -> Bool {
    let header = try chain.open(snapshot, after: nil).header
    let point = HistoryPoint(
      lineage: chain.lineage,
      transaction: header.first,
      digest: header.previous
    )
    return try chain.provesSnapshot(snapshot, at: point)
  }
}
