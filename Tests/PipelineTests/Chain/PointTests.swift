import Testing

@testable import Pipeline

@Suite("Points in history")
struct PointTests {
  @Test(
    "A point is an id, a day, an instant or the head.",
    arguments: [
      ("head", "head"), ("0", "0"), ("412", "412"), ("2026-11-03", "2026-11-03T00:00:00.000000Z"),
      ("2026-11-03T08:00Z", "2026-11-03T08:00:00.000000Z"),
      ("2026-11-03T08:00:07Z", "2026-11-03T08:00:07.000000Z"),
      ("2026-11-03 17:00+09:00", "2026-11-03T08:00:00.000000Z"),
    ]
  )
  func read(text: String, description: String) {
    #expect(Point(text)?.description == description)
  }

  @Test(
    "A text in any other form is not a point.",
    arguments: [
      "", "Head", "-1", "1.5", "2026-11", "2026-02-30", "2026-13-01",
      "2026-11-03T08", "2026-11-03T08:00", "2026-11-03T08.00Z",
      "2026-11-03T08:75Z", "2026-11-03T08:59:60Z",
      "2026-11-03T8:000:00Z", "2026-11-03T008:0:00Z", "yesterday",
    ]
  )
  func refused(_ text: String) {
    #expect(Point(text) == nil)
  }
}
