import ChangeLog
import Changes
import Dispatch
import Store
import Synchronization

/// Reads the transactions of a log ahead of their replay, and takes their changes apart.
///
/// That is done on a thread of its own, so that the one that replays has nothing to do but to write.
/// What one reads and the other writes goes from hand to hand in batches.
final class ReadAhead {
  /// What comes next.
  enum Step {
    case begin(transaction: Int64, count: Int64)
    case changes(PreparedChanges, Range<Int>)
    case end(Transaction)
  }

  private let work: ReadingWork
  private let reading = DispatchGroup()
  private var batch: ReadAheadBatch?
  private var position = 0

  /// Begins to read, from where a reader stands, which nobody else may use until this has gone.
  init(_ reader: LogReader) {
    work = ReadingWork(reader)
    DispatchQueue(label: "travelog.import.reading").async(group: reading) { [work] in work.run() }
  }

  deinit { stop() }

  /// Ends the reading; what was read and not asked for is forgotten.
  func stop() {
    if let batch { work.giveBack(batch) }
    batch = nil
    work.cancel()
    reading.wait()
  }

  /// What comes next; nil at the end of the log.
  ///
  /// - Throws: What the reader threw, after all that came before it.
  func next() throws -> Step? {
    while true {
      if let batch, position < batch.steps.count {
        defer { position += 1 }
        return batch.steps[position]
      }
      if let outcome = batch?.outcome {
        // The reader has done with the log, and may be asked about it.
        reading.wait()
        try outcome.get()
        return nil
      }
      if let batch { work.giveBack(batch) }
      batch = work.take()
      position = 0
    }
  }
}

/// What goes from the thread that reads to the one that writes.
private final class ReadAheadBatch: @unchecked Sendable {
  let changes = PreparedChanges()
  var steps: [ReadAhead.Step] = []
  /// How reading ended; nil if more comes.
  var outcome: Result<Void, any Error>?
  /// The first change that is not in a step yet.
  private var first = 0

  /// Whether it is large enough to be handed on.
  var isFull: Bool { changes.size >= ReadingWork.batchSize || steps.count >= 4096 }

  func endChanges() {
    if first < changes.count { steps.append(.changes(changes, first..<changes.count)) }
    first = changes.count
  }

  func removeAll() {
    changes.removeAll()
    steps.removeAll(keepingCapacity: true)
    first = 0
  }
}

/// What the thread does that reads.
private final class ReadingWork: @unchecked Sendable {
  /// About so many bytes of changes are handed on at once.
  static let batchSize = 1 << 18

  private struct Stopped: Error {}

  private let reader: LogReader
  private let isCancelled = Atomic(false)
  private let batches = Mutex<(empty: [ReadAheadBatch], read: [ReadAheadBatch])>(([], []))
  private let empty = DispatchSemaphore(value: 0)
  private let read = DispatchSemaphore(value: 0)

  init(_ reader: LogReader) {
    self.reader = reader
    // One is read while another is written; more would take memory for nothing.
    for _ in 0..<2 { giveBack(ReadAheadBatch()) }
  }

  /// Ends the reading soon, which may wait for an empty batch now.
  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    // Without a timeout: Dispatch measures one by the clock, which may be set back meanwhile.
    while let batch = batches.withLock({ $0.read.isEmpty ? nil : $0.read.removeFirst() }) {
      read.wait()
      giveBack(batch)
    }
  }

  /// Takes back a batch that was written.
  func giveBack(_ batch: ReadAheadBatch) {
    batches.withLock { $0.empty.append(batch) }
    empty.signal()
  }

  /// Waits for the next batch that was read.
  func take() -> ReadAheadBatch {
    read.wait()
    return batches.withLock { $0.read.removeFirst() }
  }

  private func takeEmpty() -> ReadAheadBatch {
    empty.wait()
    let batch = batches.withLock { $0.empty.removeLast() }
    batch.removeAll()
    return batch
  }

  private func handOn(_ batch: ReadAheadBatch) {
    batches.withLock { $0.read.append(batch) }
    read.signal()
  }

  /// Reads to the end of the log.
  func run() {
    var batch = takeEmpty()
    do {
      while let transaction = try readNext(&batch) {
        batch.steps.append(.end(transaction))
      }
      batch.outcome = .success(())
    } catch {
      batch.endChanges()
      batch.outcome = .failure(error)
    }
    handOn(batch)
  }

  private func readNext(_ batch: inout ReadAheadBatch) throws -> Transaction? {
    var hasBegun = false
    let transaction = try reader.next(checksValues: false) { change, transaction, count in
      if batch.isFull { try moveOn(&batch) }
      if !hasBegun { batch.steps.append(.begin(transaction: transaction, count: count)) }
      hasBegun = true
      try batch.changes.append(change, format: reader.format)
    }
    guard let transaction else { return nil }
    batch.endChanges()
    if batch.isFull { try moveOn(&batch) }
    if !hasBegun {
      batch.steps.append(.begin(transaction: transaction.id, count: transaction.count))
    }
    return transaction
  }

  /// Hands a batch on, and waits for an empty one.
  private func moveOn(_ batch: inout ReadAheadBatch) throws {
    guard !isCancelled.load(ordering: .relaxed) else { throw Stopped() }
    batch.endChanges()
    handOn(batch)
    batch = takeEmpty()
  }
}
