import Changes
import SQLite

/// Compares the rows of an adopted file with its history.
///
/// History has no values from before the adoption. If the earlier state is not given, a row that has
/// not changed after the adoption is compared only by the digest of its table, and of a row that has
/// changed, only the changed columns are compared.
final class AdoptedCheck {
  private let reader: Reader
  let connection: Connection
  let tables: [RowTable]
  /// The captured rows that are not sealed yet; nil if there are none.
  private var waiting: CapturedScan?
  /// For each table, the sum of the captured changes that are not sealed yet.
  private(set) var waitingChanges: [RowsDigest]
  /// The last state of each row in history, in a temporary file.
  private let known: Connection
  private let finding: Statement
  private let adding: Statement

  init(_ reader: Reader) throws {
    self.reader = reader
    connection = reader.connection
    let layouts = reader.layouts
    tables = layouts.map { RowTable(reader.connection, layout: $0, layouts: layouts) }
    waitingChanges = tables.map { _ in RowsDigest() }
    known = try Connection(path: "", mode: .readWriteCreate)
    try known.execute(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8192;
      CREATE TABLE known (origin INTEGER, name BLOB, there INTEGER, is_whole INTEGER, json BLOB,
        special BLOB, large BLOB, PRIMARY KEY (origin, name)) WITHOUT ROWID;
      BEGIN;
      """
    )
    finding = try known.prepare(
      "SELECT is_whole, json, special, large FROM known WHERE origin = ?1 AND name = ?2"
    )
    adding = try known.prepare(
      """
      INSERT INTO known (origin, name, there, is_whole, json, special, large)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT (origin, name) DO UPDATE SET is_whole = excluded.is_whole,
          json = excluded.json, special = excluded.special, large = excluded.large
      """
    )
  }

  /// Calls the closure with each finding.
  ///
  /// `beginning` is the state with which history begins; nil if it is not known.
  func run(
    since beginning: EarlierState?,
    _ body: (CheckFinding) throws -> Void
  ) throws -> CheckResult {
    var result = CheckResult()
    result.violations = try checkFile(body)
    try checkDigests(body)
    try readHistory(since: beginning)
    try readWaiting()
    let compared = try compare(isWhole: beginning != nil, body)
    // If a change that was not captured precedes a captured change of the same row, the last state
    // in history is the row, and only the digest shows that a change is missing.
    let unknown = try compareDigests(compared, body)
    if beginning == nil { result.unknown = unknown }
    return result
  }

  /// Checks the file, and returns SQLite's messages about constraints of the program.
  ///
  /// A program can have disabled its constraints, and versions of SQLite can compute them
  /// differently. So a row that violates a constraint is not damaged.
  private func checkFile(_ body: (CheckFinding) throws -> Void) throws -> [String] {
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

  // MARK: History

  private func checkDigests(_ body: (CheckFinding) throws -> Void) throws {
    let rows = HistoryRows(connection)
    let base = try rows.base()
    var previous: Digest? = base.digest
    var next = base.transaction + 1
    let transactions = try rows.transactions(after: base.transaction, through: .max)
    while try transactions.step() {
      let transaction = try rows.transaction(at: transactions)
      if transaction.id > next {
        try body(.missingTransactions(next...transaction.id - 1))
        previous = nil
      }
      next = transaction.id &+ 1
      if let known = previous, transaction.state != .deleted {
        do {
          let made = try rows.digest(of: transaction, after: known)
          if made != transaction.digest ?? made { try body(.digest(transaction: transaction.id)) }
          previous = transaction.chainDigest ?? made
          continue
        } catch let error as StoreError where error.code == .damaged {
          try body(.digest(transaction: transaction.id))
        }
      }
      previous = transaction.chainDigest
    }
  }

  /// Reads the changes from the newest to the oldest.
  ///
  /// The newest change is read first, so the first value that is found for a column is the column's
  /// last value.
  private func readHistory(since beginning: EarlierState?) throws {
    let rows = HistoryRows(connection)
    let start = try reader.adoptedStart() ?? 0
    guard let schema = try reader.adoptedSchema(after: .max) else { return }
    let past = try PastTables(on: connection, to: schema)
    let changes = try connection.query(
      """
      SELECT kind, sequence, entity, object, changed, before, after, special, large,
        transaction_id, leaf
        FROM \(connection.tables.change) WHERE transaction_id > ?1 AND transaction_id <= ?2
        ORDER BY id DESC
      """,
      values: [.integer(start), .integer(try rows.range().head.transaction)]
    )
    while try changes.step() {
      let change = try rows.change(at: changes)
      guard let place = past.place(of: change, in: changes.int64(at: 9)) else { continue }
      try take(change, place)
    }
    if let beginning { try read(beginning, past: past, after: start) }
  }

  /// Reads the rows of the state with which history begins, as the oldest changes.
  private func read(
    _ beginning: EarlierState,
    past: PastTables,
    after transaction: Int64
  ) throws {
    try reader.withPassingValues { passing in
      for layout in beginning.reader.layouts {
        let name = layout.entity.name
        guard let place = past.place(of: name, in: beginning.schema, after: transaction) else {
          continue
        }
        let table = RowTable(
          beginning.reader.connection,
          layout: layout,
          layouts: beginning.reader.layouts
        )
        let rows = try table.rows()
        var text = ChangeText()
        while try rows.step() {
          let (name, values) = try table.row(at: rows)
          text.removeAll()
          try text.after.append(values, encoder: table.encoder, blobs: passing.blobs)
          try text.withChange(.insert, sequence: 0, table: table, name: name) {
            try take($0, place)
          }
          try passing.removeAll()
        }
      }
    }
  }

  /// The number of rows of a table that history knows completely.
  func wholeRows(_ table: Int) throws -> Int64 {
    try known.integer(
      "SELECT count(*) FROM known WHERE origin = ?1 AND there AND is_whole",
      values: [.integer(Int64(table))]
    ) ?? 0
  }

  private func take(_ change: Change, _ place: PastTables.Place) throws {
    let index = place.table
    let name = RowName(change.id)
    try bind(finding, name, table: index)
    let isKnown = try finding.step()
    let isWhole = isKnown && finding.int64(at: 0) != 0
    var values = isKnown ? values(finding, from: 1) : [:]
    finding.reset()
    guard !isWhole else { return }
    if change.kind != .delete {
      values.merge(place.translated(change.valuesByKey(.after))) { later, _ in later }
    }
    let encoder = tables[index].encoder
    var side = ChangeSide()
    for column in 0..<encoder.count {
      let key = encoder.key(ColumnIndex(column))
      if let value = values[Array(key)] { side.append(key, value: value) }
    }
    side.close()
    try bind(adding, name, table: index)
    try adding.bind(3, Int64(change.kind == .delete ? 0 : 1))
    try adding.bind(4, Int64(change.kind == .update ? 0 : 1))
    for (place, bytes) in [side.json, side.special, side.large].enumerated() {
      try bytes.withUnsafeBytes { try adding.bind(5 + Int32(place), blob: $0) }
    }
    try adding.run()
  }

  private func bind(_ statement: Statement, _ name: RowName, table: Int) throws {
    try statement.bind(1, Int64(table))
    try name.bytes.withUnsafeBytes { try statement.bind(2, blob: $0) }
  }

  private func values(_ row: Statement, from index: Int32) -> [[UInt8]: EncodedValue] {
    ChangeNotes(special: Array(row.bytes(at: index + 1)), large: Array(row.bytes(at: index + 2)))
      .valuesByKey(of: CanonicalText(row.bytes(at: index)))
  }

  // MARK: Captured rows

  /// Reads the captured changes that are not sealed yet, because this user may not write to the
  /// file, or because another program is writing.
  func readWaiting() throws {
    guard let names = AdoptedFile.names(on: connection), try !Catalog(on: connection).isReplica,
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

  // MARK: Rows

  /// Compares the rows with the known rows.
  ///
  /// If all rows are known, a row that is not known is reported too.
  private func compare(
    isWhole: Bool,
    _ body: (CheckFinding) throws -> Void
  ) throws -> [ComparedTable] {
    try reader.withPassingValues { passing in
      var compared = [ComparedTable](repeating: ComparedTable(), count: tables.count)
      let rows = try known.prepare(
        "SELECT origin, name, there, json, special, large, is_whole FROM known ORDER BY origin, name"
      )
      while try rows.step() {
        let number = Int(rows.int64(at: 0))
        guard let name = RowName(canonical: rows.bytes(at: 1)) else { continue }
        // History does not have the last change of this row yet.
        if let waiting, try waiting.chains.chain(name, of: number) != nil { continue }
        let expected = rows.int64(at: 2) == 0 ? nil : values(rows, from: 3)
        try compare(
          name,
          of: tables[number],
          expected: expected,
          isWhole: rows.int64(at: 6) != 0,
          passing: passing,
          compared: &compared[number],
          body
        )
      }
      if isWhole { try findUnknownRows(&compared, body) }
      return compared
    }
  }

  private func compare(
    _ name: RowName,
    of table: RowTable,
    expected: [[UInt8]: EncodedValue]?,
    isWhole: Bool,
    passing: PassingValues,
    compared: inout ComparedTable,
    _ body: (CheckFinding) throws -> Void
  ) throws {
    let row = try table.find(name)
    var text = ChangeText()
    var kind: ChangeKind?
    // The row that history expects, with the found values in the columns that history does not
    // have; nil if a value is not known.
    let empty = [Value](repeating: .null, count: table.layout.columns.count)
    var wanted = row ?? (isWhole || expected == nil ? empty : nil)
    if let expected {
      for index in table.layout.columns.indices {
        let column = ColumnIndex(index)
        let key = table.encoder.key(column)
        guard let before = expected[Array(key)], before != .erased else { continue }
        if let row {
          let now = try table.encoder.encoded(row[index], at: column, blobs: passing.blobs)
          guard now != before else { continue }
          text.appendChanged(key)
          text.before.append(key, value: before)
          text.after.append(key, value: now)
          kind = .update
        }
        if let value = before.value { wanted?[index] = value } else { wanted = nil }
      }
      try passing.removeAll()
    }
    if (row != nil) != (expected != nil) { kind = expected == nil ? .insert : .delete }
    guard let kind else { return }
    if let wanted {
      compared.note(name, found: row, expected: expected.map { _ in wanted }, of: table)
    } else {
      compared.correction = nil
    }
    try text.withChange(kind, sequence: 0, table: table, name: name) { try body(.row($0)) }
  }

  /// Finds the rows that neither history nor the state with which it begins has.
  private func findUnknownRows(
    _ compared: inout [ComparedTable],
    _ body: (CheckFinding) throws -> Void
  ) throws {
    for (number, table) in tables.enumerated() {
      let rows = try table.rows()
      while try rows.step() {
        let (name, values) = try table.row(at: rows)
        try bind(finding, name, table: number)
        let isKnown = try finding.step()
        finding.reset()
        guard !isKnown else { continue }
        compared[number].note(name, found: values, expected: nil, of: table)
        var text = ChangeText()
        try text.withChange(.insert, sequence: 0, table: table, name: name) {
          try body(.row($0))
        }
      }
    }
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
