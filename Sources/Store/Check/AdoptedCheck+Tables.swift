import Changes
import SQLite

/// What a comparison of a table's rows with history found.
struct ComparedTable {
  /// The sum of the changes that turn the rows into the rows that history expects; nil if an
  /// expected row is not known completely.
  var correction: RowsDigest? = RowsDigest()

  /// Notes a row that differs from history; nil stands for a missing row.
  mutating func note(
    _ name: RowName,
    found: [Value]?,
    expected: [Value]?,
    of table: Table
  ) {
    if let found { correction?.remove(name, values: table.stored(found)) }
    if let expected { correction?.add(name, values: table.stored(expected)) }
  }
}

extension AdoptedCheck {
  /// The tables whose rows changed in a way that no trigger captured.
  func uncapturedTables() throws -> [String] {
    try readWaiting()
    return try tables.enumerated().compactMap { number, table in
      let name = table.layout.entity.name
      guard var expected = try RowsDigests.digest(of: name, on: connection) else { return nil }
      expected.add(waitingChanges[number])
      return try RowsDigest(of: table) { _, _ in } == expected ? nil : name
    }
  }

  /// Compares all rows with the digests that the last import or the last recorded change left.
  ///
  /// History does not have the rows at the adoption, or of the snapshot with which a replica begins,
  /// so only a digest covers them.
  ///
  /// - Returns: The number of rows that nothing covers, because the file has no digests.
  func compareDigests(
    _ compared: [ComparedTable],
    _ body: (CheckFinding) throws -> Void
  ) throws -> Int64 {
    var unknown: Int64 = 0
    for (number, table) in tables.enumerated() {
      let name = table.layout.entity.name
      guard var expected = try RowsDigests.digest(of: name, on: connection) else {
        let rows = try connection.integer("SELECT count(*) FROM \(table.layout.table)") ?? 0
        unknown += max(0, rows - (try wholeRows(number)))
        continue
      }
      expected.add(waitingChanges[number])
      guard let correction = compared[number].correction else { continue }
      var found = try RowsDigest(of: table) { _, _ in }
      found.add(correction)
      if found != expected { try body(.rows(table: name, extra: found.rows - expected.rows)) }
    }
    return unknown
  }
}
