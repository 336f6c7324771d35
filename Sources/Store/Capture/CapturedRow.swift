import Changes
import SQLite

/// One row of `history_foreign`, which a trigger wrote.
struct CapturedRow {
  enum Kind: String {
    case insert, update, delete
    /// A row that conflicts with a new row, so `REPLACE` may delete it. The next captured rows show
    /// whether the row was deleted.
    case victim
  }

  /// The position of a row in time; the positions show where a transaction ends.
  struct Place {
    let id: Int64
    /// The time of the capture in milliseconds since 1970.
    let time: Int64
    /// The connection's count of changes, which rises with each captured row.
    let series: Int64
    let isVictim: Bool
    let seed: [UInt8]

    /// Whether the next row belongs to another transaction.
    ///
    /// A trigger can't see in which transaction it runs. A count of changes that does not rise
    /// shows that another connection begins. A pause separates the transactions of one connection.
    func endsTransaction(before next: Place) -> Bool {
      // A statement captures all rows that it may replace, with one count of changes for all of
      // them.
      let isTogether = series == next.series && isVictim && next.isVictim
      return (series >= next.series && !isTogether) || time > next.time
        || next.time &- time > Self.pause
    }

    /// The longest pause between two rows of a transaction, in milliseconds.
    private static let pause: Int64 = 1000

    /// Whether so much time has passed that no further row can belong to the transaction.
    func isOver(at now: Int64) -> Bool {
      // The time can be forged, so the subtraction can overflow.
      let (passed, isTooLong) = now.subtractingReportingOverflow(time)
      return isTooLong ? time < 0 : passed > Self.pause
    }
  }

  let place: Place
  let kind: Kind
  /// The index of the table in ``ForeignCapture/tables``.
  let table: Int
  /// The id of the object, or of a link's owner.
  let object: Int64
  /// The values before the change, in the order of ``ForeignTable/columns``; empty for an insert.
  let before: [Value]
  /// The values after the change; empty for a delete, and for a row that `REPLACE` may delete.
  let after: [Value]
}

/// The statements that read captured rows on one connection.
final class CapturedRows {
  let connection: Connection
  private let tables: [ForeignTable]
  private let indexes: [String: Int]
  private let list: String

  init(_ connection: Connection, tables: [ForeignTable]) {
    self.connection = connection
    self.tables = tables
    indexes = Dictionary(
      tables.enumerated().map { ($0.element.name, $0.offset) },
      uniquingKeysWith: { $1 }
    )
    let width = tables.map(\.columns.count).max() ?? 0
    list =
      (["id", "time", "series", "kind", "seed", "origin", "object"]
      + (0..<width).flatMap { ["b\($0)", "a\($0)"] })
      .map { quoted($0) }.joined(separator: ", ")
  }

  /// Whether there are captured rows; the query is cheap if there are none.
  static func areThere(on connection: Connection) throws -> Bool {
    try connection.hasRow("SELECT 1 FROM history_foreign LIMIT 1")
  }

  static func places(on connection: Connection) throws -> Statement {
    try connection.prepare(
      "SELECT \"id\", \"time\", \"series\", \"kind\", \"seed\" FROM \"history_foreign\" ORDER BY \"id\""
    )
  }

  /// The place of the current row of ``places(on:)`` or ``rows(through:)``.
  static func place(at row: Statement) -> CapturedRow.Place {
    CapturedRow.Place(
      id: row.int64(at: 0),
      time: row.int64(at: 1),
      series: row.int64(at: 2),
      isVictim: row.string(at: 3) == CapturedRow.Kind.victim.rawValue,
      seed: Array(row.bytes(at: 4))
    )
  }

  func rows(through last: Int64) throws -> Statement {
    try connection.query(
      "SELECT \(list) FROM \"history_foreign\" WHERE \"id\" <= ?1 ORDER BY \"id\"",
      values: [.integer(last)]
    )
  }

  /// Reads the captured rows of an object, or of the links that it owns, after a given captured
  /// row.
  func rows(of object: Int64, in table: Int, after id: Int64) throws -> Statement {
    let statement = try connection.cached(
      "SELECT \(list) FROM \"history_foreign\""
        + " WHERE \"origin\" = ?1 AND \"object\" = ?2 AND \"id\" > ?3 ORDER BY \"id\""
    )
    try statement.bind(1, tables[table].name)
    try statement.bind(2, object)
    try statement.bind(3, id)
    return statement
  }

  /// The captured row in the current row of a statement; nil if Travelog's triggers do not write
  /// rows of its table or kind.
  func row(at row: Statement) -> CapturedRow? {
    guard let kind = CapturedRow.Kind(rawValue: row.string(at: 3)),
      let table = indexes[row.string(at: 5)]
    else { return nil }
    func side(_ offset: Int) -> [Value] {
      tables[table].columns.indices.map {
        row.value(at: Int32(truncatingIfNeeded: 7 + 2 * $0 + offset))
      }
    }
    return CapturedRow(
      place: Self.place(at: row),
      kind: kind,
      table: table,
      object: row.int64(at: 6),
      before: kind == .insert ? [] : side(0),
      after: kind == .insert || kind == .update ? side(1) : []
    )
  }

  /// Whether a row that `REPLACE` may delete conflicts with another row in a unique index.
  func conflict(_ victim: CapturedRow, with row: CapturedRow) throws -> Bool {
    let table = tables[victim.table]
    func column(_ side: String, prefix: String) -> (String) -> String {
      { name in
        guard let index = table.columns.firstIndex(of: name) else { return "\(side).\"object\"" }
        return "\(side).\"\(prefix)\(index)\""
      }
    }
    let condition = table.conflict(column("v", prefix: "b"), with: column("r", prefix: "a"))
    return try connection.hasRow(
      "SELECT 1 FROM \"history_foreign\" v, \"history_foreign\" r"
        + " WHERE v.\"id\" = ?1 AND r.\"id\" = ?2 AND (\(condition))",
      values: [.integer(victim.place.id), .integer(row.place.id)]
    )
  }

  /// Whether the transaction that seems to end with a captured row is complete.
  ///
  /// Only a caller that has the write lock gets a reliable answer.
  ///
  /// `time` is the present time, in milliseconds since 1970; nil if the rows are sealed at once.
  static func isLast(
    _ place: CapturedRow.Place,
    at time: Int64?,
    on connection: Connection
  ) throws -> Bool {
    let statement = try connection.query(
      "SELECT \"id\", \"time\", \"series\", \"kind\", \"seed\" FROM \"history_foreign\""
        + " WHERE \"id\" >= ?1 ORDER BY \"id\" LIMIT 2",
      values: [.integer(place.id)]
    )
    // If the row is missing, another program has sealed it, and perhaps later rows too.
    guard try statement.step(), self.place(at: statement).seed == place.seed else { return false }
    guard try statement.step() else {
      return time.map { place.isOver(at: $0) } ?? true
    }
    return place.endsTransaction(before: self.place(at: statement))
  }
}
