import Format

/// The names of all tables and triggers that capture adds to an adopted database.
package struct CaptureNames: Hashable, Sendable {
  package static let usualPrefix = "travelog_"

  package let prefix: String

  package init(prefix: String) { self.prefix = prefix }

  /// Whether a text can be the prefix of names that need no quotes in SQL.
  package static func isPrefix(_ prefix: String) -> Bool {
    func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    let isName = prefix.utf8.allSatisfy {
      (0x61...0x7a).contains(lowercase($0)) || isDigit($0) || $0 == UInt8(ascii: "_")
    }
    guard let first = prefix.utf8.first, isName, !isDigit(first) else { return false }
    return !prefix.lowercased().hasPrefix("sqlite_")
  }

  /// The table that contains the clock of the capture.
  ///
  /// A program updates the row of the context table to name the author of a transaction.
  package var context: String { prefix + "context" }
  /// The table with the authors that programs wrote into ``context``, each with the clock at that
  /// time.
  package var bracket: String { prefix + "bracket" }

  /// The table for captured rows of a width; the widths are numbered.
  package func rows(_ number: Int) -> String { "\(prefix)rows_\(number)" }

  /// The view through which the triggers of the program's tables fill ``rows(_:)``.
  ///
  /// Its trigger adds the clock and the time, so these parts of the SQL exist once for each width
  /// instead of once for each trigger.
  func row(_ number: Int) -> String { "\(prefix)row_\(number)" }

  /// The index that lets VACUUM keep the rowids of the table with this number.
  package func rowids(_ number: Int) -> String { "\(prefix)rowids_\(number)" }

  func trigger(_ event: String, _ number: Int) -> String { "\(prefix)\(event)_\(number)" }

  /// Whether the name of a table begins with the prefix, in upper or lower case.
  package func own(_ name: String) -> Bool {
    name.utf8.count >= prefix.utf8.count
      && zip(name.utf8, prefix.utf8).allSatisfy { lowercase($0) == lowercase($1) }
  }
}

func lowercase(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }

/// The numbers of values that captured rows have.
///
/// Tables of the program with equally many columns share a table for their captured rows, because
/// each connection of the program parses the whole schema.
package struct CaptureWidths: Sendable {
  package let widths: [Int]

  /// The widths for tables of whose rows these numbers of values are captured.
  ///
  /// An update has the values before and after it.
  package init(_ counts: some Sequence<Int>) {
    widths = Set(counts.flatMap { [$0, 2 * $0] }).sorted()
  }

  /// The number of the table for captured rows of a width.
  package func number(_ width: Int) -> Int { widths.firstIndex(of: width) ?? widths.count }
}

package enum CapturedKind: Int64, Sendable {
  case insert = 1
  /// The row has the values before the update, and then the values after it.
  case update = 2
  case delete = 3
  /// An existing row that a new row with the same unique value may replace.
  case victim = 4

  /// The number that a captured row has for its kind and for the number of its table.
  package func event(ofTable number: Int) -> Int64 { Int64(number) << 3 | rawValue }

  /// Reads the number that ``event(ofTable:)`` gives; nil for a number without a kind.
  package static func parts(ofEvent event: Int64) -> (table: Int, kind: CapturedKind)? {
    guard event >= 0, let kind = CapturedKind(rawValue: event & 7) else { return nil }
    return (Int(event >> 3), kind)
  }
}

extension CaptureNames {
  /// The time in milliseconds since 1970, computed with functions that SQLite has had since version
  /// 3.8.
  private static let time =
    "CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)"

  /// The statements that create the context table.
  ///
  /// The clock is the first column after the id, so it is not on an overflow page even if the
  /// author is very long.
  package var contextStatements: [String] {
    [
      """
      CREATE TABLE \(context) (id INTEGER PRIMARY KEY, clock INTEGER NOT NULL, author TEXT,
        reason TEXT, request TEXT)
      """,
      "INSERT INTO \(context) (id, clock) VALUES (1, 0)",
      """
      CREATE TABLE \(bracket) (id INTEGER PRIMARY KEY, clock INTEGER NOT NULL,
        time INTEGER NOT NULL, series INTEGER NOT NULL, author, reason, request)
      """,
      // The trigger's own updates must not set `author`, because that would run the trigger again.
      // The trigger removes the reason and the request. Otherwise a later bracket without a reason
      // would get the reason of an earlier bracket that was not closed.
      """
      CREATE TRIGGER \(prefix)author AFTER UPDATE OF author ON \(context) BEGIN
        UPDATE \(context) SET clock = clock + 1;
        INSERT INTO \(bracket) (clock, time, series, author, reason, request)
          SELECT clock, \(Self.time), total_changes(), NEW.author, NEW.reason, NEW.request
          FROM \(context);
        UPDATE \(context) SET reason = NULL, request = NULL
          WHERE reason IS NOT NULL OR request IS NOT NULL;
      END
      """,
    ]
  }

  /// The statements that capture the changes of the recorded tables, which are numbered from zero.
  package func statements(for tables: [TableDescription]) -> [String] {
    let recorded = tables.enumerated().compactMap { number, table in
      table.captured.map { (number, table, $0) }
    }
    let widths = CaptureWidths(recorded.map(\.2.columns.count))
    return widths.widths.indices.flatMap { statements(forWidth: widths.widths[$0], number: $0) }
      + recorded.flatMap { number, table, captured in
        CaptureTriggers(
          names: self,
          table: table,
          key: captured.key,
          number: number,
          columns: captured.columns.map(quoted),
          widths: widths
        ).statements
      }
  }

  private func statements(forWidth width: Int, number: Int) -> [String] {
    let (rows, row) = (rows(number), row(number))
    let values = (0..<width).map { ", v\($0)" }.joined()
    let new = (0..<width).map { ", NEW.v\($0)" }.joined()
    return [
      """
      CREATE TABLE \(rows) (id INTEGER PRIMARY KEY, clock INTEGER NOT NULL,
        event INTEGER NOT NULL, time REAL NOT NULL, series INTEGER NOT NULL\(values))
      """,
      "CREATE VIEW \(row) AS SELECT event\(values) FROM \(rows)",
      """
      CREATE TRIGGER \(row)_stamp INSTEAD OF INSERT ON \(row) BEGIN
        UPDATE \(context) SET clock = clock + 1;
        INSERT INTO \(rows) VALUES (NULL, (SELECT clock FROM \(context)), NEW.event,
          julianday('now'), total_changes()\(new));
      END
      """,
    ]
  }
}

extension TableDescription {
  /// The key of a recorded table, and what is captured of a row: the rowid if it can identify the
  /// row, and all columns but those that are left out.
  fileprivate var captured: (key: TableKey, columns: [String])? {
    guard case .triggers(let key) = recording else { return nil }
    return (key, [key.rowid].compactMap(\.self) + columns.filter { !$0.isLeftOut }.map(\.name))
  }
}

extension TableKey {
  /// The name with which SQL reads the rowid; nil if a key identifies every row.
  package var rowid: String? {
    switch self {
    case .integer: nil
    case .columns(_, let rowid): rowid
    case .rowid(let name): name
    }
  }

  /// The columns of the key; empty if only the rowid identifies rows.
  package var columns: [String] {
    switch self {
    case .integer(let column): [column]
    case .columns(let columns, _): columns
    case .rowid: []
    }
  }
}

/// The triggers of one table.
///
/// Each connection of the program parses them, so their text is as short as possible: no lists of
/// columns, and no qualified names where a plain name is unambiguous.
private struct CaptureTriggers {
  let names: CaptureNames
  let table: TableDescription
  let key: TableKey
  let number: Int
  /// The quoted names of the captured columns.
  let columns: [String]
  let widths: CaptureWidths

  private var name: String { quoted(table.name) }

  var statements: [String] {
    let conflicts = table.conflicts
    var result: [String] = []
    if !conflicts.isEmpty {
      let condition = conflicts.map { "(\($0.condition))" }.joined(separator: " OR ")
      let update = "BEFORE UPDATE\(uniqueColumns(conflicts).map { " OF \($0)" } ?? "")"
      result.append(victims("before_insert", "BEFORE INSERT", condition))
      result.append(victims("before_update", update, "(\(condition)) AND \(isOther)"))
    }
    result.append(trigger("after_insert", "AFTER INSERT", captured(.insert, ["NEW"])))
    result.append(trigger("after_update", "AFTER UPDATE", captured(.update, ["OLD", "NEW"])))
    result.append(trigger("after_delete", "AFTER DELETE", captured(.delete, ["OLD"])))
    return result
  }

  private func trigger(
    _ name: String,
    _ event: String,
    when condition: String? = nil,
    _ statement: String
  ) -> String {
    "CREATE TRIGGER \(names.trigger(name, number)) \(event) ON \(self.name)"
      + (condition.map { " WHEN \($0)" } ?? "") + " BEGIN \(statement); END"
  }

  private func row(_ width: Int) -> String { names.row(widths.number(width)) }

  /// The statement that captures the old row, the new row, or both.
  private func captured(_ kind: CapturedKind, _ rows: [String]) -> String {
    let values = rows.flatMap { row in columns.map { ",\(row).\($0)" } }
    return "INSERT INTO \(row(values.count)) VALUES (\(kind.event(ofTable: number))"
      + "\(values.joined()))"
  }

  /// The trigger that captures the rows that `REPLACE` may delete.
  ///
  /// SQLite runs no delete triggers for replaced rows unless `recursive_triggers` is on. There is
  /// hardly ever such a row, and a WHEN clause costs less than a body that inserts nothing. The
  /// alias makes it possible that the table is named "old" or "new".
  private func victims(_ name: String, _ event: String, _ condition: String) -> String {
    let rows = "FROM \(self.name) AS t WHERE \(condition)"
    return trigger(
      name,
      event,
      when: "EXISTS (SELECT 1 \(rows))",
      "INSERT INTO \(row(columns.count)) SELECT \(CapturedKind.victim.event(ofTable: number))"
        + columns.map { ",\($0)" }.joined() + " \(rows)"
    )
  }

  /// The SQL condition that selects all rows except the row that the statement updates.
  private var isOther: String {
    if let rowid = key.rowid.map(quoted) { return "\(rowid) <> OLD.\(rowid)" }
    let same = key.columns.map { "\(quoted($0)) IS OLD.\(quoted($0))" }
    return "NOT (\(same.joined(separator: " AND ")))"
  }

  /// The columns with unique values; nil if every update may change such a value.
  ///
  /// SQLite compares the names in an UPDATE statement with these names.
  private func uniqueColumns(_ conflicts: [UniqueConflict]) -> String? {
    var columns: [String] = []
    for conflict in conflicts {
      guard let known = conflict.columns else { return nil }
      for column in known where !columns.contains(column) { columns.append(column) }
    }
    return columns.map(quoted).joined(separator: ", ")
  }
}
