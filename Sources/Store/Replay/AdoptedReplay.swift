import Adoption
import Format
import SQLite

/// Writes rows into a replica with the tables of a program, whose rules SQLite enforces.
///
/// Two rows can swap a unique value in one transaction. A row that can't be written yet is parked: it
/// is deleted, and is inserted with its last values when the transaction ends.
final class AdoptedReplay {
  private let writer: Writer
  private let connection: Connection
  /// The digests of the rows; nil if the present SQL transaction has not written a row yet.
  private var digests: RowsDigests?
  private var relaxed: RelaxedTables

  init(_ writer: Writer) {
    self.writer = writer
    connection = writer.connection
    relaxed = RelaxedTables(writer.connection)
  }

  /// Notes a change of a row; nil stands for a missing row.
  func note(_ key: RowKey, from before: [Value]?, to after: [Value]?) throws {
    let digests = try self.digests ?? RowsDigests(writer.tables, on: connection)
    self.digests = digests
    digests.note(RowName(key.id), from: before, to: after, table: key.entity.number)
  }

  // MARK: Statements

  func insert(_ key: RowKey, values: [Value]) throws {
    try note(key, from: nil, to: values)
    do {
      try withoutNotNull(key) { try writer.tables[key.entity].insert(key.id, values) }
    } catch let error as SQLiteError where error.isUniqueConflict {
      writer.parked.park(key, values: values)
    }
  }

  func update(
    _ key: RowKey,
    columns: [ColumnIndex],
    before row: [Value],
    values: [Value]
  ) throws {
    var changed = row
    for (column, value) in zip(columns, values) { changed[column] = value }
    try note(key, from: row, to: changed)
    let table = writer.tables[key.entity]
    if writer.parked[key] == nil {
      do {
        return try withoutNotNull(key) {
          try table.update(key.id, columns: columns, values: values)
        }
      } catch let error as SQLiteError where error.isUniqueConflict {
        try table.delete(key.id)
      }
    }
    writer.parked.park(key, values: changed)
  }

  func delete(_ key: RowKey, before row: [Value]) throws {
    try note(key, from: row, to: nil)
    try writer.replayDelete(key, row: row)
  }

  /// Runs a statement, and again without NOT NULL constraints if the row violates one.
  private func withoutNotNull(_ key: RowKey, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as SQLiteError where error.code == SQLiteError.constraintNotNull {
      guard try relaxed.relax(writer.layouts[key.entity].entity.name) else { throw error }
      try body()
    }
  }

  // MARK: The end

  /// Inserts the rows that had to wait for other rows of the transaction.
  ///
  /// `note` is called with each row whose place another row still has.
  func finish(note: (ReplayDifference) -> Void) throws {
    for key in writer.parked.keys {
      guard let values = writer.parked[key] else { continue }
      do {
        try insertLast(key, values)
      } catch let error as SQLiteError where error.isUniqueConflict {
        note(writer.difference(key, property: nil, expected: nil, found: error.message))
      }
    }
    writer.parked.removeAll()
  }

  private func insertLast(_ key: RowKey, _ values: [Value]) throws {
    let table = writer.tables[key.entity]
    do {
      try withoutNotNull(key) { try table.insert(key.id, values) }
    } catch let error as SQLiteError where error.code == SQLiteError.constraintUnique {
      // The program dropped a unique index before it wrote the row, and the history does not have
      // the new definition yet; or a change that was not captured removed the other value.
      let name = table.layout.entity.name
      guard
        try AdoptedReplica.dropUniqueIndexes(of: name, on: connection)
          || RelaxedUnique.relax(name, on: connection)
      else { throw error }
      try insertLast(key, values)
    } catch let error as SQLiteError where error.isUniqueConflict && !table.key.isEmpty {
      // The conflicting row is identified by its key, so it gets another rowid. Then the waiting
      // row can have the rowid that it needs.
      guard let rowid = table.rowid(of: key.id) else { throw error }
      let name = table.layout.table
      try connection.run(
        "UPDATE \(name) SET \(table.rowidName) = (SELECT max(\(table.rowidName)) + 1 FROM \(name))"
          + " WHERE \(table.rowidName) = ?1",
        values: [.integer(rowid)]
      )
      try insertLast(key, values)
    }
  }

  /// Completes the tables if rows were written: restores their definitions, saves the digests of
  /// their rows, and rebuilds the full-text indexes.
  ///
  /// The tables that the indexes refer to must be complete.
  func complete(_ schema: StoreSchema) throws {
    guard let digests else { return }
    try relaxed.restore()
    try digests.save()
    try rebuildFullText(of: schema, on: connection)
  }

  /// Forgets the state of a SQL transaction, which can have been rolled back.
  func reset() {
    digests = nil
    relaxed = RelaxedTables(connection)
  }
}
