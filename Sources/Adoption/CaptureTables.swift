import Changes

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

  /// The table for the rows that were captured from the program's table with this number.
  package func rows(_ number: Int) -> String { "\(prefix)rows_\(number)" }

  func trigger(_ event: String, _ number: Int) -> String { "\(prefix)\(event)_\(number)" }

  /// Whether the name of a table begins with the prefix, in upper or lower case.
  package func own(_ name: String) -> Bool {
    name.utf8.count >= prefix.utf8.count
      && zip(name.utf8, prefix.utf8).allSatisfy { lowercase($0) == lowercase($1) }
  }
}

private func lowercase(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }

/// The kind of a captured row.
///
/// The triggers write the kind as its raw value.
package enum CapturedKind: Int64, Sendable {
  case insert = 1
  case update = 2
  case delete = 3
  /// An existing row that a new row with the same unique value may replace.
  case victim = 4
  /// An update that is about to change a value to which foreign keys refer.
  ///
  /// SQLite runs the actions of the foreign keys before the trigger that captures the update, and
  /// the actions can change the same row.
  case move = 5
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

  /// The statements that capture the changes of a table.
  package func statements(for table: TableDescription, number: Int) -> [String] {
    guard case .triggers(let key) = table.recording else { return [] }
    let columns = table.columns.map { quoted($0.name) }
    let rowid = key.rowid.map(quoted)
    let values = columns.indices.map { ", b\($0), a\($0)" }.joined()
    return [
      """
      CREATE TABLE \(rows(number)) (id INTEGER PRIMARY KEY, clock INTEGER NOT NULL,
        kind INTEGER NOT NULL, time INTEGER, series INTEGER, bk, ak\(values))
      """
    ]
      + CaptureTriggers(names: self, table: table, number: number, columns: columns, rowid: rowid)
      .statements
  }

  fileprivate var tick: String { "UPDATE \(context) SET clock = clock + 1" }

  fileprivate var stamp: String { "\(Self.time), total_changes()" }
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

private struct CaptureTriggers {
  let names: CaptureNames
  let table: TableDescription
  let number: Int
  let columns: [String]
  let rowid: String?

  private var name: String { quoted(table.name) }

  var statements: [String] {
    let taken = table.conflicts
    var result: [String] = []
    if !taken.isEmpty {
      result.append(trigger("before_insert", "BEFORE INSERT", victims(taken.map(\.condition))))
      result.append(
        trigger(
          "before_update",
          "BEFORE UPDATE",
          condition: movesUniqueValue(taken),
          victims(taken.map { "(\($0.condition)) AND \(isOther)" }) + move
        )
      )
    }
    result.append(trigger("after_insert", "AFTER INSERT", captured(.insert)))
    result.append(trigger("after_update", "AFTER UPDATE", captured(.update)))
    result.append(trigger("after_delete", "AFTER DELETE", captured(.delete)))
    return result
  }

  private func trigger(
    _ name: String,
    _ event: String,
    condition: String? = nil,
    _ body: [String]
  ) -> String {
    "CREATE TRIGGER \(names.trigger(name, number)) \(event) ON \(self.name)"
      + (condition.map { " WHEN \($0)" } ?? "")
      + " BEGIN\n  \(body.joined(separator: ";\n  "));\nEND"
  }

  private func captured(_ kind: CapturedKind) -> [String] {
    [names.tick, insertion(of: kind, clock: "clock")]
  }

  /// The statement that captures the old row, the new row, or both.
  private func insertion(of kind: CapturedKind, clock: String) -> String {
    var list: [String] = []
    var values: [String] = []
    for (side, row, isThere) in [("b", "OLD", kind != .insert), ("a", "NEW", kind != .delete)]
    where isThere {
      if let rowid {
        list.append("\(side)k")
        values.append("\(row).\(rowid)")
      }
      for (index, column) in columns.enumerated() {
        list.append("\(side)\(index)")
        values.append("\(row).\(column)")
      }
    }
    return
      "INSERT INTO \(names.rows(number)) (clock, kind, time, series, \(list.joined(separator: ", ")))"
      + "\n    SELECT \(clock), \(kind.rawValue), \(names.stamp), \(values.joined(separator: ", "))"
      + " FROM \(names.context)"
  }

  /// The statement that captures an update before the actions of foreign keys run.
  private var move: [String] {
    guard !table.referencedColumns.isEmpty else { return [] }
    let changes = table.referencedColumns.map { "OLD.\(quoted($0)) IS NOT NEW.\(quoted($0))" }
    return [
      insertion(of: .move, clock: "clock + 1") + " WHERE " + changes.joined(separator: " OR ")
    ]
  }

  /// The triggers that capture the rows that `REPLACE` may delete.
  ///
  /// SQLite runs no delete triggers for replaced rows unless `recursive_triggers` is on.
  ///
  /// A row that may be replaced gets the same clock number as the new row.
  private func victims(_ conditions: [String]) -> [String] {
    let list = (rowid == nil ? [] : ["bk"]) + columns.indices.map { "b\($0)" }
    let values = (rowid.map { [$0] } ?? []) + columns
    return [
      "INSERT INTO \(names.rows(number)) (clock, kind, \(list.joined(separator: ", ")))"
        + "\n    SELECT (SELECT clock + 1 FROM \(names.context)), \(CapturedKind.victim.rawValue), "
        + values.map { "\(name).\($0)" }.joined(separator: ", ")
        + "\n    FROM \(name) WHERE "
        + conditions.map { "(\($0))" }.joined(separator: " OR ")
    ]
  }

  /// The SQL condition that selects all rows except the row that the statement updates.
  private var isOther: String {
    guard case .triggers(let key) = table.recording else { return "1" }
    if let rowid { return "\(name).\(rowid) <> OLD.\(rowid)" }
    let same = key.columns.map { "\(name).\(quoted($0)) IS OLD.\(quoted($0))" }
    return "NOT (\(same.joined(separator: " AND ")))"
  }

  /// The SQL condition that is true if an update changes a value in a unique index; nil if every
  /// update may change such a value.
  private func movesUniqueValue(_ conflicts: [UniqueConflict]) -> String? {
    var seen: Set<String> = []
    var columns: [String] = []
    for conflict in conflicts {
      guard let known = conflict.columns else { return nil }
      columns += known.filter { seen.insert($0).inserted }
    }
    return columns.map { "OLD.\(quoted($0)) IS NOT NEW.\(quoted($0))" }.joined(separator: " OR ")
  }
}
