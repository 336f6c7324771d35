import Adoption
import SQLite
import Testing

@testable import Changes
@testable import Store

@Suite("The ends of transactions in an adopted file")
struct BoundariesTests {
  /// The boundaries in a file with rows of the bracket table: the clock and an author, or nil for
  /// the end of a bracket.
  private func boundaries(_ rows: [(clock: Int64, author: String?)]) throws -> Boundaries {
    let connection = try Connection(path: ":memory:", mode: .readWriteCreate)
    let names = CaptureNames(prefix: CaptureNames.usualPrefix)
    try connection.execute(
      """
      CREATE TABLE store_catalog (key TEXT PRIMARY KEY, value ANY);
      CREATE TABLE \(names.bracket) (clock INTEGER, time INTEGER, series INTEGER, author TEXT,
        reason TEXT, request TEXT)
      """
    )
    for (clock, author) in rows {
      try connection.execute(
        "INSERT INTO \(names.bracket) VALUES (\(clock), \(clock), \(clock), "
          + (author.map { "'\($0)', 'why', 'r-\(clock)'" } ?? "NULL, NULL, NULL") + ")"
      )
    }
    return try Boundaries(connection, names: names, after: 0)
  }

  private func event(_ clock: Int64, time: Int64 = 0, series: Int64 = 0) -> EventPlace {
    EventPlace(clock: clock, time: time, series: series)
  }

  @Test("A bracket has all events from its beginning through its end, and no others.")
  func brackets() throws {
    let found = try boundaries([(10, "Ann"), (20, nil), (21, "Bob"), (25, nil), (40, "Eve")])
    #expect(found.brackets.map(\.range) == [10...20, 21...25])
    #expect(found.brackets.map(\.author) == ["Ann", "Bob"])
    #expect(found.brackets.map(\.reason) == ["why", "why"])
    #expect(found.brackets.map(\.request) == ["r-10", "r-21"])
    #expect(found.places.map(\.clock) == [10, 20, 21, 25, 40])
    #expect(found.unclosed.map(\.clock) == [40] && found.unclosed.map(\.author) == ["Eve"])
    for clock in 0..<50 as Range<Int64> {
      let expected = (10...20).contains(clock) ? "Ann" : (21...25).contains(clock) ? "Bob" : nil
      #expect(found.bracket(at: clock)?.author == expected, "clock \(clock)")
    }
  }

  @Test("A bracket that begins while another is open leaves the other one unclosed.")
  func unclosed() throws {
    let found = try boundaries([(3, nil), (10, "Ann"), (20, "Bob"), (30, nil), (35, nil)])
    #expect(found.brackets.map(\.range) == [20...30])
    #expect(found.unclosed.map(\.clock) == [10] && found.unclosed.map(\.author) == ["Ann"])
    for first in 0..<15 as Range<Int64> {
      for last in first..<15 {
        let isIn = (first...last).contains(10)
        #expect(found.unclosedAuthor(from: first, through: last) == (isIn ? "Ann" : nil))
      }
    }
    #expect(found.unclosedAuthor(from: 11, through: 100) == nil)
  }

  @Test("A boundary at a bracket is proven, one inside is none, and any other one is assumed.")
  func ends() throws {
    let found = try boundaries([(10, "Ann"), (20, nil), (21, "Bob"), (25, nil), (40, "Eve")])
    for (one, next, expected) in [
      (10, 20, nil), (11, 19, nil), (9, 10, .proven), (20, 21, .proven), (25, 26, .proven),
      (15, 22, .proven), (1, 30, nil), (39, 40, .assumed), (40, 41, nil), (38, 39, nil),
    ] as [(Int64, Int64, Boundaries.End?)] {
      let end = found.end(after: event(one), before: event(next, series: 1))
      #expect(end == expected, "between \(one) and \(next)")
    }
  }

  @Test("A new transaction seems to begin with a count, a time or a pause that does not fit.")
  func pauses() throws {
    let one = event(1, time: 5000, series: 7)
    for (time, series, isOver) in [
      (5000, 8, false), (6000, 8, false), (6001, 8, true), (4999, 8, true), (5000, 7, true),
      (5000, 6, true), (.min, 8, true), (.max, 8, true),
    ] as [(Int64, Int64, Bool)] {
      #expect(one.seemsOver(before: event(2, time: time, series: series)) == isOver)
    }
    let found = try boundaries([])
    #expect(found.end(after: one, before: event(2, time: 6001, series: 8)) == .assumed)
    #expect(found.end(after: one, before: event(2, time: 6000, series: 8)) == nil)
  }
}
