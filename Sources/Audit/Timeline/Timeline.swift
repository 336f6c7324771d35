import Changes
import Pipeline

package struct TransactionSummary: Sendable {
  package var transaction: Transaction
  /// The counts of changes for each entity, sorted by the name of the entity.
  package var entities: [EntityCounts]
  /// The number of changes that a timeline wrote before this summary.
  package var written = 0

  package init(transaction: Transaction, entities: [EntityCounts] = []) {
    self.transaction = transaction
    let replaced = transaction.replacedTables
    self.entities = entities.map { entity in
      guard replaced.contains(entity.entity) else { return entity }
      var entity = entity
      entity.counts.recordedAgain = entity.counts.inserted
      entity.counts.inserted = 0
      return entity
    }
  }

  package var total: ChangeCounts { entities.reduce(into: ChangeCounts()) { $0 += $1.counts } }
}

package struct EntityCounts: Hashable, Sendable {
  package var entity: String
  package var counts: ChangeCounts

  package init(entity: String, counts: ChangeCounts) {
    self.entity = entity
    self.counts = counts
  }
}

/// The counts of inserted, changed and deleted objects, and of rows that were only recorded again.
package struct ChangeCounts: Hashable, Encodable, Sendable {
  package var inserted: Int64 = 0
  package var updated: Int64 = 0
  package var deleted: Int64 = 0
  /// The rows of an adopted table that was recorded again, because a change was not captured.
  package var recordedAgain: Int64 = 0

  package init() {}

  package var all: Int64 { inserted + updated + deleted }

  private enum CodingKeys: String, CodingKey {
    case inserted, updated, deleted, recordedAgain
  }

  /// Writes the counts; only an adopted file has rows that were recorded again.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(inserted, forKey: .inserted)
    try container.encode(updated, forKey: .updated)
    try container.encode(deleted, forKey: .deleted)
    if recordedAgain > 0 { try container.encode(recordedAgain, forKey: .recordedAgain) }
  }

  package mutating func count(_ kind: ChangeKind) {
    switch kind {
    case .insert: inserted += 1
    case .update: updated += 1
    case .delete: deleted += 1
    }
  }

  package static func += (left: inout ChangeCounts, right: ChangeCounts) {
    left.inserted += right.inserted
    left.updated += right.updated
    left.deleted += right.deleted
    left.recordedAgain += right.recordedAgain
  }
}

struct EntityCounter {
  private var counts: [(name: [UInt8], counts: ChangeCounts)] = []

  mutating func count(_ change: Change) {
    if let index = counts.firstIndex(where: { change.entity.elementsEqual($0.name) }) {
      counts[index].counts.count(change.kind)
    } else {
      var one = ChangeCounts()
      one.count(change.kind)
      counts.append((Array(change.entity), one))
    }
  }

  /// Returns the counts, and resets them to zero.
  mutating func take() -> [EntityCounts] {
    defer { counts.removeAll(keepingCapacity: true) }
    return counts.map {
      EntityCounts(entity: String(decoding: $0.name, as: UTF8.self), counts: $0.counts)
    }
    .sorted { $0.entity < $1.entity }
  }
}

/// The functions that write transactions and their changes.
package struct TimelineForm {
  /// Writes the start of a transaction.
  package var head: (TransactionSummary) -> [UInt8]
  /// Writes a change; the last argument says whether the change is the first one of its
  /// transaction.
  ///
  /// The function for changes is nil if changes are not shown.
  package var change: ((Change, Vocabulary, _ isFirst: Bool) -> [UInt8])?
  /// Writes the end of a transaction.
  package var foot: [UInt8]
  package var changeLimit = Int.max
  /// The number of bytes of a transaction after which no more of its changes are written.
  package var sizeLimit = Int.max

  package init(
    head: @escaping (TransactionSummary) -> [UInt8],
    change: ((ObjectDifference, _ isFirst: Bool) -> [UInt8])? = nil,
    foot: [UInt8] = []
  ) {
    self.head = head
    self.change = change.map { write in
      { write(ObjectDifference($0, vocabulary: $1), $2) }
    }
    self.foot = foot
  }
}

/// Writes the transactions of a history, the newest first.
///
/// Changes are read in the order in which they were recorded, so the output of several transactions
/// is kept, in a file if it is long, and then written in reverse order. If `only` is given, only
/// this transaction is written. Otherwise writing ends after `limit` transactions, or before a
/// transaction for which `isFull` returns true.
///
/// - Returns: The number of transactions that were written.
/// - Throws: The errors that occur when the history is read or the output is written.
@discardableResult
package func writeTimeline(
  of history: History,
  only: Int64? = nil,
  filter: AuditFilter,
  limit: Int64? = nil,
  form: TimelineForm,
  isFull: () -> Bool = { false },
  tick: Tick = { _ in },
  to output: ([UInt8]) throws -> Void
) throws -> Int64 {
  let vocabulary = Vocabulary(history.outline.schema)
  let spool = Spool()
  var written: Int64 = 0
  var progress = Progress(total: history.last - history.outline.base)
  var stretches = try NewestFirst(history, only: only, object: filter.id)
  var read: Int64 = 0
  while limit.map({ written < $0 }) ?? true, !isFull(), let stretch = stretches.next(after: read) {
    read = 0
    var pieces: [(changes: Range<Int>, head: Range<Int>)] = []
    var counter = EntityCounter()
    var shown = 0
    var start = 0
    spool.removeAll()
    try history.source.read(
      stretch,
      wants: { filter.mayMatch($0) },
      change: { change, opening in
        read += 1
        try progress.countChange(tick)
        guard filter.matches(change, transaction: opening) else { return }
        counter.count(change)
        guard let write = form.change, shown < form.changeLimit,
          spool.count - start < form.sizeLimit
        else { return }
        try spool.append(write(change, vocabulary, shown == 0))
        shown += 1
      },
      transaction: { transaction in
        try progress.countTransaction(tick)
        let entities = counter.take()
        // The bytes of a transaction that is not selected are never read.
        defer {
          start = spool.count
          shown = 0
        }
        guard filter.matches(transaction), !entities.isEmpty || !filter.isAboutChanges else {
          return
        }
        let middle = spool.count
        var summary = TransactionSummary(transaction: transaction, entities: entities)
        summary.written = shown
        try spool.append(form.head(summary))
        pieces.append((start..<middle, middle..<spool.count))
      }
    )
    for piece in pieces.reversed() {
      if isFull() || limit.map({ written >= $0 }) ?? false { return written }
      try spool.read(piece.head, output)
      try spool.read(piece.changes, output)
      if !form.foot.isEmpty { try output(form.foot) }
      written += 1
    }
  }
  return written
}
