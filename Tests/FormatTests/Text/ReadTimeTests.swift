import Foundation
import Testing

@testable import Format

@Suite("Times that people write")
struct ReadTimeTests {
  @Test("A time has a zone, and can lack its seconds; a day begins at midnight UTC.")
  func accepted() {
    let times: [String: Double] = [
      "1970-01-02": 86_400, "1970-01-01T00:01Z": 60, "1970-01-01T00:00:01Z": 1,
      "1970-01-01 00:00:01.500Z": 1.5, "1970-01-01T09:00+09:00": 0, "1970-01-01T09:00:07+0900": 7,
      "1970-01-01 00:00-01": 3600, "1970-01-01T05:45:00.25+05:45": 0.25,
    ]
    for (text, seconds) in times {
      #expect(readTime(text)?.timeIntervalSince1970 == seconds, "\(text)")
    }
  }

  @Test("A day, a time or a zone that does not exist is refused, with any zone.")
  func refused() {
    for text in [
      "", "today", "1 week", "2026-3-1", "2026-02-30", "2026-02-30T08:00+01:00",
      "2026-03-01T25:00Z", "2026-03-01T08:75Z", "2026-03-01T08:59:60+01:00",
      "2026-03-01T8:000:00Z", "2026-03-01x08:00Z", "2026-03-01T08:00+24:00",
      "2026-03-01T08:00+01:60", "2026-03-01T08:00+1", "2026-03-01T08:00+01:",
      "2026-03-01T08:00Z+01:00", "2026-03-01T08:00+-1:00", "2026-03-01Z",
    ] {
      #expect(readTime(text) == nil, "\(text)")
    }
  }

  @Test("The hint for a time without a zone has times that are accepted.")
  func hint() throws {
    for text in ["2026-03-01T08:00", "2026-03-01 08:00:07"] {
      #expect(readTime(text) == nil)
      let hint = try #require(hintOfZone(text))
      for zone in ["Z", "+01:00"] {
        #expect(hint.contains(text + zone) && readTime(text + zone) != nil)
      }
    }
    for text in ["yesterday", "2026-03-01", "2026-03-01T08:00Z"] {
      #expect(hintOfZone(text) == nil)
    }
  }
}
