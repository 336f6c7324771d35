import Changes
import SQLite

/// Compares the rows of an adopted file with its history.
///
/// History has no values from before the adoption. So a row that has not changed after the adoption
/// is not compared. Of a row that has changed, only the changed columns are compared.
final class AdoptedCheck {
  private let reader: Reader
  private let connection: Connection
  private let tables: [AdoptedTable]
  private let indexes: [[UInt8]: Int]
  /// The last state of each row in history, in a temporary file.
  private let known: Connection
  private let finding: Statement
  private let adding: Statement

  init(_ reader: Reader) throws {
    self.reader = reader
    connection = reader.connection
    let layouts = reader.layouts
    tables = layouts.map { AdoptedTable(reader.connection, layout: $0, layouts: layouts) }
    indexes = Dictionary(
      layouts.map { (Array($0.entity.name.utf8), $0.index.number) },
      uniquingKeysWith: { first, _ in first }
    )
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

  func run(_ body: (CheckFinding) throws -> Void) throws {
    try IntegrityCheck(connection).run(body)
    try checkDigests(body)
    try readHistory()
    try compare(body)
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
  private func readHistory() throws {
    let rows = HistoryRows(connection)
    let start = try reader.adoptedStart() ?? 0
    let changes = try connection.query(
      """
      SELECT kind, sequence, entity, object, changed, before, after, special, large,
        transaction_id, leaf
        FROM \(connection.tables.change) WHERE transaction_id > ?1 ORDER BY id DESC
      """,
      values: [.integer(start)]
    )
    while try changes.step() {
      let change = try rows.change(at: changes)
      guard let index = indexes[Array(change.entity)] else { continue }
      try take(change, table: index)
    }
  }

  private func take(_ change: Change, table index: Int) throws {
    let name = RowName(change.id)
    try bind(finding, name, table: index)
    let isKnown = try finding.step()
    let isWhole = isKnown && finding.int64(at: 0) != 0
    var values = isKnown ? values(finding, from: 1) : [:]
    finding.reset()
    guard !isWhole else { return }
    if change.kind != .delete {
      values.merge(change.valuesByKey(.after)) { later, _ in later }
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

  // MARK: Rows

  private func compare(_ body: (CheckFinding) throws -> Void) throws {
    try reader.withPassingValues { try compare($0, body) }
  }

  private func compare(
    _ passing: PassingValues,
    _ body: (CheckFinding) throws -> Void
  ) throws {
    let rows = try known.prepare(
      "SELECT origin, name, there, json, special, large FROM known ORDER BY origin, name"
    )
    while try rows.step() {
      let table = tables[Int(rows.int64(at: 0))]
      guard let name = RowName(canonical: rows.bytes(at: 1)) else { continue }
      let isThere = rows.int64(at: 2) != 0
      let row = try table.find(name)
      var text = ChangeText()
      var kind: ChangeKind?
      if let row, isThere {
        let expected = values(rows, from: 3)
        for (index, value) in row.enumerated() {
          let column = ColumnIndex(index)
          let key = table.encoder.key(column)
          guard let before = expected[Array(key)], before != .erased else { continue }
          let now = try table.encoder.encoded(value, at: column, blobs: passing.blobs)
          guard now != before else { continue }
          text.appendChanged(key)
          text.before.append(key, value: before)
          text.after.append(key, value: now)
          kind = .update
        }
        try passing.removeAll()
      } else if (row != nil) != isThere {
        kind = isThere ? .delete : .insert
      }
      guard let kind else { continue }
      try text.withChange(kind, sequence: 0, table: table, name: name) { try body(.row($0)) }
    }
  }
}
