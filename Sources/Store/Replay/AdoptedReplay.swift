import Adoption
import Changes
import SQLite

/// Writes the rows of another file's changes into a replica with the same tables.
///
/// Two rows can swap a unique value in one transaction. A row that comes too early is deleted, and
/// inserted with its last values when the transaction ends.
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
  func write(
    _ part: PreparedChanges.Part,
    changes: PreparedChanges,
    values: ChangeValues,
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
      // A row whose values were erased before it was deleted is left out.
      guard new.contains(where: { $0 != nil }) else { return }
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
    guard change.kind == .update else { return try delete(name, from: table) }
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

  // A table can have other conflict clauses, which would delete rows or ignore a change.

  private func isWritten(_ column: ColumnIndex, of table: AdoptedTable) -> Bool {
    guard case .attribute(let index) = table.layout.columns[column].content else { return true }
    return table.layout.entity.attributes[index].isGenerated != true
  }

  private func insert(_ values: [Value], name: RowName, into index: Int) throws {
    do {
      try insertNow(values, name: name, into: tables[index])
    } catch let error as SQLiteError where error.isConflict {
      waiting.append(Waiting(table: index, name: name, values: values))
    }
  }

  private func insertNow(_ values: [Value], name: RowName, into table: AdoptedTable) throws {
    let columns = values.indices.map { ColumnIndex($0) }.filter { isWritten($0, of: table) }
    var list = columns.map { table.layout.columns[$0].quoted }
    var parameters = columns.map { values[$0] }
    if let rowid = table.isRowid(name) {
      list.append(table.rowidName)
      parameters.append(.integer(rowid))
    }
    let marks = list.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    try connection.run(
      "INSERT OR ABORT INTO \(table.layout.table) (\(list.joined(separator: ", "))) VALUES (\(marks))",
      values: parameters
    )
  }

  private func update(
    _ columns: [ColumnIndex],
    row: [Value],
    name: RowName,
    in index: Int
  ) throws {
    let table = tables[index]
    let columns = columns.filter { isWritten($0, of: table) }
    guard !columns.isEmpty, let (condition, key) = table.condition(name) else { return }
    let settings = columns.enumerated().map { place, column in
      "\(table.layout.columns[column].quoted) = ?\(key.count + place + 1)"
    }
    do {
      try connection.run(
        "UPDATE OR ABORT \(table.layout.table) SET \(settings.joined(separator: ", ")) WHERE \(condition)",
        values: key + columns.map { row[$0] }
      )
    } catch let error as SQLiteError where error.isConflict {
      try delete(name, from: table)
      waiting.append(Waiting(table: index, name: name, values: row))
    }
  }

  private func delete(_ name: RowName, from table: AdoptedTable) throws {
    guard let (condition, key) = table.condition(name) else { return }
    try connection.run("DELETE FROM \(table.layout.table) WHERE \(condition)", values: key)
  }

  // MARK: The end

  /// Inserts the rows that had to wait for others of the transaction.
  func finish() throws {
    defer { waiting.removeAll() }
    for row in waiting {
      let table = tables[row.table]
      do {
        try insertNow(row.values, name: row.name, into: table)
      } catch let error as SQLiteError where error.isConflict && !table.key.isEmpty {
        // A row that its key identifies can have any rowid; another row needs this one.
        guard let rowid = table.isRowid(row.name) else { throw error }
        let name = table.layout.table
        try connection.run(
          "UPDATE \(name) SET \(table.rowidName) = (SELECT max(\(table.rowidName)) + 1 FROM \(name))"
            + " WHERE \(table.rowidName) = ?1",
          values: [.integer(rowid)]
        )
        try insertNow(row.values, name: row.name, into: table)
      }
    }
  }

  /// Rebuilds the full-text indexes after the tables that they index.
  func rebuildIndexes(of schema: StoreSchema) throws {
    guard hasWritten else { return }
    hasWritten = false
    for object in schema.adopted ?? [] where object.type == "table" && isFullText(object.sql) {
      let name = quoted(object.name)
      try connection.execute("INSERT INTO \(name) (\(name)) VALUES ('rebuild')")
    }
  }
}

extension SQLiteError {
  fileprivate var isConflict: Bool {
    code == Self.constraintUnique || code == Self.constraintPrimaryKey
      || code == Self.constraintRowID
  }
}
