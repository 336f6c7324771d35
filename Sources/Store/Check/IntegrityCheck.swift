import Format
import SQLite

/// Runs SQLite's own check of a file.
struct IntegrityCheck {
  /// The maximum number of messages, which is also SQLite's default.
  private static let limit = 100
  private static let nullPrefix = "NULL value in "

  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// Calls the closure with a finding for each message of SQLite that is not a false alarm.
  func run(_ body: (CheckFinding) throws -> Void) throws {
    do {
      var messages: [String] = []
      var falseAlarms = Set<String>()
      try forEachMessage(limit: Self.limit) { message in
        messages.append(message)
        if try isFalseAlarm(message) { falseAlarms.insert(message) }
        return true
      }
      guard !falseAlarms.isEmpty else { return try messages.forEach { try body(.integrity($0)) } }
      // SQLite ends its check after a number of messages. So false alarms can hide other messages.
      var count = 0
      try forEachMessage(limit: Int(Int32.max)) { message in
        if falseAlarms.contains(message) { return true }
        guard try !isFalseAlarm(message) else {
          falseAlarms.insert(message)
          return true
        }
        try body(.integrity(message))
        count += 1
        return count < Self.limit
      }
    } catch let error as SQLiteError where error.primaryCode == SQLiteError.corrupt {
      // If the damage is severe, SQLite's check fails. Its error is then a finding too.
      try body(.integrity(error.message))
    }
  }

  /// The messages about damage, and the messages about constraints of a program that rows violate.
  ///
  /// SQLite reports each violation, so its usual limit of messages could hide damage. A quick check
  /// does not compare indexes with their tables.
  func messages(isQuick: Bool = false) throws -> (damage: [String], violations: [String]) {
    var (damage, violations): ([String], [String]) = ([], [])
    var known = Set<String>()
    try forEachMessage(isQuick: isQuick, limit: Int(Int32.max)) { message in
      guard known.insert(message).inserted, try !isFalseAlarm(message) else { return true }
      if ["CHECK constraint failed in ", Self.nullPrefix].contains(where: message.hasPrefix) {
        violations.append(message)
      } else {
        damage.append(message)
      }
      return damage.count < Self.limit
    }
    return (damage, violations)
  }

  /// Calls the closure with each message until it returns false.
  private func forEachMessage(
    isQuick: Bool = false,
    limit: Int,
    _ body: (String) throws -> Bool
  ) throws {
    // SQLite 3.53 takes the limit for the name of a table if a SELECT contains the pragma.
    let check = try connection.prepare(
      "PRAGMA \(isQuick ? "quick_check" : "integrity_check")(\(limit))"
    )
    while try check.step() {
      let message = check.string(at: 0)
      guard try message == "ok" || body(message) else { return }
    }
  }

  /// Whether SQLite reports a NULL that a query does not find.
  ///
  /// In a table without rowid, SQLite 3.40 reports a NULL in another column if a key column of type
  /// REAL contains a whole number.
  private func isFalseAlarm(_ message: String) throws -> Bool {
    guard message.hasPrefix(Self.nullPrefix) else { return false }
    let place = message.dropFirst(Self.nullPrefix.count)
    let tables = try connection.all("SELECT name FROM sqlite_schema WHERE type = 'table'") {
      $0.string(at: 0)
    }
    for table in tables where place.hasPrefix(table + ".") {
      let column = String(place.dropFirst(table.count + 1))
      let isColumn = try connection.hasRow(
        "SELECT 1 FROM pragma_table_xinfo(?1) WHERE name = ?2",
        values: [.text(table), .text(column)]
      )
      guard isColumn else { continue }
      // SQLite assumes that a condition such as IS NULL is false if the column is NOT NULL.
      return try !connection.hasRow(
        "SELECT 1 FROM \(quoted(table)) NOT INDEXED WHERE typeof(\(quoted(column))) = 'null' LIMIT 1"
      )
    }
    return false
  }
}
