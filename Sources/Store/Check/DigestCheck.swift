import Format
import SQLite

/// Compares the rows of an adopted file with the digests of its tables, and checks the file.
///
/// History has no values from before the adoption. If the earlier state is not given, a row that has
/// not changed after the adoption is compared only by the digest of its table, and of a row that has
/// changed, only the changed columns are compared.
final class DigestCheck {
  private let reader: Reader
  private let connection: Connection
  private let tables: [Table]
  /// The captured rows that are not sealed yet; nil if there are none.
  private var waiting: CapturedScan?
  /// For each table, the sum of the captured changes that are not sealed yet.
  private var waitingChanges: [RowsDigest]
  /// For each table, the sum of the changes that turn the rows into the rows that history expects;
  /// nil if an expected row is not known completely.
  private var corrections: [RowsDigest?]

  /// The result is nil for a store of the library.
  init?(_ reader: Reader) throws {
    guard reader.connection.tablePrefix != nil else { return nil }
    self.reader = reader
    connection = reader.connection
    let layouts = reader.layouts
    tables = layouts.map { Table(reader.connection, layout: $0, layouts: layouts) }
    waitingChanges = tables.map { _ in RowsDigest() }
    corrections = waitingChanges
    try readWaiting()
  }

  /// The last transaction before the history of the rows.
  func start() throws -> Int64 { try reader.adoptedStart() ?? 0 }

  /// Checks the file, and returns SQLite's messages about constraints of the program.
  ///
  /// A program can have disabled its constraints, and versions of SQLite can compute them
  /// differently. So a row that violates a constraint is not damaged.
  func checkFile(_ body: (CheckFinding) throws -> Void) throws -> [String] {
    let check = IntegrityCheck(connection)
    var (damage, violations): ([String], [String])
    do {
      (damage, violations) = try check.messages()
    } catch let error as SQLiteError where error.code == SQLiteError.error {
      // A CHECK constraint or an index can need a function that only the program has.
      var left = "CHECK constraints were not computed: "
      (damage, violations) = try reader.ignoringChecks {
        do {
          return try check.messages()
        } catch SQLiteError.error {
          left = "CHECK constraints and indexes were not computed: "
          return try check.messages(isQuick: true)
        }
      }
      violations.append(left + error.message)
    }
    for message in damage { try body(.integrity(message)) }
    return violations
  }

  // MARK: Captured rows

  /// Reads the captured changes that are not sealed yet, because this user may not write to the
  /// file, or because another program is writing.
  private func readWaiting() throws {
    guard let names = AdoptedFile.names(on: connection),
      try Catalog(on: connection).capturesChanges,
      try Capture.unsealedCount(on: connection) > 0
    else { return }
    let scan = try CapturedScan(connection, names: names, schema: Catalog(on: connection).schema)
    guard let result = try scan.advance() else { return }
    waiting = scan
    let captured = CapturedTables(scan.tables, names: names)
    let events = try scan.events(through: result.end)
    while let event = try events.next() {
      if event.kind == .victim, try !scan.chains.isReplaced(event.place.clock) { continue }
      let table = scan.tables[event.table]
      if let before = event.before,
        let values = try captured.values(event.row, isAfter: false, of: table)
      {
        waitingChanges[event.table].remove(before.name, values: table.stored(values))
      }
      guard event.kind != .victim, let after = event.after,
        let values = try captured.values(event.row, isAfter: true, of: table)
      else { continue }
      waitingChanges[event.table].add(after.name, values: table.stored(values))
    }
  }

  /// Whether a row has a captured change that is not sealed yet.
  func isWaiting(_ id: ObjectID, of table: EntityIndex) throws -> Bool {
    guard let waiting else { return false }
    return try waiting.chains.chain(RowName(id), of: table.number) != nil
  }

  // MARK: Digests

  /// Notes a row that differs from history; nil stands for a missing row.
  func note(_ id: ObjectID, of table: Table, found: [Value]?, expected: KnownObject?) {
    let index = table.layout.index.number
    let name = RowName(id)
    if let found { corrections[index]?.remove(name, values: table.stored(found)) }
    guard let expected else { return }
    // The row that history expects, with the found values in the columns that history does not have.
    let empty = [Value](repeating: .null, count: table.layout.columns.count)
    var wanted = found ?? (expected.state == .whole ? empty : nil)
    for index in table.layout.columns.indices {
      guard let known = expected.values[Array(table.encoder.key(ColumnIndex(index)))] else {
        continue
      }
      if let value = known.value { wanted?[index] = value } else { wanted = nil }
    }
    if let wanted {
      corrections[index]?.add(name, values: table.stored(wanted))
    } else {
      corrections[index] = nil
    }
  }

  /// The tables whose rows changed in a way that no trigger captured.
  func uncapturedTables() throws -> [String] {
    return try tables.enumerated().compactMap { number, table in
      let name = table.layout.entity.name
      guard var expected = try RowsDigests.digest(of: name, on: connection) else { return nil }
      expected.add(waitingChanges[number])
      return try RowsDigest(of: table) == expected ? nil : name
    }
  }

  /// Compares all rows with the digests that the last import or the last recorded change left.
  ///
  /// History does not have the rows at the adoption, or of the snapshot with which a replica begins,
  /// so only a digest covers them.
  ///
  /// - Returns: The number of rows that nothing covers, because the file has no digests.
  func compare(
    _ known: KnownObjects,
    _ body: (CheckFinding) throws -> Void
  ) throws -> Int64 {
    var unknown: Int64 = 0
    for (number, table) in tables.enumerated() {
      let name = table.layout.entity.name
      guard var expected = try RowsDigests.digest(of: name, on: connection) else {
        let rows = try connection.integer("SELECT count(*) FROM \(table.layout.table)") ?? 0
        unknown += max(0, rows - (try known.wholeRows(of: table.layout.index)))
        continue
      }
      expected.add(waitingChanges[number])
      guard let correction = corrections[number] else { continue }
      var found = try RowsDigest(of: table)
      found.add(correction)
      if found != expected { try body(.rows(table: name, extra: found.rows - expected.rows)) }
    }
    return unknown
  }
}

extension EncodedValue {
  /// The value of type `any`; nil for a large value, which is stored under its digest.
  fileprivate var value: Value? {
    guard large.isEmpty, special.isEmpty else { return nil }
    // An unreadable value was altered, which the comparison of the digests reports.
    return try? json.withUnsafeBytes { try parseCanonical($0, as: .any) }
  }
}
