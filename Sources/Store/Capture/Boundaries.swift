import Adoption
import Format
import SQLite

/// Finds the ends of the transactions of an adopted file.
///
/// A boundary is the end of a transaction, given as a number of the clock. A boundary is proven if
/// a bracket begins or ends there, or if the write-ahead log has a commit with this number. All
/// other boundaries are assumed. A bracket in which several connections made changes was not closed
/// by its program.
struct Boundaries {
  /// A transaction that a program marked with a bracket, given as the first and the last number of
  /// the clock.
  struct Bracket {
    let range: ClosedRange<Int64>
    let author: String
    let reason: String?
    let request: String?
  }

  /// The author that a program wrote into the context table, with the number of the clock.
  private struct Mark {
    let place: EventPlace
    let author: String?
    let reason: String?
    let request: String?
  }

  private(set) var brackets: [Bracket] = []
  /// The author of each bracket that was not closed, with the number of the clock at the beginning
  /// of the bracket.
  private(set) var unclosed: [(clock: Int64, author: String)] = []
  /// The beginnings and ends of brackets, in the order of the clock.
  private(set) var places: [EventPlace] = []
  /// The numbers of the clock at the commits in the write-ahead log, in ascending order.
  private var commits: [Int64] = []
  /// The numbers of the clock between which another connection began to write, in ascending order.
  private let changes: [(before: Int64, after: Int64)]

  /// Reads the boundaries after one number of the clock and up to another one.
  init(
    _ connection: Connection,
    names: CaptureNames,
    after start: Int64 = 0,
    through limit: Int64 = .max,
    changesOfConnections changes: [(before: Int64, after: Int64)] = []
  ) throws {
    self.changes = changes
    if try Capture.isCurrent(on: connection) {
      commits = try Self.commits(connection, names: names)
    }
    var open: Mark?
    for mark in try Self.marks(connection, names: names)
    where mark.place.clock > start && mark.place.clock <= limit {
      places.append(mark.place)
      if let begin = open, let author = begin.author {
        let (first, last) = (begin.place.clock, mark.place.clock)
        // A forged row can have any number of the clock, so the range must be checked.
        if mark.author == nil, first <= last, !hasCommit(from: first, before: last),
          areOfOneConnection(begin.place, mark.place)
        {
          brackets.append(
            Bracket(
              range: first...last,
              author: author,
              reason: begin.reason,
              request: begin.request
            )
          )
        } else {
          unclosed.append((first, author))
        }
      }
      open = mark.author == nil ? nil : mark
    }
    if let open, let author = open.author { unclosed.append((open.place.clock, author)) }
  }

  private static func marks(_ connection: Connection, names: CaptureNames) throws -> [Mark] {
    try connection.all(
      "SELECT clock, time, series, author, reason, request FROM \(names.bracket) ORDER BY clock"
    ) { row in
      func text(_ index: Int32) -> String? { row.isNull(at: index) ? nil : row.string(at: index) }
      return Mark(
        place: EventPlace(
          clock: row.int64(at: 0),
          time: row.int64(at: 1),
          series: row.int64(at: 2)
        ),
        author: text(3),
        reason: text(4),
        request: text(5)
      )
    }
  }

  /// Reads the numbers of the clock at the commits that the write-ahead log still contains, and at
  /// the commit before them.
  ///
  /// SQLite empties the log only after it has copied everything into the file. So if the file has
  /// an earlier clock than the log, the file has the clock of the commit before the first one.
  private static func commits(_ connection: Connection, names: CaptureNames) throws -> [Int64] {
    let page = try connection.integer(
      "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = '\(names.context)'"
    )
    guard let page = page.flatMap({ UInt32(exactly: $0) }) else { return [] }
    var commits: [Int64] = []
    try forEachLoggedCommit(of: connection.path, with: page) { page in
      guard let clock = clock(inContextPage: page), commits.last != clock else { return }
      commits.append(clock)
    }
    if let first = commits.first, let size = try connection.integer("PRAGMA page_size"),
      let before = try connection.fileBytes(Int(size), at: (Int64(page) - 1) * size)
        .withUnsafeBytes({ clock(inContextPage: $0) }), before < first
    {
      commits.append(before)
    }
    return commits.sorted()
  }

  /// Whether one connection can have made two marks and all changes between them.
  private func areOfOneConnection(_ begin: EventPlace, _ end: EventPlace) -> Bool {
    if areInOneCommit(begin, end) { return true }
    guard begin.series < end.series else { return false }
    let index = changes.firstIndex(inOrder: { $0.before > begin.clock })
    return index == changes.count || changes[index].after > end.clock
  }

  private func hasCommit(from first: Int64, before last: Int64) -> Bool {
    let index = commits.firstIndex(inOrder: { $0 >= first })
    return index < commits.count && commits[index] < last
  }

  /// Whether two events without a boundary between them are in one commit of the write-ahead log.
  ///
  /// The write-ahead log has all commits after its first one. So the events are in one commit if
  /// the first commit is before them.
  func areInOneCommit(_ event: EventPlace, _ next: EventPlace) -> Bool {
    guard let first = commits.first, first < event.clock else { return false }
    return !hasCommit(from: event.clock, before: next.clock)
  }

  /// The bracket that contains a number of the clock; nil if no bracket does.
  func bracket(at clock: Int64) -> Bracket? {
    let index = brackets.firstIndex(inOrder: { $0.range.upperBound >= clock })
    guard index < brackets.count, brackets[index].range.contains(clock) else { return nil }
    return brackets[index]
  }

  /// The author of a bracket that began between two numbers of the clock and was not closed.
  func unclosedAuthor(from first: Int64, through last: Int64) -> String? {
    let index = unclosed.firstIndex(inOrder: { $0.clock >= first })
    guard index < unclosed.count, unclosed[index].clock <= last else { return nil }
    return unclosed[index].author
  }

  enum End { case proven, assumed }

  /// Whether the boundary between two events is proven or assumed; nil if no transaction ends
  /// there.
  func end(after event: EventPlace, before next: EventPlace) -> End? {
    let (one, other) = (bracket(at: event.clock), bracket(at: next.clock))
    if let one, one.range == other?.range { return nil }
    // A bracket is a whole transaction. So one boundary is before the bracket, and another is after
    // it.
    if one != nil || other != nil { return .proven }
    if hasCommit(from: event.clock, before: next.clock) { return .proven }
    if areInOneCommit(event, next) { return nil }
    let isOpening = unclosedAuthor(from: next.clock, through: next.clock) != nil
    return isOpening || event.seemsOver(before: next) ? .assumed : nil
  }
}

extension Array {
  /// Finds the index of the first element that meets a condition, by binary search.
  ///
  /// If an element meets the condition, all later elements must meet it too. The function returns
  /// the count if no element meets the condition.
  fileprivate func firstIndex(inOrder condition: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
