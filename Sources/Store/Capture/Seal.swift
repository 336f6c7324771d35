import Adoption
import Format
import SQLite

/// Turns captured changes into transactions of history.
///
/// The caller must have the write lock while a function runs.
final class Seal {
  /// The transaction that is being collected.
  struct Open {
    var first: EventPlace
    var last: EventPlace
  }

  let scan: CapturedScan
  let end: Int64
  let boundaries: Boundaries
  let order: RowOrder
  let captured: CapturedTables
  private let stream: CapturedStream
  let connection: Connection
  let history: any RowHistory
  let touched: TouchedRows
  let own: Author?
  /// Called between two changes.
  ///
  /// The caller may commit, and give the write lock to other programs.
  let pause: (() throws -> Void)?
  /// The clock up to which captured rows are no longer needed.
  var sealed: Int64
  /// The greatest clock of a change that was made at an earlier place.
  var reach: Int64 = 0
  /// Whether all closed transactions end at ``sealed`` or before, so that the work can be
  /// interrupted here.
  var canPause = true
  /// Whether the open transaction can have changes of an earlier statement.
  var isJoined = false
  var open: Open?
  /// The number of the present statement, and the place of its first event.
  var statement: (number: Int64, first: EventPlace?) = (0, nil)
  /// The last captured row, even if nothing happened to the row.
  private var previous: CapturedEvent?
  /// Whether an end after the last proven end is assumed.
  var hasAssumedEnd: Bool
  var last: Int64?

  /// Prepares to write the transactions of a scan.
  ///
  /// `own` is the author of an undo, whose changes become one transaction; nil if other programs
  /// made the changes. `isContinued` says whether an earlier seal was interrupted, so that the last
  /// end may be assumed.
  init(
    _ scan: CapturedScan,
    result: CapturedScan.Result,
    connection: Connection,
    history: any RowHistory,
    own: Author? = nil,
    isContinued: Bool = false,
    pause: (() throws -> Void)? = nil
  ) throws {
    self.scan = scan
    end = result.end
    boundaries = result.boundaries
    order = result.order
    self.connection = connection
    self.history = history
    self.own = own
    self.pause = pause
    captured = CapturedTables(scan.tables, names: scan.names)
    stream = try scan.events(through: result.end)
    touched = try TouchedRows()
    sealed = scan.start
    hasAssumedEnd = isContinued
  }

  /// Ends the reading of captured rows, so that the connection can end its transaction.
  func closeReading() { stream.close() }

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
    try history.finish()
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
        for gap in gaps { try fill(gap, at: place) }
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
}
