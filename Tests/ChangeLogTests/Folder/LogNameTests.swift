import Foundation
import TestSupport
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
      "+\(one.dropFirst())-\(one).ndjson.gz", "\(one)-+\(one.dropFirst()).ndjson.gz",
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

  @Test("A relative path that begins inside a store's folder is completed by the working folder.")
  func relativePlace() async {
    // The working folder is one of the whole process.
    await #expect(processExitsWith: .success) {
      try withTemporaryFolder { folder in
        let path = folder.path + "/store=S"
        try makeFolders(path)
        try #require(FileManager.default.changeCurrentDirectoryPath(path))
        for name in ["lineage=3", "./lineage=3", "../store=S/lineage=3"] {
          let place = LogPlace(name)
          try #require(place.store == "S" && place.lineage == 3 && !place.isPart, "\(name)")
          try #require(place.folder.path.hasSuffix(folder.lastPathComponent))
        }
        for name in ["date=2026-11-23", "snapshots"] {
          try #require(LogPlace(name).store == "S" && LogPlace(name).isPart, "\(name)")
        }
        try #require(LogPlace("partial=p").folder.partial == "p")
        let other = LogPlace("other")
        try #require(other.store == nil && other.folder.path == "other")
      }
    }
  }

  @Test("A path that names a lineage and a part of it is a part, in any order.")
  func parts() {
    for path in ["/l/store=S/date=d/lineage=3", "/l/store=S/snapshots/lineage=3"] {
      #expect(LogPlace(path).isPart && LogPlace(path).lineage == 3, "\(path)")
    }
    #expect(LogPlace("/l/store=S/lineage=x/lineage=3").isPart)
    #expect(!LogPlace("/l/store=S/partial=p/lineage=3").isPart)
    #expect(LogPlace("/l/store=S/store=T").store == "T")
  }
}
