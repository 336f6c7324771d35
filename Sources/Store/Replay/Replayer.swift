import Format
import SQLite

/// Replays another store's transactions: writes their rows, and copies their history unchanged.
///
/// A store keeps one replayer for all calls of ``Store/replay(content:_:)``, but
/// ``Migration/replay(_:to:options:content:_:)`` creates a new one. A call writes one SQL
/// transaction. Delete rules are not applied, because history contains the changes that they made.
/// Foreign keys are not enforced, because a foreign writer may have left dangling links.
package final class Replayer {
  private let writer: Writer
  private let rows: ReplayRows
  private var open: (id: Int64, count: Int64)?
  private var sequence: Int64 = 0
  private let format: ChangeFormat
  /// The buffer for changes that are applied one at a time.
  private let single = PreparedChanges()
  /// The migration of the tables; nil if no table changed, or if its transaction has been replayed.
  private var migrated: MigrationPlan?
  /// The point of the snapshot that is being written.
  ///
  /// The objects of a snapshot are not recorded as changes in history.
  private var snapshot: HistoryPoint?
  /// Whether a later transaction records all rows of a table again, or removes the table.
  ///
  /// The rows of an adopted file can differ from its history until then, because no trigger captured
  /// a change. What does not fit until then is left out of the rows, and kept in history.
  package var isRecordedLater: (_ table: String) throws -> Bool = { _ in false }

  init(_ writer: Writer, migrated: MigrationPlan? = nil) throws {
    self.writer = writer
    // If no table changed, the origin may not have recorded the migration. So no record is
    // required.
    self.migrated = migrated.flatMap { $0.isTrivial ? nil : $0 }
    format = try ChangeFormat(writer.schema)
    rows = ReplayRows(writer, decoders: format.decoders)
    if self.migrated != nil { rows.purpose = .comparison }
  }

  /// Runs a function with the replayer in one SQL transaction; `content` returns a large value by
  /// its SHA-256.
  func run<Result>(
    content: @escaping (String) throws -> LargeValue,
    _ body: (Replayer) throws -> Result
  ) throws -> Result {
    rows.values.content = content
    // An error can leave the state of an unfinished transaction, so the state is reset in any case.
    defer { reset() }
    try writer.beginRows()
    try rows.begin()
    let result = try body(self)
    try finish()
    try rows.complete()
    try writer.blobs.prepareToCommit()
    return result
  }

  private func reset() {
    rows.values.content = { throw missingInReplay($0) }
    snapshot = nil
    open = nil
    migrated = nil
    isRecordedLater = { _ in false }
    rows.reset()
  }

  /// Starts a transaction, which must follow the last transaction of the store.
  ///
  /// - Parameters:
  /// - id: The transaction's id.
  /// - count: The number of changes in the transaction.
  /// - first: For a gap, the first transaction that the gap replaces.
  /// - Throws: ``StoreError/Code/historyGap`` if another transaction must be next.
  package func begin(_ id: Int64, count: Int64, first: Int64? = nil) throws {
    guard open == nil else { throw wrongOrder }
    try writer.recorder.begin()
    let next = writer.recorder.transaction
    guard first ?? id == next else {
      throw failure(.historyGap) {
        "Transaction \(id) can't be replayed into the store \(path): the last transaction of the"
          + " store is \(next - 1), so transaction \(next) must be next."
      }
    }
    open = (id, count)
    rows.transaction = id
    sequence = 0
    rows.forgetDifferences()
  }

  package func apply(_ change: Change) throws {
    single.removeAll()
    try single.append(change, format: format)
    try apply(single, at: 0)
  }

  /// Replays one of the prepared changes, which were parsed with the schema of this store.
  package func apply(_ changes: PreparedChanges, at index: Int) throws {
    guard let open else { throw wrongOrder }
    let change = changes.parts[index].change
    guard change.sequence == sequence, sequence < open.count else {
      throw failure(.damaged) {
        "\(name(of: change)) can't be replayed: change \(sequence) of \(open.count) must be next.\n"
      }
    }
    try put(changes, index: index, isHistory: snapshot == nil)
    if snapshot == nil { try writer.recorder.copy(change, of: open.id) }
    sequence += 1
  }

  private func put(_ changes: PreparedChanges, index: Int, isHistory: Bool) throws {
    let part = changes.parts[index]
    if !changes.refusals.isEmpty, let refusal = changes.refusals[index] {
      throw malformed(part.change, detail: refusal.message)
    }
    do {
      if isHistory { try rows.values.keep(part.change) }
      try rows.write(part, changes: changes)
    } catch let error as CanonicalEncodingError {
      throw malformed(part.change, detail: error.message)
    }
  }

  /// Ends the transaction, whose digest the caller has verified.
  ///
  /// - Throws: ``StoreError/Code/replayMismatch`` with all differences if rows did not have the
  ///   values that the changes expected.
  package func end(_ transaction: Transaction) throws {
    guard let open, snapshot == nil, open.id == transaction.id, open.count == transaction.count
    else {
      throw wrongOrder
    }
    guard sequence == transaction.count else {
      throw incomplete(of: transaction.count)
    }
    self.open = nil
    if migrated != nil, transaction.operation != .migration {
      throw failure(.misuse) {
        "Transaction \(transaction.id) has another schema than the transaction before it, but is"
          + " not a migration."
      }
    }
    try rows.finish()
    guard try rows.differences.allSatisfy({ try isRecordedLater($0.entity) }) else {
      throw mismatch(transaction.id)
    }
    migrated = nil
    rows.purpose = .history
    try writer.putParkedRowsBack()
    try writer.recorder.close(transaction)
    try erase(transaction)
  }

  /// Erases the values that a transaction records as erased.
  private func erase(_ transaction: Transaction) throws {
    let restated = transaction.restatements
    guard !restated.isEmpty else { return }
    guard let erasure = transaction.erasure else {
      // A deletion erases all values of the object.
      return try writer.recorder.erase(restated) { _, _, _ in true }
    }
    let targets = CatalogTargets(
      entity: erasure.object.entity,
      attributes: erasure.properties,
      schemas: try catalogSchemas(on: writer.connection)
    )
    try writer.recorder.erase(restated) { transaction, change, value in
      try targets.under(transaction.schema).property(of: value, in: change) != nil
    }
  }

  /// Starts a snapshot, which fills an empty replica with the state of its origin at a point.
  ///
  /// - Parameters:
  /// - point: The point after which history continues.
  /// - count: The number of objects; each is an insertion.
  /// - Throws: ``StoreError/Code/historyGap`` if the replica is not empty, and
  ///   ``StoreError/Code/misuse`` if it has another lineage.
  package func begin(snapshot point: HistoryPoint, count: Int64) throws {
    guard open == nil else { throw wrongOrder }
    let range = try HistoryRows(writer.connection).range()
    guard range.oldest == nil, range.base.transaction == 0, try isEmpty() else {
      throw failure(.historyGap) {
        "A snapshot can't be replayed into \(path), which is not empty."
      }
    }
    guard range.base.lineage == point.lineage else {
      throw failure(.misuse) {
        "A snapshot of lineage \(point.lineage) can't be replayed into \(path), which has lineage"
          + " \(range.base.lineage)."
      }
    }
    snapshot = point
    if migrated == nil { rows.purpose = .snapshot }
    open = (point.transaction, count)
    rows.transaction = point.transaction
    sequence = 0
    rows.forgetDifferences()
  }

  /// Ends the snapshot; the transaction after the point of the snapshot must be next.
  ///
  /// - Parameters:
  ///   - time: The time of the state; nil if it is not known.
  ///   - sequences: The highest ids that the origin, an adopted file, ever gave to rows.
  /// - Throws: ``StoreError/Code/replayMismatch`` if one of the objects existed already.
  package func endSnapshot(time: String?, sequences: [TableSequence] = []) throws {
    guard let open, let point = snapshot else { throw wrongOrder }
    guard sequence == open.count else { throw incomplete(of: open.count) }
    self.open = nil
    snapshot = nil
    rows.purpose = .history
    try rows.finish()
    guard rows.differences.isEmpty else { throw mismatch(point.transaction) }
    try AdoptedReplica.raise(sequences, of: writer.schema, on: writer.connection)
    try writer.putParkedRowsBack()
    try HistoryRows.setBase(point, on: writer.connection)
    if let time { try HistoryRows.setBaseTime(time, on: writer.connection) }
  }

  private func isEmpty() throws -> Bool {
    try Set(writer.layouts.map(\.table)).allSatisfy {
      try !writer.connection.hasRow("SELECT 1 FROM \($0) LIMIT 1")
    }
  }

  /// Throws if the tables were migrated, and the transaction that records the migration was not
  /// replayed.
  private func finish() throws {
    guard let migrated else { return }
    throw failure(.misuse) {
      "The migration of the store \(path) to version \(migrated.to.version) of the schema was not"
        + " replayed."
    }
  }

  private var path: String { writer.connection.path }

  // MARK: Errors

  private func failure(_ code: StoreError.Code, _ wording: () -> Wording) -> StoreError {
    StoreError(code, at: path, wording)
  }

  private var wrongOrder: StoreError {
    failure(.misuse) {
      "The calls that replay into the store \(path) were made in the wrong order."
    }
  }

  private func incomplete(of count: Int64) -> StoreError {
    failure(.misuse) {
      "Only \(sequence) of \(count) changes were replayed into the store \(path)."
    }
  }

  private func mismatch(_ id: Int64) -> StoreError {
    StoreError(.replayMismatch, at: path, items: rows.differences) {
      "Transaction \(id) can't be replayed or reverted in the store \(path) because another program"
        + " changed the same objects:\(items: rows.differences)"
    }
  }

  private func malformed(_ change: Change, detail: String) -> StoreError {
    failure(.damaged) { "\(name(of: change)) can't be replayed: \(detail).\n" }
  }

  private func name(of change: Change) -> String {
    let object = ObjectName(String(decoding: change.entity, as: UTF8.self), id: change.id)
    return "Change \(change.sequence) of transaction \(open?.id ?? 0) (\(object))"
  }
}
