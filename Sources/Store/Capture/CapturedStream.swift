import Adoption
import Format
import SQLite

/// Reads the captured rows of all tables in the order of the clock.
///
/// Rows that programs capture meanwhile are read too, unless they are beyond the limit.
final class CapturedStream {
  /// The captured rows with one number of values.
  private final class Cursor {
    let width: Int
    let statement: Statement
    /// The id of the last row that was returned.
    var position = Int64.min
    var next: CapturedEvent?

    init(width: Int, statement: Statement) {
      self.width = width
      self.statement = statement
    }
  }

  private let connection: Connection
  private let tables: [Table]
  private let captured: CapturedTables
  private let hasFingerprints: Bool
  /// The captured rows with a clock after `start` and up to `limit` are read.
  private let start: Int64
  private let limit: Int64
  private let cursors: [Cursor]
  private var isOpen = false

  init(
    _ connection: Connection,
    names: CaptureNames,
    tables: [Table],
    after start: Int64,
    through limit: Int64 = .max,
    hasFingerprints: Bool = false
  ) throws {
    self.connection = connection
    self.tables = tables
    self.start = start
    self.limit = limit
    self.hasFingerprints = hasFingerprints
    captured = CapturedTables(tables, names: names)
    cursors = try captured.all.map { width, name in
      Cursor(
        width: width,
        statement: try connection.prepare(
          "SELECT * FROM \(name) WHERE id > ?1 AND clock > ?2 ORDER BY id"
        )
      )
    }
  }

  /// Ends the reading of all rows, so that the connection can end its transaction.
  ///
  /// The next call of ``next()`` continues after the last event that was returned.
  func close() {
    for cursor in cursors {
      cursor.statement.reset()
      cursor.next = nil
    }
    isOpen = false
  }

  private func open() throws {
    for cursor in cursors {
      try cursor.statement.bind(1, cursor.position)
      try cursor.statement.bind(2, start)
      cursor.next = try read(cursor.statement, width: cursor.width)
    }
    isOpen = true
  }

  /// The next event in the order of the clock; nil if there is none.
  func next() throws -> CapturedEvent? {
    if !isOpen { try open() }
    var first: Cursor?
    for cursor in cursors {
      guard let clock = cursor.next?.place.clock else { continue }
      if let least = first?.next?.place.clock, least <= clock { continue }
      first = cursor
    }
    guard let first, let event = first.next, event.place.clock <= limit else { return nil }
    first.position = event.row.id
    first.next = try read(first.statement, width: first.width)
    return event
  }

  private func read(_ row: Statement, width: Int) throws -> CapturedEvent? {
    try row.step() ? event(at: row, width: width) : nil
  }

  /// The event of a captured row that was read before; nil if the row was deleted.
  func event(_ reference: CapturedReference, of table: Int) throws -> CapturedEvent? {
    let width = tables[table].capturedCount * (reference.isUpdate ? 2 : 1)
    let row = try connection.cached("SELECT * FROM \(captured.name(width: width)) WHERE id = ?1")
    try row.bind(1, reference.id)
    defer { row.reset() }
    return try read(row, width: width)
  }

  private func event(at row: Statement, width: Int) throws -> CapturedEvent {
    guard let (index, kind) = CapturedKind.parts(ofEvent: row.int64(at: 2)),
      tables.indices.contains(index),
      tables[index].capturedCount * (kind == .update ? 2 : 1) == width
    else { throw unknownKind(row.string(at: 2), at: connection.path) }
    let table = tables[index]
    func state(at offset: Int32) throws -> RowState {
      let column = offset + (table.hasRowid ? 1 : 0)
      let columns = column..<column + Int32(clamping: table.layout.columns.count)
      return RowState(
        name: try table.name(
          ofKey: table.key.map { row.value(at: column + Int32(clamping: $0.number)) },
          rowid: table.hasRowid && !row.isNull(at: offset) ? row.int64(at: offset) : nil
        ),
        values: hasFingerprints ? row.fingerprint(of: columns) : RowState.absent
      )
    }
    let first: Int32 = 5
    let second = kind == .update ? first + Int32(clamping: table.capturedCount) : first
    return CapturedEvent(
      table: index,
      kind: kind,
      row: CapturedReference(id: row.int64(at: 0), isUpdate: kind == .update),
      place: EventPlace(
        clock: row.int64(at: 1),
        time: milliseconds(julianDay: row.double(at: 3)),
        series: row.int64(at: 4)
      ),
      before: kind == .insert ? nil : try state(at: first),
      after: kind == .insert || kind == .update ? try state(at: second) : nil
    )
  }
}

/// The time in milliseconds since 1970 of a day number of SQLite's function julianday.
private func milliseconds(julianDay: Double) -> Int64 {
  Int64(exactly: ((julianDay - 2_440_587.5) * 86_400_000).rounded()) ?? 0
}
