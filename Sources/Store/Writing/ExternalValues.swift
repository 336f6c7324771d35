import Changes

/// Values of external attributes: large ones leave their rows, and rows that need them are counted.
extension Writer {
  /// The values with those in files that are to be there, counted as needed by one more row.
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
    // What else stands there a writer left that is not ours.
    guard case .text(let digest) = value, Digest(hexadecimal: digest) != nil else { return }
    try blobs.count(digest, rows: rows)
  }

  /// Counts the values in files of a row that goes.
  func releaseExternalValues(_ key: RowKey, values: [Value]) throws {
    for column in tables[key.entity].external { try count(values[column], rows: -1) }
  }

  /// Makes sure that names of values in files can be counted, although nobody may have the values:
  /// a writer that was not ours put the name in, or the file was gone.
  func adoptNames(_ key: RowKey, values: [Value]) throws {
    guard !tables[key.entity].external.isEmpty else { return }
    for case .text(let digest) in values where Digest(hexadecimal: digest) != nil {
      try blobs.adopt(digest, rows: 0)
    }
  }
}
