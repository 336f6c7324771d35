import Format
import FoundationEssentials

/// Writes rows without recording their changes, because their history is copied.
extension Writer {
  func replayInsert(_ key: RowKey, values: [Value]) throws {
    try adoptNames(key, values: values)
    try put(key, values: movedOut(values, of: key.entity))
  }

  func replayUpdate(
    _ key: RowKey,
    columns: [ColumnIndex],
    before row: [Value],
    values: [Value]
  ) throws {
    try adoptNames(key, values: values)
    let values = try movedOut(
      values,
      before: columns.map { row[$0] },
      columns: columns,
      of: key.entity
    )
    try put(key, columns: columns, values: values)
  }

  /// Whether the expected value is in a blob file, and the stored value is its digest.
  private func isFile(_ stored: Value, of expected: Value) -> Bool {
    let (digest, data): (String, Data)
    switch (stored, expected) {
    case (.text(let text), .blob(let blob)), (.blob(let blob), .text(let text)):
      (digest, data) = (text, blob)
    default: return false
    }
    return data.withUnsafeBytes { SHA256.digest(of: $0) }.description == digest
  }

  /// The properties whose value in a row differs from the expected value.
  func differences(
    of row: [Value],
    from values: [Value?],
    members: ArraySlice<ObjectDecoder.Member>,
    key: RowKey
  ) throws -> [ReplayDifference] {
    try zip(members, values).compactMap { member, value in
      let index = ColumnIndex(member.index)
      // The row has a placeholder for an erased value, so it is not compared.
      guard let value, !row[index].isSame(as: value) else { return nil }
      let column = layouts[key.entity].columns[index]
      if column.isExternal, isFile(row[index], of: value) { return nil }
      let expected = String(decoding: member.value, as: UTF8.self)
      let found = try shown(row[index], at: index, of: key)
      return difference(key, property: column.property, expected: expected, found: found)
    }
  }

  func difference(
    _ key: RowKey,
    property: String?,
    expected: String?,
    found: String?
  ) -> ReplayDifference {
    ReplayDifference(
      entity: layouts[key.entity].entity.name,
      object: key.id,
      property: property,
      expected: expected,
      found: found
    )
  }

  private func shown(_ value: Value, at column: ColumnIndex, of key: RowKey) throws -> String {
    let encoder = ObjectEncoder(layouts[key.entity], layouts: layouts)
    let encoded = try encoder.encoded(value, at: column, blobs: blobs)
    return String(decoding: encoded.large.isEmpty ? encoded.json : encoded.large, as: UTF8.self)
  }

  func replayDelete(_ key: RowKey, row: [Value]) throws {
    try releaseExternalValues(key, values: row)
    if parked[key] != nil { return parked.remove(key) }
    try tables[key.entity].delete(key.id)
  }
}
