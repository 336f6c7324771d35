import Adoption
import Changes
import SQLite

/// Writes the rows of another file's changes into a replica with the same tables.
///
/// Two rows can swap a unique value in one transaction. A row that can't be written yet is deleted,
/// and is inserted with its last values when the transaction ends.
final class AdoptedReplay {
  private struct Waiting {
    let table: Int
    let id: ObjectID
    let values: [Value]
  }

  private let writer: Writer
  private let connection: Connection
  private let tables: [Table]
  private var waiting: [Waiting] = []
  /// The digests of the rows; nil if the present SQL transaction has not written a row yet.
  private var digests: RowsDigests?
  private var relaxed: RelaxedTables

  init(_ writer: Writer) {
    self.writer = writer
    connection = writer.connection
    relaxed = RelaxedTables(writer.connection)
    tables = writer.layouts.map {
      Table(writer.connection, layout: $0, layouts: writer.layouts)
    }
  }

  /// Writes the row of a change, after comparing it with the values that the change expects.
  ///
  /// `written` is called with the values that an insertion or an update sets; an erased value is nil.
  func write(
    _ part: PreparedChanges.Part,
    changes: PreparedChanges,
    values: ChangeValues,
    written: (ArraySlice<ObjectDecoder.Member>, [Value?], RowKey) throws -> Void,
    note: (ReplayDifference) -> Void
  ) throws {
    let (change, entity) = (part.change, part.entity)
    let table = tables[entity]
    let before = changes.members[part.before]
    let after = changes.members[part.after]
    let old: [Value?]
    let new: [Value?]
    if part.isPlain {
      old = part.before.map { Value(changes.values[$0]) }
      new = part.after.map { Value(changes.values[$0]) }
    } else {
      old = try values.values(before, side: .before, change: change, of: entity)
      new = try values.values(after, side: .after, change: change, of: entity)
    }
    let key = RowKey(entity: entity, id: change.id)
    let name = RowName(change.id)
    let row = try table.find(name)
    let digests = try self.digests ?? RowsDigests(tables, on: connection)
    self.digests = digests
    if change.kind == .insert {
      guard row == nil else {
        return note(writer.difference(key, property: nil, expected: nil, found: "there"))
      }
      // If all values are erased, the row is left out, because a later transaction deletes it. If all
      // columns are left out, a row has no values.
      guard new.isEmpty || new.contains(where: { $0 != nil }) else { return }
      try written(after, new, key)
      let values = filled(new, of: table)
      digests.note(name, from: nil, to: values, table: entity.number)
      return try insert(values, id: key.id, into: entity.number)
    }
    let isErased = (old + new).contains { $0 == nil }
    guard let row else {
      if !isErased {
        note(writer.difference(key, property: nil, expected: "there", found: nil))
      }
      return
    }
    if change.kind != .delete || !isErased {
      let differences = try writer.differences(of: row, from: old, members: before, key: key)
      guard differences.isEmpty else { return differences.forEach(note) }
    }
    guard change.kind == .update else {
      digests.note(name, from: row, to: nil, table: entity.number)
      return try table.delete(key.id)
    }
    try written(after, new, key)
    var changed = row
    var columns: [ColumnIndex] = []
    for (member, value) in zip(after, new) {
      guard let value else { continue }
      changed[member.index] = value
      columns.append(ColumnIndex(member.index))
    }
    digests.note(name, from: row, to: changed, table: entity.number)
    try update(columns, row: changed, id: key.id, in: entity.number)
  }

  /// The values of a row, with placeholders for erased values.
  private func filled(_ values: [Value?], of table: Table) -> [Value] {
    zip(values, table.layout.columns).map { value, column in
      value ?? (column.isOptional ? .null : .text(""))
    }
  }

  // MARK: Statements

  private func insert(_ values: [Value], id: ObjectID, into index: Int) throws {
    do {
      try withoutNotNull(index) { try tables[index].insert(id, values) }
    } catch let error as SQLiteError where error.isUniqueConflict {
      waiting.append(Waiting(table: index, id: id, values: values))
    }
  }

  private func update(
    _ columns: [ColumnIndex],
    row: [Value],
    id: ObjectID,
    in index: Int
  ) throws {
    do {
      try withoutNotNull(index) {
        try tables[index].update(id, columns: columns, values: columns.map { row[$0] })
      }
    } catch let error as SQLiteError where error.isUniqueConflict {
      try tables[index].delete(id)
      waiting.append(Waiting(table: index, id: id, values: row))
    }
  }

  /// Runs a statement, and again without NOT NULL constraints if the row violates one.
  private func withoutNotNull(_ index: Int, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as SQLiteError where error.code == SQLiteError.constraintNotNull {
      guard try relaxed.relax(tables[index].layout.entity.name) else { throw error }
      try body()
    }
  }

  // MARK: The end

  /// Inserts the rows that had to wait for other rows of the transaction.
  ///
  /// `note` is called with each row whose place another row still has.
  func finish(note: (ReplayDifference) -> Void) throws {
    defer { waiting.removeAll() }
    for row in waiting {
      do {
        try insertLast(row)
      } catch let error as SQLiteError where error.isUniqueConflict {
        let key = RowKey(
          entity: tables[row.table].layout.index,
          id: row.id
        )
        note(writer.difference(key, property: nil, expected: nil, found: error.message))
      }
    }
  }

  private func insertLast(_ row: Waiting) throws {
    let table = tables[row.table]
    do {
      try withoutNotNull(row.table) { try table.insert(row.id, row.values) }
    } catch let error as SQLiteError where error.code == SQLiteError.constraintUnique {
      // The program dropped a unique index before it wrote the row, and the history does not have
      // the new definition yet; or a change that was not captured removed the other value.
      let name = table.layout.entity.name
      guard
        try AdoptedReplica.dropUniqueIndexes(of: name, on: connection)
          || RelaxedUnique.relax(name, on: connection)
      else { throw error }
      try insertLast(row)
    } catch let error as SQLiteError where error.isUniqueConflict && !table.key.isEmpty {
      // The conflicting row is identified by its key, so it gets another rowid. Then the waiting
      // row can have the rowid that it needs.
      guard let rowid = table.rowid(of: row.id) else { throw error }
      let name = table.layout.table
      try connection.run(
        "UPDATE \(name) SET \(table.rowidName) = (SELECT max(\(table.rowidName)) + 1 FROM \(name))"
          + " WHERE \(table.rowidName) = ?1",
        values: [.integer(rowid)]
      )
      try insertLast(row)
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
    waiting.removeAll()
    digests = nil
    relaxed = RelaxedTables(connection)
  }
}
