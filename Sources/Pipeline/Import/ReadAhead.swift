import ChangeLog
import Dispatch
import Format
import Synchronization

/// Reads the transactions of a log, and splits their changes, ahead of the replay.
///
/// The reading runs on a second thread, so the replaying thread only writes to the replica.
final class ReadAhead {
  enum Step {
    case begin(transaction: Int64, count: Int64)
    case changes(PreparedChanges, Range<Int>)
    case end(Transaction)
  }

  private let work: ReadingWork
  private let reading = DispatchGroup()
  private var batch: ReadAheadBatch?
  private var position = 0

  /// Starts to read at the position of a reader.
  ///
  /// No other code may use the reader until ``stop()`` returns.
  init(_ reader: LogReader) {
    work = ReadingWork(reader)
    DispatchQueue(label: "travelog.import.reading").async(group: reading) { [work] in work.run() }
  }

  deinit { stop() }

  /// Ends the reading, and discards batches that were not used.
  func stop() {
    if let batch { work.giveBack(batch) }
    batch = nil
    work.cancel()
    reading.wait()
  }

  /// The next step; nil at the end of the log.
  ///
  /// - Throws: The error of the reader, after all earlier steps were returned.
  func next() throws -> Step? {
    while true {
      if let batch, position < batch.steps.count {
        defer { position += 1 }
        return batch.steps[position]
      }
      if let outcome = batch?.outcome {
        // The reading thread has ended when this wait returns, so this thread may use the reader.
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

/// Several steps, which the reading thread gives to the replaying thread together.
private final class ReadAheadBatch: @unchecked Sendable {
  let changes = PreparedChanges()
  var steps: [ReadAhead.Step] = []
  /// The result of reading, in the last batch; nil in all other batches.
  var outcome: Result<Void, any Error>?
  /// The index of the first change that is not part of a step yet.
  private var first = 0

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

/// The work of the reading thread.
private final class ReadingWork: @unchecked Sendable {
  /// The approximate size of a batch in bytes.
  static let batchSize = 1 << 18

  private struct Stopped: Error {}

  private let reader: LogReader
  private let isCancelled = Atomic(false)
  private let batches = Mutex<(empty: [ReadAheadBatch], read: [ReadAheadBatch])>(([], []))
  private let empty = DispatchSemaphore(value: 0)
  private let read = DispatchSemaphore(value: 0)

  init(_ reader: LogReader) {
    self.reader = reader
    // The reading thread fills one of these two batches while the other batch is replayed.
    for _ in 0..<2 { giveBack(ReadAheadBatch()) }
  }

  /// Stops the reading thread, even if that thread waits for an empty batch.
  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    // This wait has no timeout, because Dispatch measures timeouts with a clock that a user can set
    // back.
    while let batch = batches.withLock({ $0.read.isEmpty ? nil : $0.read.removeFirst() }) {
      read.wait()
      giveBack(batch)
    }
  }

  func giveBack(_ batch: ReadAheadBatch) {
    batches.withLock { $0.empty.append(batch) }
    empty.signal()
  }

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

  /// Gives a full batch to the replaying thread, and waits for an empty batch.
  private func moveOn(_ batch: inout ReadAheadBatch) throws {
    guard !isCancelled.load(ordering: .relaxed) else { throw Stopped() }
    batch.endChanges()
    handOn(batch)
    batch = takeEmpty()
  }
}
