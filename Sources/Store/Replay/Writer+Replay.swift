import SQLite

/// Writing rows whose history is written as it was elsewhere.
extension Writer {
  func replayInsert(_ key: RowKey, _ values: [Value]) throws {
    let values = try movedOut(key.entity, values)
    do {
      try tables[key.entity].insert(id: key.id, values)
    } catch let error as SQLiteError where error.code == SQLiteError.constraintUnique {
      parked.park(key, values)
    }
  }

  func replayUpdate(
    _ key: RowKey,
    _ columns: [Int],
    before row: [Value],
    _ values: [Value]
  ) throws {
    let values = try movedOut(
      key.entity,
      columns,
      before: columns.map { row[$0] },
      values
    )
    if parked[key] != nil {
      parked.set(key, columns, values)
      return
    }
    do {
      try tables[key.entity].update(id: key.id, columns, values)
    } catch let error as SQLiteError where error.code == SQLiteError.constraintUnique {
      try park(key, columns, values)
    }
  }

  func replayDelete(_ key: RowKey, _ row: [Value]) throws {
    try releaseExternalValues(key, row)
    if parked[key] != nil { return parked.remove(key) }
    try tables[key.entity].delete(id: key.id)
  }
}
