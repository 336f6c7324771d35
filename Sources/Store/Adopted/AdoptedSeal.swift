import Adoption
import Changes
import SQLite

/// Turns the captured changes of an adopted file into transactions of history.
///
/// The caller must have the write lock. The lock excludes an open transaction of another program,
/// so the end of the last captured transaction is proven.
struct AdoptedSeal {
  let connection: Connection
  let names: CaptureNames
  let tables: [AdoptedTable]
  private let recorder: ChangeRecorder
  private let blobs: Blobs
  /// Whether SQLite's schema version changed after the last seal.
  ///
  /// The program may have run VACUUM, which renumbers the rows of tables without a key, or may have
  /// created triggers.
  private let hasNewSchema: Bool

  init(
    _ connection: Connection,
    names: CaptureNames,
    layouts: [EntityLayout],
    recorder: ChangeRecorder,
    blobs: Blobs,
    hasNewSchema: Bool = false
  ) {
    self.hasNewSchema = hasNewSchema
    self.connection = connection
    self.names = names
    self.recorder = recorder
    self.blobs = blobs
    tables = layouts.map { AdoptedTable(connection, layout: $0, layouts: layouts) }
  }

  /// Whether rows were captured or brackets were written.
  private func hasAny() throws -> Bool {
    try connection.hasRow("SELECT 1 FROM \(names.bracket) LIMIT 1")
      || AdoptedFile.hasCapturedRows(tables.count, names: names, on: connection)
  }

  /// Seals everything that was captured.
  ///
  /// The captured rows of a table are left out in two cases. If VACUUM may have renumbered the rows
  /// of the table, one row can have two numbers. If the program created a trigger after the capture
  /// triggers, the order of the captured rows can be wrong, because SQLite runs the newest trigger
  /// first. ``SchemaRenewal`` records all rows of these tables again.
  ///
  /// - Parameter own: The author of an undo, whose changes become one transaction; nil if other
  ///   programs made the changes.
  /// - Returns: The last transaction; nil if nothing changed.
  /// - Throws: ``StoreError``, ``SQLiteError``.
  @discardableResult
  func run(own: Author? = nil) throws -> Int64? {
    guard try hasAny() else { return nil }
    let captured = try tables.indices.filter {
      try connection.hasRow("SELECT 1 FROM \(names.rows($0)) LIMIT 1")
    }
    let used = try captured.filter {
      guard hasNewSchema else { return true }
      return try tables[$0].layout.entity.identity?.rowid == nil
        && !AdoptedFile.hasNewerTriggers($0, names: names, on: connection)
    }
    let touched = try TouchedRows()
    for table in used {
      let kinds = try connection.first(
        """
        SELECT max(kind = \(CapturedKind.victim.rawValue)), max(kind = \(CapturedKind.move.rawValue))
        FROM \(names.rows(table))
        """
      ) { (hasVictims: $0.int64(at: 0) != 0, hasMoves: $0.int64(at: 1) != 0) }
      if kinds?.hasMoves == true { try findMoves(table, touched: touched) }
      if kinds?.hasVictims == true { try findReplaced(table, touched: touched) }
    }
    let stream = try CapturedStream(
      connection,
      names: names,
      tables: tables,
      only: used,
      touched: touched
    )
    var event = try stream.next()
    let boundaries = try Boundaries(connection, names: names, after: event?.place.clock ?? 0)
    var marks = boundaries.places[...]
    var begin: EventPlace?
    var made: Int64?
    var last: EventPlace?
    var waiting: [CapturedEvent] = []
    func place(_ next: EventPlace) throws {
      if own == nil, let last, let first = begin,
        let end = boundaries.end(after: last, before: next)
      {
        try finish((first, last), end: end, boundaries: boundaries, touched: touched)
        begin = nil
      }
      begin = begin ?? next
      last = next
    }
    while event != nil || !marks.isEmpty {
      if let mark = marks.first, event.map({ mark.clock < $0.place.clock }) ?? true {
        try place(mark)
        marks.removeFirst()
        continue
      }
      guard let one = event else { break }
      if one.kind == .victim {
        // The statement that replaced this row also wrote the next captured row, so the two rows
        // are noted together.
        if try touched.isReplaced(one.row, table: one.table) { waiting.append(one) }
      } else {
        try place(one.place)
        for victim in waiting { try note(victim, touched: touched) }
        waiting.removeAll()
        try note(one, touched: touched)
      }
      event = try stream.next()
    }
    if let first = begin, let last {
      try finish((first, last), end: .proven, boundaries: boundaries, touched: touched, own: own)
      made = recorder.count > 0 ? recorder.transaction : nil
    }
    for table in captured { try connection.execute("DELETE FROM \(names.rows(table))") }
    try connection.execute("DELETE FROM \(names.bracket)")
    return made
  }

  private func note(_ event: CapturedEvent, touched: TouchedRows) throws {
    let (before, after) = (event.before, event.after)
    if let before, before == after {
      return try touched.note(before, table: event.table, before: event.row, after: event.row)
    }
    if let before { try touched.note(before, table: event.table, before: event.row, after: nil) }
    if let after { try touched.note(after, table: event.table, before: nil, after: event.row) }
  }

  // MARK: Replaced rows

  /// Finds the captured rows of a table that `REPLACE` deleted without a trigger.
  ///
  /// The next event with the same key shows whether `REPLACE` deleted a row: the row was deleted if
  /// this event is an insertion, and remained if it is any other event. If no such event follows,
  /// the row was deleted if the table no longer contains it.
  private func findReplaced(_ table: Int, touched: TouchedRows) throws {
    let stream = try CapturedStream(
      connection,
      names: names,
      tables: tables,
      only: [table],
      touched: touched
    )
    var pending: [RowName: Int64] = [:]
    while let event = try stream.next() {
      if event.kind == .victim {
        if let name = event.before { pending[name] = event.row }
        continue
      }
      if let before = event.before { pending[before] = nil }
      if let after = event.after, let row = pending.removeValue(forKey: after) {
        try touched.noteReplaced(row, table: table)
      }
    }
    guard !pending.isEmpty, let present = try presentTable(table) else { return }
    for (name, row) in pending where try present.find(name) == nil {
      try touched.noteReplaced(row, table: table)
    }
  }

  /// A table with its present name and the present names of its columns, which the program may have
  /// changed after the last seal; nil if the program dropped the table.
  private func presentTable(_ table: Int) throws -> AdoptedTable? {
    guard hasNewSchema else { return tables[table] }
    let name = try connection.first(
      """
      SELECT tbl_name FROM sqlite_schema
      WHERE type = 'trigger' AND name = '\(names.prefix)after_insert_\(table)'
      """
    ) { $0.string(at: 0) }
    guard let name else { return nil }
    let layouts = try ProgramSchema(connection, names: names, version: "").schema.layouts()
    guard let layout = layouts.first(where: { $0.entity.name == name }) else { return nil }
    return AdoptedTable(connection, layout: layout, layouts: layouts)
  }

  // MARK: Transactions

  private func finish(
    _ events: (first: EventPlace, last: EventPlace),
    end: Boundaries.End,
    boundaries: Boundaries,
    touched: TouchedRows,
    own: Author? = nil
  ) throws {
    try recorder.begin()
    var text = ChangeText()
    try touched.take { row in
      text.removeAll()
      let table = tables[row.table]
      let kind = try table.append(
        from: values(row.first, side: "b", of: row.table),
        to: values(row.last, side: "a", of: row.table),
        text: &text,
        blobs: blobs
      )
      guard let kind else { return }
      try text.withChange(kind, sequence: recorder.count, table: table, name: row.name) {
        try recorder.copy($0, of: recorder.transaction)
      }
    }
    guard recorder.count > 0 else { return recorder.forget() }
    if let own {
      return try recorder.close(own, operation: .recorded, details: #"{"boundary":"proven"}"#)
    }
    let bracket = boundaries.bracket(at: events.last.clock)
    try recorder.close(
      Author(
        name: bracket?.author,
        reason: bracket?.reason,
        request: bracket?.request,
        process: ""
      ),
      operation: .foreign,
      details: details(events, end: end, bracket: bracket, boundaries: boundaries),
      stamp: Provenance.Stamp(
        time: timeText(milliseconds: events.last.time),
        process: "",
        processID: 0,
        host: "",
        seed: .random()
      )
    )
  }

  /// The values of a row before or after a captured change; nil if the row did not exist on that
  /// side.
  private func values(_ row: Int64?, side: String, of table: Int) throws -> [Value]? {
    guard let row else { return nil }
    let count = tables[table].layout.columns.count
    let list = (0..<count).map { "\(side)\($0)" }.joined(separator: ", ")
    let statement = try connection.cached(
      "SELECT \(list) FROM \(names.rows(table)) WHERE id = ?1"
    )
    try statement.bind(1, row)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return (0..<count).map { statement.value(at: Int32(truncatingIfNeeded: $0)) }
  }

  private func details(
    _ events: (first: EventPlace, last: EventPlace),
    end: Boundaries.End,
    bracket: Boundaries.Bracket?,
    boundaries: Boundaries
  ) -> String {
    var json = Array(#"{"boundary":"#.utf8)
    appendJSONString(end == .proven ? "proven" : "assumed", to: &json)
    if bracket == nil,
      let author = boundaries.unclosedAuthor(
        from: events.first.clock,
        through: events.last.clock
      )
    {
      json += #","unclosed":{"author":"#.utf8
      appendJSONString(author, to: &json)
      json.append(UInt8(ascii: "}"))
    }
    json.append(UInt8(ascii: "}"))
    return String(decoding: json, as: UTF8.self)
  }
}
