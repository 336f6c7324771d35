import Format

/// Large values of external attributes are in blob files. Each file has a count of the rows that
/// use it.
extension Writer {
  /// Stores large values as blobs, counts their use by this row, and returns digests instead of the
  /// large values.
  func movedOut(_ values: [Value], of entity: EntityIndex) throws -> [Value] {
    var values = values
    for column in tables[entity].external {
      values[column] = try movedOut(values[column])
      try count(values[column], rows: 1)
    }
    return values
  }

  func movedOut(
    _ values: [Value],
    before: [Value],
    columns: [ColumnIndex],
    of entity: EntityIndex
  ) throws -> [Value] {
    guard !tables[entity].external.isEmpty else { return values }
    var values = values
    for (index, column) in columns.enumerated() where tables[entity].external.contains(column) {
      values[index] = try movedOut(values[index])
      guard !values[index].isSame(as: before[index]) else { continue }
      try count(values[index], rows: 1)
      try count(before[index], rows: -1)
    }
    return values
  }

  private func movedOut(_ value: Value) throws -> Value {
    guard case .blob(let data) = value, data.count > Blobs.inlineLimit, blobs.hasFolder else {
      return value
    }
    return .text(try data.withUnsafeBytes { try blobs.keep($0) }.digest)
  }

  private func count(_ value: Value, rows: Int64) throws {
    // Other values, which a foreign writer can have stored, are not counted.
    guard case .text(let digest) = value, Digest(hexadecimal: digest) != nil else { return }
    try blobs.count(digest, rows: rows)
  }

  /// Subtracts a deleted row from the counts of its large values.
  func releaseExternalValues(_ key: RowKey, values: [Value]) throws {
    for column in tables[key.entity].external { try count(values[column], rows: -1) }
  }

  /// Adds the large values of a row to the catalog, unless the catalog contains them.
  ///
  /// The catalog lacks a value if a foreign writer wrote its digest, or if its file was deleted.
  func adoptNames(_ key: RowKey, values: [Value]) throws {
    guard !tables[key.entity].external.isEmpty else { return }
    for case .text(let digest) in values where Digest(hexadecimal: digest) != nil {
      try blobs.adopt(digest, rows: 0)
    }
  }
}
