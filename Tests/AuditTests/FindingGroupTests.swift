import Format
import Testing

@testable import Audit

@Suite("Groups of findings")
struct FindingGroupTests {
  private func touch(_ time: String, _ author: String?) -> Touch {
    var transaction = Transaction(id: 1, time: time, schema: "", count: 1)
    transaction.author = author
    return Touch(transaction)
  }

  private func findings(
    _ kind: AuditFinding.Kind,
    zone: String = "UTC",
    _ touches: [Touch?]
  ) throws -> [AuditFinding] {
    var request = AuditRequest()
    request.clock = WallClock(zone: try #require(TimeZoneRules(named: zone)))
    var tally = FindingTally(request)
    for touch in touches { tally.add(kind, value: "v", by: touch, history: 0) }
    return tally.all
  }

  @Test("Many findings are counted by author and by the week of the report's time zone.")
  func groups() throws {
    // A Sunday, which is already a Monday in Berlin, and the Monday after it.
    let (sunday, monday) = ("2024-01-07T23:30:00.000000Z", "2024-01-08T12:00:00.000000Z")
    let touches =
      [Touch](repeating: touch(sunday, "a"), count: 14)
      + [Touch](repeating: touch(monday, "a"), count: 6)
      + [Touch](repeating: touch(monday, nil), count: 10)
    let found = try findings(.foreign, touches)
    let groups = try #require(found.first?.groups)
    #expect(groups.map(\.author) == ["a", nil] && groups.map(\.count) == [20, 10])
    #expect(groups[0].weeks.map(\.day) == ["2024-01-01", "2024-01-08"])
    #expect(groups[0].weeks.map(\.count) == [14, 6])
    let berlin = try findings(.foreign, zone: "Europe/Berlin", touches)
    #expect(berlin.first?.groups?[0].weeks.map(\.day) == ["2024-01-08"])
  }

  @Test("Few findings, damage, and findings some of which have no time are listed one by one.")
  func noGroups() throws {
    let one = touch("2024-01-08T12:00:00.000000Z", "a")
    let many = [Touch?](repeating: one, count: 21)
    #expect(try findings(.bulk, many)[0].groups?.count == 1)
    #expect(try findings(.bulk, Array(many.dropFirst()))[0].groups == nil)
    #expect(try findings(.damage, many)[0].groups == nil)
    #expect(try findings(.bulk, many + [nil])[0].groups == nil)
    #expect(try findings(.bulk, many + [touch("unknown", "a")])[0].groups == nil)
  }

  @Test("A forged history with any number of authors gets no more groups than the limit.")
  func hostile() throws {
    let touches = (0..<5000).map { touch("2024-01-08T12:00:00.000000Z", "author \($0)") }
    #expect(try findings(.bulk, touches)[0].groups == nil)
  }
}
