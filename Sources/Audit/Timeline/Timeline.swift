import ChangeLog
import Format
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
  /// Appends a change to the output; the Boolean value says whether the change is the first one of
  /// its transaction.
  ///
  /// The function for changes is nil if changes are not shown. The transaction does not have its
  /// closing line yet, so it may lack its reason and its request.
  package var change:
    ((Change, Transaction, Vocabulary, _ isFirst: Bool, _ output: inout [UInt8]) -> Void)?
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
      { $4 += write(ObjectDifference($0, vocabulary: $2), $3) }
    }
    self.foot = foot
  }

  /// Writes only the changes, each with its transaction.
  package init(row: @escaping (ObjectDifference, Transaction) -> [UInt8]) {
    self.init(head: { _ in [] })
    change = { change, opening, vocabulary, _, output in
      output += row(ObjectDifference(change, vocabulary: vocabulary), opening)
    }
  }
}

/// Keeps the output of some transactions, in a file if it is long, and writes it in reverse order.
///
/// Changes are read in the order in which they were recorded, but the newest transaction is written
/// first.
private struct ReversedOutput {
  let form: TimelineForm
  let limit: Int64?
  let isComplete: () -> Bool
  let output: ([UInt8]) throws -> Void
  private let spool = Spool()
  private var pieces: [(changes: Range<Int>, head: Range<Int>)] = []
  private var start = 0
  private var shown = 0
  private(set) var written: Int64 = 0

  init(
    _ form: TimelineForm,
    limit: Int64?,
    isComplete: @escaping () -> Bool,
    output: @escaping ([UInt8]) throws -> Void
  ) {
    (self.form, self.limit, self.isComplete, self.output) = (form, limit, isComplete, output)
  }

  var isFull: Bool { isComplete() || limit.map { written >= $0 } ?? false }

  mutating func take(_ change: Change, of opening: Transaction, vocabulary: Vocabulary) throws {
    guard let write = form.change, shown < form.changeLimit, spool.count - start < form.sizeLimit
    else { return }
    try spool.append { write(change, opening, vocabulary, shown == 0, &$0) }
    shown += 1
  }

  /// Ends a transaction; if the summary is nil, the bytes of the transaction are never read.
  mutating func close(_ summary: TransactionSummary?) throws {
    if var summary {
      let middle = spool.count
      summary.written = shown
      try spool.append(form.head(summary))
      pieces.append((start..<middle, middle..<spool.count))
    }
    (start, shown) = (spool.count, 0)
  }

  mutating func write() throws {
    for piece in pieces.reversed() where !isFull {
      try spool.read(piece.head, output)
      try spool.read(piece.changes, output)
      if !form.foot.isEmpty { try output(form.foot) }
      written += 1
    }
    spool.removeAll()
    (pieces, start) = ([], 0)
  }
}

/// Writes the transactions of a history, the newest first.
///
/// If `only` is given, only this transaction is written. Otherwise writing ends after `limit`
/// transactions, or before a transaction for which `isFull` returns true. If `isDamaged` is true,
/// damage is known that comes after transactions which can be read, such as a wrong trailer of a log.
///
/// - Returns: The number of transactions that were written.
/// - Throws: The errors that occur when the history is read or the output is written.
@discardableResult
package func writeTimeline(
  of history: History,
  only: Int64? = nil,
  filter: AuditFilter,
  isDamaged: Bool = false,
  limit: Int64? = nil,
  form: TimelineForm,
  isFull: () -> Bool = { false },
  tick: Tick = { _ in },
  to output: ([UInt8]) throws -> Void
) throws -> Int64 {
  try withoutActuallyEscaping(isFull) { isFull in
    try withoutActuallyEscaping(output) { output in
      var reversed = ReversedOutput(form, limit: limit, isComplete: isFull, output: output)
      try write(
        &reversed,
        NewestFirst(history, only: only, object: filter.id),
        of: history,
        filter: filter,
        isDamaged: isDamaged,
        tick: tick
      )
      return reversed.written
    }
  }
}

private func write(
  _ output: inout ReversedOutput,
  _ stretches: NewestFirst,
  of history: History,
  filter: AuditFilter,
  isDamaged: Bool,
  tick: Tick
) throws {
  let vocabulary = Vocabulary(history.outline.schema)
  var stretches = stretches
  var progress = Progress(total: history.last - history.outline.base)
  var read: Int64 = 0
  while !output.isFull, let stretch = stretches.next(after: read) {
    read = 0
    var counter = EntityCounter()
    var next = stretch.lowerBound
    while next <= stretch.upperBound {
      let start = next
      do {
        try history.source.read(
          start...stretch.upperBound,
          wants: { filter.mayMatch($0) },
          change: { change, opening in
            read += 1
            try progress.countChange(tick)
            guard filter.matches(change, transaction: opening) else { return }
            counter.count(change)
            try output.take(change, of: opening, vocabulary: vocabulary)
          },
          transaction: { transaction in
            try progress.countTransaction(tick)
            next = transaction.id + 1
            let entities = counter.take()
            let summary = TransactionSummary(transaction: transaction, entities: entities)
            let isWanted =
              filter.matches(transaction) && !(entities.isEmpty && filter.isAboutChanges)
              // A row that was only recorded again was not inserted.
              && (filter.kinds.isEmpty || summary.total.all > 0)
            try output.close(isWanted ? summary : nil)
          }
        )
        break
      } catch let error as LogError
        where isDamaged && next > start && ![.inputOutput, .notPermitted].contains(error.code)
      {
        _ = counter.take()
        try output.close(nil)
      }
    }
    try output.write()
  }
}
