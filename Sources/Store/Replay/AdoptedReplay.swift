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
    let name: RowName
    let values: [Value]
  }

  private let writer: Writer
  private let connection: Connection
  private let tables: [AdoptedTable]
  private var waiting: [Waiting] = []
  private var hasWritten = false

  init(_ writer: Writer) {
    self.writer = writer
    connection = writer.connection
    tables = writer.layouts.map {
      AdoptedTable(writer.connection, layout: $0, layouts: writer.layouts)
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
    hasWritten = true
    if change.kind == .insert {
      guard row == nil else {
        return note(writer.difference(key, property: nil, expected: nil, found: "there"))
      }
      // If all values are erased, the row is left out, because a later transaction deletes it.
      guard new.contains(where: { $0 != nil }) else { return }
      try written(after, new, key)
      return try insert(filled(new, of: table), name: name, into: entity.number)
    }
    let isErased = (old + new).contains { $0 == nil }
    guard var row else {
      if !isErased {
        note(writer.difference(key, property: nil, expected: "there", found: nil))
      }
      return
    }
    if change.kind != .delete || !isErased {
      let differences = try writer.differences(of: row, from: old, members: before, key: key)
      guard differences.isEmpty else { return differences.forEach(note) }
    }
    guard change.kind == .update else { return try table.delete(name) }
    try written(after, new, key)
    var columns: [ColumnIndex] = []
    for (member, value) in zip(after, new) {
      guard let value else { continue }
      row[member.index] = value
      columns.append(ColumnIndex(member.index))
    }
    try update(columns, row: row, name: name, in: entity.number)
  }

  /// The values of a row, with placeholders for erased values.
  private func filled(_ values: [Value?], of table: AdoptedTable) -> [Value] {
    zip(values, table.layout.columns).map { value, column in
      value ?? (column.isOptional ? .null : .text(""))
    }
  }

  // MARK: Statements

  private func insert(_ values: [Value], name: RowName, into index: Int) throws {
    do {
      try tables[index].insert(values, name: name)
    } catch let error as SQLiteError where error.isUniqueConflict {
      waiting.append(Waiting(table: index, name: name, values: values))
    }
  }

  private func update(
    _ columns: [ColumnIndex],
    row: [Value],
    name: RowName,
    in index: Int
  ) throws {
    do {
      try tables[index].update(columns, row: row, name: name)
    } catch let error as SQLiteError where error.isUniqueConflict {
      try tables[index].delete(name)
      waiting.append(Waiting(table: index, name: name, values: row))
    }
  }

  // MARK: The end

  /// Inserts the rows that had to wait for other rows of the transaction.
  func finish() throws {
    defer { waiting.removeAll() }
    for row in waiting {
      let table = tables[row.table]
      do {
        try table.insert(row.values, name: row.name)
      } catch let error as SQLiteError where error.isUniqueConflict && !table.key.isEmpty {
        // The conflicting row is identified by its key, so it gets another rowid. Then the waiting
        // row can have the rowid that it needs.
        guard let rowid = table.isRowid(row.name) else { throw error }
        let name = table.layout.table
        try connection.run(
          "UPDATE \(name) SET \(table.rowidName) = (SELECT max(\(table.rowidName)) + 1 FROM \(name))"
            + " WHERE \(table.rowidName) = ?1",
          values: [.integer(rowid)]
        )
        try table.insert(row.values, name: row.name)
      }
    }
  }

  /// Rebuilds the full-text indexes if rows were written.
  ///
  /// The tables that the indexes refer to must be complete.
  func rebuildIndexes(of schema: StoreSchema) throws {
    guard hasWritten else { return }
    hasWritten = false
    try rebuildFullText(of: schema, on: connection)
  }
}
