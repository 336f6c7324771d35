import Adoption
import Format
import SQLite

/// Writes the collected changes as transactions of history.
extension Seal {
  /// Closes the open transaction before the first event of the present statement, because the end
  /// of the transaction is not known and nothing must be lost.
  func finishEarlierStatements() throws {
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

  func finish(end: Boundaries.End) throws {
    guard let open else { return }
    try write(open, end: end, before: .max)
    self.open = nil
  }

  private func write(_ events: Open, end: Boundaries.End, before statement: Int64) throws {
    let isProven = end == .proven && !hasAssumedEnd
    hasAssumedEnd = end == .assumed
    try history.begin(events.first.clock...events.last.clock)
    try touched.take(before: statement) { row in
      if canPause, history.isWritten { try pause?() }
      let (before, after) = try captured.values(row.first, row.last, of: scan.tables[row.table])
      try history.record(
        row.name,
        of: row.table,
        from: before,
        to: after,
        isReplaced: row.isReplaced
      )
    }
    if statement == .max { isJoined = false }
    // The changes of a row can have exchanged their places across the end of the transaction.
    canPause = !isJoined && reach <= events.last.clock
    if canPause {
      sealed = events.last.clock
      try history.save()
    }
    guard try close(events, isProven: isProven) else { return }
    last = history.recorder.transaction
    if canPause { try pause?() }
  }

  private func close(_ events: Open, isProven: Bool) throws -> Bool {
    if let own {
      return try history.close(
        own,
        operation: .recorded,
        details: #"{"boundary":"proven"}"#,
        stamp: nil
      )
    }
    let bracket = boundaries.bracket(at: events.last.clock)
    return try history.close(
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

  private func stamp(_ time: Int64) -> Provenance.Stamp {
    Provenance.Stamp(
      time: timeText(milliseconds: time),
      process: "",
      processID: 0,
      host: "",
      seed: .random()
    )
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
  func fill(_ gap: RowOrder.Gap, at place: EventPlace, present: [Value]? = nil) throws {
    try history.begin(place.clock...place.clock)
    try history.record(
      gap.name,
      of: gap.table,
      from: gap.before,
      to: gap.after ?? present,
      isReplaced: false
    )
    let isRecorded = try history.close(
      Author(process: ""),
      operation: .difference,
      details: #"{"boundary":"assumed","captured":false,"order":"unknown"}"#,
      stamp: stamp(place.time)
    )
    guard isRecorded else { return }
    last = history.recorder.transaction
    hasAssumedEnd = true
  }

  /// Records the rows whose last captured state is not the row in the file.
  ///
  /// If a program has changed rows or tables since the scan, the rows may have changed again. Then the
  /// next seal finds the differences.
  func fillLastGaps() throws {
    guard order.hasAny, try scan.isCurrent(),
      try Capture.clock(names: scan.names, on: connection) == end
    else { return }
    for gap in try order.gaps(before: nil) {
      guard let table = try scan.presentTable(gap.table) else { continue }
      try fill(
        gap,
        at: EventPlace(clock: end, time: currentMilliseconds(), series: 0),
        present: try table.find(gap.name)
      )
    }
  }
}
