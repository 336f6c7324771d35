import Changes
import Pipeline
import Store

/// A transaction with what its changes did, counted.
package struct TransactionSummary: Sendable {
  package var transaction: Transaction
  /// What happened to the objects of each entity, sorted by name.
  package var entities: [EntityCounts]

  /// Counts nothing yet, or what was counted.
  package init(transaction: Transaction, entities: [EntityCounts] = []) {
    self.transaction = transaction
    self.entities = entities
  }

  /// What happened in all entities.
  package var total: ChangeCounts { entities.reduce(into: ChangeCounts()) { $0 += $1.counts } }
}

/// What happened to the objects of an entity.
package struct EntityCounts: Hashable, Sendable {
  package var entity: String
  package var counts: ChangeCounts

  package init(entity: String, counts: ChangeCounts) {
    self.entity = entity
    self.counts = counts
  }
}

/// How many objects came, changed and went.
package struct ChangeCounts: Hashable, Sendable {
  /// The objects that came.
  package var inserted: Int64 = 0
  /// The objects that changed.
  package var updated: Int64 = 0
  /// The objects that went.
  package var deleted: Int64 = 0

  package init() {}

  package var all: Int64 { inserted + updated + deleted }

  /// Counts one more.
  package mutating func count(_ kind: ChangeKind) {
    switch kind {
    case .insert: inserted += 1
    case .update: updated += 1
    case .delete: deleted += 1
    }
  }

  /// Adds others.
  package static func += (left: inout ChangeCounts, right: ChangeCounts) {
    left.inserted += right.inserted
    left.updated += right.updated
    left.deleted += right.deleted
  }
}

/// Counts the changes of one transaction after another, by entity.
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

  /// What was counted, and begins anew.
  mutating func take() -> [EntityCounts] {
    defer { counts.removeAll(keepingCapacity: true) }
    return counts.map {
      EntityCounts(entity: String(decoding: $0.name, as: UTF8.self), counts: $0.counts)
    }
    .sorted { $0.entity < $1.entity }
  }
}

/// How transactions are written: what stands for each, and for each of its changes.
package struct TimelineForm {
  /// Writes what stands before the changes of a transaction.
  package var head: (TransactionSummary) -> [UInt8]
  /// Writes a change, which is the first or not; nil if changes are not shown.
  package var change: ((ObjectDifference, _ isFirst: Bool) -> [UInt8])?
  /// What stands after the changes.
  package var foot: [UInt8]

  package init(
    head: @escaping (TransactionSummary) -> [UInt8],
    change: ((ObjectDifference, _ isFirst: Bool) -> [UInt8])? = nil,
    foot: [UInt8] = []
  ) {
    self.head = head
    self.change = change
    self.foot = foot
  }
}

/// Writes the transactions of a history, the newest first.
///
/// Changes come in the order in which they were recorded, so that what is written of some transactions
/// is kept aside, in a file where it is much, and comes from there in the other order. With `only`, that transaction alone is
/// written, and with a limit so many at most.
///
/// - Returns: The number that were written.
/// - Throws: What reading the history and the output throw.
@discardableResult
package func writeTimeline(
  of history: History,
  only: Int64? = nil,
  filter: AuditFilter,
  limit: Int64? = nil,
  form: TimelineForm,
  tick: Tick = { _ in },
  to output: ([UInt8]) throws -> Void
) throws -> Int64 {
  let vocabulary = Vocabulary(history.outline.schema)
  let spool = Spool()
  var written: Int64 = 0
  var progress = Progress(total: history.last - history.outline.base)
  var stretches = try NewestFirst(history, only: only, object: filter.id)
  var read: Int64 = 0
  while limit.map({ written < $0 }) ?? true, let stretch = stretches.next(after: read) {
    read = 0
    var pieces: [(changes: Range<Int>, head: Range<Int>)] = []
    var counter = EntityCounter()
    var start = 0
    spool.removeAll()
    try history.source.read(
      stretch,
      wants: { filter.matches($0) },
      change: { change, opening in
        read += 1
        progress.changes += 1
        if progress.changes & 0xfff == 0 { try tick(progress) }
        guard filter.matches(change, transaction: opening) else { return }
        counter.count(change)
        guard let write = form.change else { return }
        try spool.append(
          write(ObjectDifference(change, vocabulary: vocabulary), spool.count == start)
        )
      },
      transaction: { transaction in
        progress.transactions += 1
        try tick(progress)
        let entities = counter.take()
        guard filter.matches(transaction), !entities.isEmpty || !filter.isAboutChanges else {
          return
        }
        let middle = spool.count
        try spool.append(
          form.head(TransactionSummary(transaction: transaction, entities: entities))
        )
        pieces.append((start..<middle, middle..<spool.count))
        start = spool.count
      }
    )
    for piece in pieces.reversed() {
      if let limit, written >= limit { return written }
      try spool.read(piece.head, output)
      try spool.read(piece.changes, output)
      if !form.foot.isEmpty { try output(form.foot) }
      written += 1
    }
  }
  return written
}
