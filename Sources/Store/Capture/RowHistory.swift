import Adoption
import Format
import SQLite

/// Writes the changes of rows as the changes of one transaction after another.
protocol RowHistory: AnyObject {
  var recorder: ChangeRecorder { get }
  /// Whether the changes that were recorded so far are written, so that the caller may commit before
  /// the transaction is closed.
  var isWritten: Bool { get }

  /// Begins a transaction with the changes that were captured at some numbers of the clock.
  func begin(_ clocks: ClosedRange<Int64>) throws

  /// Records what a transaction did to a row of a table; nil stands for a missing row.
  ///
  /// `isReplaced` says whether the row was deleted before a row with its name was inserted.
  func record(
    _ name: RowName,
    of table: Int,
    from before: [Value]?,
    to after: [Value]?,
    isReplaced: Bool
  ) throws

  /// Closes the transaction, unless it has changed nothing.
  ///
  /// - Returns: Whether a transaction was recorded.
  func close(
    _ author: Author,
    operation: TransactionOperation,
    details: String,
    stamp: Provenance.Stamp?
  ) throws -> Bool

  /// Called when all closed transactions end at a place from which the work can be continued.
  func save() throws

  /// Called after the last transaction.
  func finish() throws
}

/// The history of the rows of an adopted file: each row is an object.
final class TableHistory: RowHistory {
  let recorder: ChangeRecorder
  let isWritten = true
  private let tables: [Table]
  private let blobs: Blobs
  private let digests: RowsDigests
  private var text = ChangeText()

  init(
    _ tables: [Table],
    recorder: ChangeRecorder,
    blobs: Blobs,
    on connection: Connection
  )
    throws
  {
    self.tables = tables
    self.recorder = recorder
    self.blobs = blobs
    digests = try RowsDigests(tables, on: connection)
  }

  func begin(_ clocks: ClosedRange<Int64>) throws { try recorder.begin() }

  func record(
    _ name: RowName,
    of index: Int,
    from before: [Value]?,
    to after: [Value]?,
    isReplaced: Bool
  ) throws {
    text.removeAll()
    let table = tables[index]
    let kind = try table.append(from: before, to: after, text: &text, blobs: blobs)
    guard let kind else { return }
    digests.note(name, from: before, to: after, table: index)
    try text.withChange(kind, sequence: recorder.count, table: table, name: name) {
      try recorder.copy($0, of: recorder.transaction)
    }
  }

  func close(
    _ author: Author,
    operation: TransactionOperation,
    details: String,
    stamp: Provenance.Stamp?
  ) throws -> Bool {
    guard recorder.count > 0 else {
      recorder.forget()
      return false
    }
    try recorder.close(author, operation: operation, details: details, stamp: stamp)
    return true
  }

  func save() throws { try digests.save() }

  func finish() throws { try digests.save() }
}
