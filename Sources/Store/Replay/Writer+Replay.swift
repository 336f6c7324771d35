import Changes
import FoundationEssentials
import SQLite

/// Writing rows whose history is written as it was elsewhere.
extension Writer {
  func replayInsert(_ key: RowKey, _ values: [Value]) throws {
    try adoptNames(key, values)
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
    try adoptNames(key, values)
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

  /// True where a stored value is the one that a change names; one in a file goes by its digest.
  private func isSame(_ stored: Value, _ expected: Value, _ column: Int, _ entity: Int) -> Bool {
    if stored.isSame(as: expected) { return true }
    guard layouts[entity].columns[column].isExternal else { return false }
    let (digest, data): (String, Data)
    switch (stored, expected) {
    case (.text(let text), .blob(let blob)), (.blob(let blob), .text(let text)):
      (digest, data) = (text, blob)
    default: return false
    }
    return data.withUnsafeBytes { SHA256.digest(of: $0) }.description == digest
  }

  /// The properties in which a row is not as members say.
  func differences(
    of row: [Value],
    from values: [Value?],
    _ members: ArraySlice<ObjectDecoder.Member>,
    _ key: RowKey
  ) throws -> [ReplayDifference] {
    try zip(members, values).compactMap { member, value in
      // An erased value is not known, so that anything may be there.
      guard let value, !isSame(row[member.index], value, member.index, key.entity) else {
        return nil
      }
      return ReplayDifference(
        entity: layouts[key.entity].entity.name,
        object: key.id,
        property: layouts[key.entity].columns[member.index].property,
        expected: String(decoding: member.value, as: UTF8.self),
        found: try shown(row[member.index], member.index, key.entity)
      )
    }
  }

  /// A stored value as canonical text.
  private func shown(_ value: Value, _ column: Int, _ entity: Int) throws -> String {
    let encoder = ObjectEncoder(layouts[entity], layouts)
    let encoded = try encoder.encoded(value, at: column, blobs)
    return String(decoding: encoded.large.isEmpty ? encoded.json : encoded.large, as: UTF8.self)
  }

  func replayDelete(_ key: RowKey, _ row: [Value]) throws {
    try releaseExternalValues(key, row)
    if parked[key] != nil { return parked.remove(key) }
    try tables[key.entity].delete(id: key.id)
  }
}
