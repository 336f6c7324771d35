import Adoption
import Changes
import SQLite

/// Turns the captured changes of an adopted file into transactions of history.
///
/// The caller must have the write lock while a function runs.
final class AdoptedSeal {
  /// The transaction that is being collected.
  private struct Open {
    var first: EventPlace
    var last: EventPlace
  }

  private let scan: CapturedScan
  private let end: Int64
  private let boundaries: Boundaries
  private let order: RowOrder
  private let captured: CapturedTables
  private let stream: CapturedStream
  private let connection: Connection
  private let recorder: ChangeRecorder
  private let blobs: Blobs
  private let touched: TouchedRows
  private let digests: RowsDigests
  private let own: Author?
  /// Called between two changes.
  ///
  /// The caller may commit, and give the write lock to other programs.
  private let pause: (() throws -> Void)?
  /// The clock up to which captured rows are no longer needed.
  private(set) var sealed: Int64
  /// The greatest clock of a change that was made at an earlier place.
  private var reach: Int64 = 0
  /// Whether all closed transactions end at ``sealed`` or before, so that the work can be
  /// interrupted here.
  private var canPause = true
  /// Whether the open transaction can have changes of an earlier statement.
  private var isJoined = false
  private var open: Open?
  /// The number of the present statement, and the place of its first event.
  private var statement: (number: Int64, first: EventPlace?) = (0, nil)
  /// The last captured row, even if nothing happened to the row.
  private var previous: CapturedEvent?
  /// Whether an end after the last proven end is assumed.
  private var hasAssumedEnd: Bool
  private(set) var last: Int64?

  /// Prepares to write the transactions of a scan.
  ///
  /// `own` is the author of an undo, whose changes become one transaction; nil if other programs
  /// made the changes. `isContinued` says whether an earlier seal was interrupted, so that the last
  /// end may be assumed.
  init(
    _ scan: CapturedScan,
    result: CapturedScan.Result,
    connection: Connection,
    recorder: ChangeRecorder,
    blobs: Blobs,
    own: Author? = nil,
    isContinued: Bool = false,
    pause: (() throws -> Void)? = nil
  ) throws {
    self.scan = scan
    end = result.end
    boundaries = result.boundaries
    order = result.order
    self.connection = connection
    self.recorder = recorder
    self.blobs = blobs
    self.own = own
    self.pause = pause
    captured = CapturedTables(scan.tables, names: scan.names)
    stream = try scan.events(through: result.end)
    touched = try TouchedRows()
    digests = try RowsDigests(scan.tables, on: connection)
    sealed = scan.start
    hasAssumedEnd = isContinued
  }

  /// Ends the reading of captured rows, so that the connection can end its transaction.
  func closeReading() { stream.close() }

  /// Writes all transactions of the scan.
  func run() throws {
    var marks = boundaries.places[...]
    var event = try stream.next()
    while event != nil || !marks.isEmpty {
      if let mark = marks.first, event.map({ mark.clock < $0.place.clock }) ?? true {
        try begin(mark)
        extend(to: mark)
        previous = nil
        marks.removeFirst()
        continue
      }
      guard let captured = event else { break }
      try take(captured)
      event = try stream.next()
    }
    try finish(end: .proven)
    try fillLastGaps()
    sealed = end
    try digests.save()
  }

  // MARK: Events

  private func take(_ captured: CapturedEvent) throws {
    let place = captured.place
    if previous.map({ !scan.areInOneStatement($0, captured) }) ?? true {
      statement = (statement.number + 1, place)
    }
    previous = captured
    if captured.kind == .victim, try !scan.chains.isReplaced(place.clock) { return }
    if try order.isUnchanged(place.clock) { return }
    let exchanged = try order.place(place.clock)
    let event = try exchanged.flatMap { try stream.event($0.row, of: $0.table) } ?? captured
    if let exchanged {
      reach = max(reach, exchanged.clock)
      if exchanged.isJoined { isJoined = true }
    }
    let gaps = try order.gaps(before: exchanged?.clock ?? place.clock)
    if own == nil {
      try begin(place)
      if !gaps.isEmpty {
        try finish(end: .assumed)
        for gap in gaps { try fill(gap, time: place.time) }
      } else if let open, !isProven(from: open.last, to: place) {
        if open.first.isLongBefore(statement.first ?? place) {
          try finishEarlierStatements()
        } else {
          // A change of a name touches two rows, of which only one may have been changed by the same
          // statement.
          let isTouched = try event.names.contains { name in
            if let exchanged, exchanged.isJoined, try order.isJoined(exchanged.clock, name) {
              return false
            }
            return try touched.contains(name, table: event.table, before: statement.number)
          }
          if isTouched { try finishEarlierStatements() }
        }
      }
    }
    extend(to: place)
    try note(event)
  }

  /// Ends the open transaction if a transaction ends before an event.
  private func begin(_ next: EventPlace) throws {
    guard own == nil, let open, let end = boundaries.end(after: open.last, before: next) else {
      return
    }
    try finish(end: end)
  }

  private func extend(to place: EventPlace) {
    open = Open(first: open?.first ?? place, last: place)
  }

  /// Whether a bracket or the write-ahead log proves that two events are in one transaction.
  private func isProven(from event: EventPlace, to next: EventPlace) -> Bool {
    boundaries.bracket(at: next.clock) != nil || boundaries.areInOneCommit(event, next)
  }

  private func note(_ event: CapturedEvent) throws {
    let (before, after) = (event.before?.name, event.kind == .victim ? nil : event.after?.name)
    func note(_ name: RowName, _ before: CapturedReference?, _ after: CapturedReference?) throws {
      try touched.note(
        name,
        table: event.table,
        statement: statement.number,
        before: before,
        after: after
      )
    }
    if let before, before == after { return try note(before, event.row, event.row) }
    if let before { try note(before, event.row, nil) }
    if let after { try note(after, nil, event.row) }
  }

  // MARK: Transactions

  /// Closes the open transaction before the first event of the present statement, because the end
  /// of the transaction is not known and nothing must be lost.
  private func finishEarlierStatements() throws {
    guard let open, let first = statement.first else { return }
    guard first.clock > open.first.clock else { return }
    try write(
      Open(
        first: open.first,
        last: EventPlace(clock: first.clock - 1, time: open.last.time, series: open.last.series)
      ),
      end: .assumed,
      before: statement.number
    )
    self.open = Open(first: first, last: open.last)
  }

  private func finish(end: Boundaries.End) throws {
    guard let open else { return }
    try write(open, end: end, before: .max)
    self.open = nil
  }

  private func write(_ events: Open, end: Boundaries.End, before statement: Int64) throws {
    let isProven = end == .proven && !hasAssumedEnd
    hasAssumedEnd = end == .assumed
    try recorder.begin()
    var text = ChangeText()
    try touched.take(before: statement) { row in
      if canPause { try pause?() }
      try record(
        row.name,
        of: row.table,
        from: values(row.first, isAfter: false, of: row.table),
        to: values(row.last, isAfter: true, of: row.table),
        text: &text
      )
    }
    if statement == .max { isJoined = false }
    // The changes of a row can have exchanged their places across the end of the transaction.
    canPause = !isJoined && reach <= events.last.clock
    if canPause {
      sealed = events.last.clock
      try digests.save()
    }
    guard recorder.count > 0 else { return recorder.forget() }
    last = recorder.transaction
    if let own {
      try recorder.close(own, operation: .recorded, details: #"{"boundary":"proven"}"#)
    } else {
      let bracket = boundaries.bracket(at: events.last.clock)
      try recorder.close(
        Author(
          name: bracket?.author,
          reason: bracket?.reason,
          request: bracket?.request,
          process: ""
        ),
        operation: .foreign,
        details: details(events, isProven: isProven, bracket: bracket),
        stamp: stamp(events.last.time)
      )
    }
    if canPause { try pause?() }
  }

  private func record(
    _ name: RowName,
    of index: Int,
    from before: [Value]?,
    to after: [Value]?,
    text: inout ChangeText
  ) throws {
    text.removeAll()
    let table = scan.tables[index]
    let kind = try table.append(from: before, to: after, text: &text, blobs: blobs)
    guard let kind else { return }
    digests.note(name, from: before, to: after, table: index)
    try text.withChange(kind, sequence: recorder.count, table: table, name: name) {
      try recorder.copy($0, of: recorder.transaction)
    }
  }

  private func stamp(_ time: Int64) -> Provenance.Stamp {
    Provenance.Stamp(
      time: timeText(milliseconds: time),
      process: "",
      processID: 0,
      host: "",
      seed: .random()
    )
  }

  /// The values of a row before or after a captured change; nil if the row did not exist on that
  /// side.
  private func values(
    _ row: CapturedReference?,
    isAfter: Bool,
    of index: Int
  ) throws -> [Value]? {
    guard let row else { return nil }
    return try captured.values(row, isAfter: isAfter, of: scan.tables[index])
  }

  private func details(
    _ events: Open,
    isProven: Bool,
    bracket: Boundaries.Bracket?
  ) -> String {
    var json = Array(#"{"boundary":"#.utf8)
    appendJSONString(isProven ? "proven" : "assumed", to: &json)
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

  // MARK: Changes that were not captured

  /// Records a change that no trigger captured, as a transaction of its own.
  private func fill(_ gap: RowOrder.Gap, time: Int64, present: [Value]? = nil) throws {
    try recorder.begin()
    var text = ChangeText()
    try record(
      gap.name,
      of: gap.table,
      from: gap.before,
      to: gap.after ?? present,
      text: &text
    )
    guard recorder.count > 0 else { return recorder.forget() }
    last = recorder.transaction
    try recorder.close(
      Author(process: ""),
      operation: .difference,
      details: #"{"boundary":"assumed","captured":false,"order":"unknown"}"#,
      stamp: stamp(time)
    )
    hasAssumedEnd = true
  }

  /// Records the rows whose last captured state is not the row in the file.
  ///
  /// If a program has changed rows or tables since the scan, the rows may have changed again. Then the
  /// next seal finds the differences.
  private func fillLastGaps() throws {
    guard order.hasAny, try scan.isCurrent(),
      try AdoptedFile.clock(names: scan.names, on: connection) == end
    else { return }
    for gap in try order.gaps(before: nil) {
      guard let table = try scan.presentTable(gap.table) else { continue }
      try fill(gap, time: currentMilliseconds(), present: try table.find(gap.name))
    }
  }
}
