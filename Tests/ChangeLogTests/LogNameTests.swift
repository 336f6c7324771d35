import Foundation
import Testing

@testable import ChangeLog

@Suite("Names and places of logs")
struct LogNameTests {
  private let one = String(repeating: "0", count: 19) + "1"
  private let last = "04611686018427387903"

  @Test("The name of a log has both ends of its range in twenty digits.")
  func names() {
    let name = LogName(store: "S", lineage: 2, day: "2026-11-23", range: 1...1 << 62 - 1)
    #expect(name.file == "\(one)-\(last).ndjson.gz")
    #expect(name.path == "store=S/lineage=2/date=2026-11-23/\(name.file)")
    #expect(LogName.range(ofFile: name.file) == name.range)
    #expect(LogName.range(ofFile: "\(one)-\(one).ndjson.gz") == 1...1)
  }

  @Test("A name in another form is not the name of a log.")
  func others() {
    let zero = String(repeating: "0", count: 20)
    let over = "04611686018427387904"
    for name in [
      "\(one)-\(one).ndjson", "\(one).ndjson.gz", "\(one)-\(one)-\(one).ndjson.gz",
      "0\(one)-\(one).ndjson.gz", "\(one)-\(one.dropFirst()).ndjson.gz", "\(last)-\(one).ndjson.gz",
      "\(zero)-\(one).ndjson.gz", "\(one)-\(over).ndjson.gz", "\(one.dropLast())x-\(one).ndjson.gz",
      "\(one.dropLast())/-\(one).ndjson.gz", "\(one.dropLast()):-\(one).ndjson.gz", "",
    ] {
      #expect(LogName.range(ofFile: name) == nil, "\(name)")
    }
  }

  @Test("A path names a log folder, or a store, a lineage or a part of one in it.")
  func places() {
    func place(_ path: String) -> [String] {
      let place = LogPlace(path)
      return [
        place.folder.path, place.folder.partial ?? "-", place.store ?? "-",
        place.lineage.map(String.init) ?? "-", place.isPart ? "part" : "whole",
      ]
    }
    #expect(place("/logs") == ["/logs", "-", "-", "-", "whole"])
    #expect(place("/logs/store=S") == ["/logs", "-", "S", "-", "whole"])
    #expect(place("/store=S") == ["/", "-", "S", "-", "whole"])
    #expect(place("store=S") == [".", "-", "S", "-", "whole"])
    #expect(place("/logs/store=S/lineage=3") == ["/logs", "-", "S", "3", "whole"])
    #expect(place("/logs/store=S/lineage=x") == ["/logs", "-", "S", "-", "part"])
    #expect(place("/logs/store=S/lineage=3/date=d") == ["/logs", "-", "S", "3", "part"])
    #expect(place("/logs/store=S/lineage=3/snapshots") == ["/logs", "-", "S", "3", "part"])
    #expect(place("/logs/./store=S") == ["/logs", "-", "S", "-", "whole"])
    #expect(place("/a/../logs/store=S") == ["/logs", "-", "S", "-", "whole"])
    #expect(place("/logs/store=S/other") == ["/logs/store=S/other", "-", "-", "-", "whole"])
    #expect(LogPlace("/logs/store=S/partial=p").folder.partial == "p")
  }
}
