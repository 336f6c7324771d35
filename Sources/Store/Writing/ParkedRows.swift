import Format
import SQLite

/// Rows that wait until they can be written without a conflict.
///
/// Two objects can swap a unique value in one save, or a new object can take over the value of an
/// object that is deleted later. A row that can't be written yet is deleted from its table, and
/// inserted with its final values when the transaction ends. Foreign keys are checked only at the
/// end of the transaction.
struct ParkedRows {
  private(set) var rows: [RowKey: [Value]] = [:]
  private(set) var order: [RowKey] = []

  var isEmpty: Bool { rows.isEmpty }

  subscript(key: RowKey) -> [Value]? { rows[key] }

  /// The keys of the parked rows, in the order in which the rows were parked.
  var keys: [RowKey] { order.filter { rows[$0] != nil } }

  mutating func park(_ key: RowKey, values: [Value]) {
    if rows.updateValue(values, forKey: key) == nil { order.append(key) }
  }

  mutating func set(_ key: RowKey, columns: [ColumnIndex], values: [Value]) {
    for (column, value) in zip(columns, values) { rows[key]?[column] = value }
  }

  mutating func remove(_ key: RowKey) { rows[key] = nil }

  mutating func removeAll() {
    rows.removeAll()
    order.removeAll()
  }
}

package struct RowChange: Sendable {
  package var entity: EntityIndex
  package var id: Int64
  /// The changed columns, as positions in ``EntityLayout/columns``.
  package var columns: [ColumnIndex]
  package var values: [Value]

  package init(entity: EntityIndex, id: Int64, columns: [ColumnIndex], values: [Value]) {
    self.entity = entity
    self.id = id
    self.columns = columns
    self.values = values
  }
}

extension Writer {
  /// Updates several objects, which can exchange unique values.
  ///
  /// - Returns: The keys of the objects that do not exist.
  /// - Throws: ``StoreError/Code/duplicate`` if two objects have the same unique value after the
  ///   update.
  @discardableResult
  package func update(_ changes: [RowChange]) throws -> [RowKey] {
    var missing: [RowKey] = []
    for change in changes {
      let isThere = try update(
        change.entity,
        id: change.id,
        columns: change.columns,
        values: change.values
      )
      if !isThere { missing.append(RowKey(entity: change.entity, id: ObjectID(change.id))) }
    }
    try putParkedRowsBack()
    return missing
  }

  /// Inserts the parked rows into their tables.
  ///
  /// ``Store/write(_:committed:_:)`` calls this function at its end.
  ///
  /// - Throws: ``StoreError/Code/duplicate`` if another object has the unique value.
  package func putParkedRowsBack() throws {
    try putParkedRowsBack { throw duplicate($0, error: $1) }
    // The rows have been removed one by one, but the list of their keys has not.
    parked.removeAll()
  }

  /// Inserts the parked rows into their tables, and calls `refused` with each row that stays parked
  /// because another object has its unique value.
  func putParkedRowsBack(refused: (RowKey, SQLiteError) throws -> Void) throws {
    for key in parked.keys {
      guard let values = parked[key] else { continue }
      do {
        try tables[key.entity].insert(key.id, values)
        parked.remove(key)
      } catch let error as SQLiteError where error.code == SQLiteError.constraintUnique {
        try refused(key, error)
      }
    }
  }

  /// Inserts a row, or parks it if another row has its unique value.
  func put(_ key: RowKey, values: [Value]) throws {
    do {
      try tables[key.entity].insert(key.id, values)
    } catch let error as SQLiteError where error.code == SQLiteError.constraintUnique {
      parked.park(key, values: values)
    }
  }

  /// Updates a row, or parks it if another row has its unique value.
  func put(_ key: RowKey, columns: [ColumnIndex], values: [Value]) throws {
    let table = tables[key.entity]
    if parked[key] == nil {
      do {
        return try table.update(key.id, columns: columns, values: values)
      } catch let error as SQLiteError where error.code == SQLiteError.constraintUnique {
        guard let row = try table.find(key.id) else { return }
        parked.park(key, values: row)
        try table.delete(key.id)
      }
    }
    parked.set(key, columns: columns, values: values)
  }

  private func duplicate(_ key: RowKey, error: SQLiteError) -> StoreError {
    let taken = taken(from: key, error: error)
    let names = taken.properties
    return StoreError(.duplicate, items: taken.by.map { [$0] } ?? [], cause: error) {
      "\(name(of: key)) can't be saved because \(taken.by?.description ?? "another object") has the"
        + " same \(names.isEmpty ? "unique values" : names.joined(separator: " and "))."
        + "\nThese values must be unique. Change one of the values, or update the existing object."
    }
  }

  /// The unique properties of a parked row whose values another object has, and this object.
  func taken(
    from key: RowKey,
    error: SQLiteError
  ) -> (properties: [String], by: ObjectName?) {
    let layout = layouts[key.entity]
    let columns = failedColumns(error, layout: layout)
    let names = columns.map { layout.columns[$0].property }
    return (names, takenBy(key, columns: columns, names: names).map(name))
  }

  private func takenBy(_ key: RowKey, columns: [ColumnIndex], names: [String]) -> RowKey? {
    guard !columns.isEmpty, let values = parked[key] else { return nil }
    for entity in layouts[key.entity].ancestors.reversed() + [key.entity] {
      let found = names.compactMap { layouts[entity].column(of: $0) }
      guard found.count == names.count else { continue }
      // If this search fails, the error does not name the other object.
      if let id = try? tables[entity].find(found, values: columns.map { values[$0] }),
        let kind = try? self.entity(of: RowKey(entity: entity, id: ObjectID(id)))
      {
        return RowKey(entity: kind, id: ObjectID(id))
      }
    }
    return nil
  }
}

/// The columns in an error of SQLite such as `UNIQUE constraint failed: Trip.name, Trip.startDate`.
func failedColumns(_ error: SQLiteError, layout: EntityLayout) -> [ColumnIndex] {
  guard let colon = error.message.firstIndex(of: ":") else { return [] }
  let prefix = layout.entity.table + "."
  return error.message[error.message.index(after: colon)...]
    .split(separator: ",")
    .map { $0.drop { $0 == " " } }
    .compactMap { name in
      guard name.hasPrefix(prefix) else { return nil }
      let column = name.dropFirst(prefix.count)
      return layout.columns.firstIndex { $0.name == column }.map { ColumnIndex($0) }
    }
}
