import Audit
import Foundation
import Pipeline
import PipelineTesting
import ProcessTesting
import Report
import SQLite
import Store
import StoreTesting
import Testing

/// A store in which everything happens that a report speaks of, at times that are the same always.
private func hostileStore(_ folder: URL) throws -> Store {
  let store = try Store.open(
    .file(folder.appendingPathComponent("a \"b\" <i>.store")),
    schema: worldSchema
  )
  let camp = try #require(worldSchema.entities.firstIndex { $0.name == "Camp" })
  func insert(_ writer: Writer, _ id: Int64, _ name: String) throws {
    var values = [Value](repeating: .null, count: writer.layouts[camp].columns.count)
    values[0] = .text(name)
    try writer.insert(camp, id: id, values: values)
  }
  try store.write(Author(name: "app")) { writer in
    for id in 1...30 { try insert(writer, Int64(id), "Camp \(id)") }
  }
  try store.write(Author(name: "<img src=x onerror=alert(1)>")) { writer in
    try writer.update(camp, id: 1, columns: [0], values: [.text("<script>alert(1)</script>")])
    try writer.update(camp, id: 2, columns: [0], values: [.text("\u{202e}' onload='x\" & </td>")])
  }
  try store.write(Author(name: nil)) { try $0.delete(camp, id: 1) }
  return store
}

private func page(_ history: History, _ request: AuditRequest = AuditRequest()) throws -> String {
  var text = ""
  try writePage(summarize(history, request)) { text += $0 }
  return text
}

@Suite("The report")
struct ReportTests {
  @Test("nothing that is in a store can become a part of the page")
  func escaping() throws {
    try withTemporaryFolder { folder in
      let store = try hostileStore(folder)
      let html = try page(History(store.location.path))
      #expect(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
      #expect(html.ranges(of: "<script").count == 1)
      #expect(!html.contains("<img"))
      #expect(!html.contains("onload='"))
      #expect(!html.contains("\u{202e}"))
      #expect(!html.contains("<i>"))
      #expect(!html.contains("http:") && !html.contains("https:"))
      // Every element that is opened is closed.
      for name in ["table", "tr", "td", "th", "section", "details", "ul", "li", "div", "p", "svg"] {
        let opened = html.ranges(of: "<\(name)>").count + html.ranges(of: "<\(name) ").count
        #expect(opened == html.ranges(of: "</\(name)>").count, "\(name)")
      }
    }
  }

  @Test("the page and the JSON say the same, and every deletion is there with its tombstone")
  func content() throws {
    try withTemporaryFolder { folder in
      let store = try hostileStore(folder)
      var request = AuditRequest()
      request.bulk = 20
      let audit = try summarize(History(store.location.path), request)
      #expect(audit.transactions == 3)
      #expect(audit.counts.inserted == 30)
      #expect(audit.counts.deleted == 1)
      #expect(audit.deletions.map(\.difference.label) == ["<script>alert(1)</script>"])
      #expect(audit.integrity.isSound)
      #expect(audit.integrity.head == 3)
      let digest = try store.read { try $0.point(3).digest.description }
      #expect(audit.integrity.headDigest == digest)
      let bulk = try #require(audit.findings.first { $0.kind == .bulk })
      #expect(bulk.transactions == [1])
      #expect(audit.authors.count == 3)
      #expect(audit.busiest.first?.object == FoundObject(entity: "Camp", id: 1))
      var bytes: [UInt8] = []
      try writeReport(audit) { bytes += $0 }
      let json = try #require(
        JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
      )
      #expect(json["transactions"] as? Int == 3)
      #expect((json["list"] as? [Any])?.count == 3)
      #expect((json["findings"] as? [[String: Any]])?.first?["finding"] as? String == "bulk")
    }
  }

  @Test(
    "a log whose trailer is not that of its lines is a finding, however its transactions were reached",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/gzip"))
  )
  func trailer() throws {
    try withTemporaryFolder { folder in
      let world = try LongLog(folder)
      let sound = try summarize(History(world.log.path), AuditRequest())
      #expect(sound.integrity.isSound && sound.findings.allSatisfy { $0.kind != .damage })
      // The last member is written anew, with one digit of the file's digest changed.
      let members = try String(contentsOf: world.members, encoding: .utf8)
      let offset = try #require(try world.offsets().last)
      let bytes = try Data(contentsOf: world.log)
      let tail = folder.appendingPathComponent("tail")
      let compressed = folder.appendingPathComponent("tail.gz")
      func gzip(_ arguments: [String]) throws {
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/gzip")
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
      }
      try bytes[offset...].write(to: compressed)
      try gzip(["-d", compressed.path])
      var text = try String(contentsOf: tail, encoding: .utf8)
      let digit = text.index(text.endIndex, offsetBy: -5)
      text.replaceSubrange(digit...digit, with: text[digit] == "0" ? "1" : "0")
      try text.write(to: tail, atomically: false, encoding: .utf8)
      try gzip(["-n", tail.path])
      let altered = try bytes[..<offset] + Data(contentsOf: compressed)
      try altered.write(to: world.log)
      try members.replacingOccurrences(
        of: "\"size\":\(bytes.count)}",
        with: "\"size\":\(altered.count)}"
      )
      .write(to: world.members, atomically: false, encoding: .utf8)
      let audit = try summarize(History(world.log.path), AuditRequest())
      #expect(!audit.integrity.isSound)
      #expect(audit.findings.contains { $0.kind == .damage })
      #expect(audit.transactions == 200)
    }
  }

  @Test("a row that was altered by hand is a finding, with its transaction")
  func damage() throws {
    try withTemporaryFolder { folder in
      let store = try hostileStore(folder)
      try runSQL(
        "UPDATE history_transaction SET author = 'somebody' WHERE id = 2",
        on: store.location.path
      )
      let audit = try summarize(History(store.location.path), AuditRequest())
      #expect(!audit.integrity.isSound)
      #expect(audit.findings.first { $0.kind == .damage }?.transactions == [2])
    }
  }

  @Test("what is more than a page can hold is summarised, and said to be")
  func summarized() throws {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "summarized"))
      world.hasLargeValues = false
      let store = try Store.open(
        .file(folder.appendingPathComponent("a.store")),
        schema: worldSchema
      )
      for _ in 0..<30 { try world.write(to: store) }
      var request = AuditRequest()
      request.limit = 5
      let history = try History(store.location.path)
      let audit = try summarize(history, request)
      #expect(audit.entries.count == 5)
      #expect(audit.entries.first?.summary.transaction.id == history.last)
      #expect(audit.transactions == history.last)
      #expect(try page(history, request).contains("more than a page can hold"))
    }
  }

  @Test("hours are those of the clock on the wall, with its summer time")
  func clock() throws {
    let zone = try #require(TimeZoneRules(named: "Europe/Berlin"))
    let clock = WallClock(zone: zone, officeHours: 8..<18)
    #expect(clock.text("2026-03-29T00:59:59.000000Z") == "2026-03-29 01:59:59")
    #expect(clock.text("2026-03-29T01:00:00.000000Z") == "2026-03-29 03:00:00")
    // A Monday, before eight and after.
    #expect(clock.isOutsideOfficeHours("2026-11-02T06:59:59.999999Z"))
    #expect(!clock.isOutsideOfficeHours("2026-11-02T07:00:00.000000Z"))
    #expect(clock.isOutsideOfficeHours("2026-11-02T17:00:00.000000Z"))
    #expect(clock.isOutsideOfficeHours("2026-10-31T12:00:00.000000Z"))
    #expect(WallClock().text("1969-12-31T23:59:59.000000Z") == "1969-12-31 23:59:59")
    #expect(WallClock().text("2024-02-29T12:00:00.000000Z") == "2024-02-29 12:00:00")
  }
}

private func runSQL(_ sql: String, on path: String) throws {
  try Connection(path: path, mode: .readWrite).execute(sql)
}
