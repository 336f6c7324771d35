import Audit
import ChangeLog
import Changes
import Foundation
import Pipeline
import PipelineTesting
import ProcessTesting
import Report
import SQLite
import Store
import StoreTesting
import TestSupport
import Testing

/// A store with everything that a report shows, at fixed times.
private func hostileStore(_ folder: URL) throws -> Store {
  let store = try Store.open(
    .file(folder.appendingPathComponent("a \"b\" <i>.store")),
    schema: worldSchema
  )
  let camp = try #require(worldSchema.index(of: "Camp"))
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
  try writePage(summarize(history, request: request)) { text += $0 }
  return text
}

@Suite("Reports")
struct ReportTests {
  @Test("Nothing in a store can become a part of the page's code.")
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
      // Every opened element is closed.
      for name in ["table", "tr", "td", "th", "section", "details", "ul", "li", "div", "p", "svg"] {
        let opened = html.ranges(of: "<\(name)>").count + html.ranges(of: "<\(name) ").count
        #expect(opened == html.ranges(of: "</\(name)>").count, "\(name)")
      }
    }
  }

  @Test("The page and the JSON have the same content, with every deletion and its tombstone.")
  func content() throws {
    try withTemporaryFolder { folder in
      let store = try hostileStore(folder)
      var request = AuditRequest()
      request.bulk = 20
      let audit = try summarize(History(store.location.path), request: request)
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
      #expect(audit.busiest.first?.object == ObjectName("Camp", id: 1))
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
    "A log whose trailer does not match its lines is a finding, however its lines are read.",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/gzip"))
  )
  func trailer() throws {
    try withTemporaryFolder { folder in
      let world = try LongLog(folder)
      let sound = try summarize(History(world.log.path), request: AuditRequest())
      #expect(sound.integrity.isSound && sound.findings.allSatisfy { $0.kind != .damage })
      // Rewrites the last member with one digit of the file's digest changed.
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
      let audit = try summarize(History(world.log.path), request: AuditRequest())
      #expect(!audit.integrity.isSound)
      #expect(audit.findings.contains { $0.kind == .damage })
      #expect(audit.transactions == 200)
    }
  }

  @Test("A row that was altered by hand is a finding that names its transaction.")
  func damage() throws {
    try withTemporaryFolder { folder in
      let store = try hostileStore(folder)
      try runSQL(
        "UPDATE history_transaction SET author = 'somebody' WHERE id = 2",
        on: store.location.path
      )
      let audit = try summarize(History(store.location.path), request: AuditRequest())
      #expect(!audit.integrity.isSound)
      #expect(audit.findings.first { $0.kind == .damage }?.transactions == [2])
    }
  }

  @Test("A report names the lineages that it does not show, and counts snapshots separately.")
  func lineages() throws {
    try withTemporaryFolder { folder in
      var world = try AuditedWorld(folder, "report of lineages", writes: 7)
      // The store is restored twice from an older copy that was written before the recovery.
      var path = world.store.location.path
      for number in 1...2 {
        let copy = folder.appendingPathComponent("copy \(number).store")
        let store = try Store.open(.file(URL(fileURLWithPath: path)))
        try store.copy(to: copy)
        let older = world.history
        for _ in 0..<4 { try world.history.write(to: store) }
        _ = try export(ExportRequest(store: path, logs: world.logs))
        world.history = older
        let restored = try Store.open(.file(copy))
        for _ in 0..<6 { try world.history.write(to: restored) }
        path = copy.path
        _ = try recover(RecoverRequest(store: path, logs: world.logs))
      }
      var request = AuditRequest()
      request.bulk = 1000
      let history = try History(world.logs.path)
      let audit = try summarize(history, request: request)
      #expect(audit.findings.allSatisfy { $0.kind != .clockBack })
      let verified = try #require(try verify(VerifyRequest(logs: world.logs)).last)
      #expect(audit.counts.all == verified.changes)
      #expect(audit.transactions == verified.transactions)
      #expect(audit.snapshotObjects == verified.snapshotObjects && audit.snapshotObjects > 0)
      #expect(audit.firstTime <= audit.lastTime)
      for by in TimelineGrouping.allCases {
        let groups = try groupTimeline(of: history, by: by, filter: AuditFilter())
        #expect(groups.reduce(0) { $0 + $1.counts.all } == verified.changes)
        #expect(groups.reduce(0) { $0 + $1.transactions } == verified.transactions)
        #expect(groups.reduce(0) { $0 + $1.snapshotObjects } == verified.snapshotObjects)
        #expect(rows(of: groups, by: by).first?.contains("in snapshots") == true)
      }
      let html = try page(history, request)
      var bytes: [UInt8] = []
      try writeReport(audit) { bytes += $0 }
      let json = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
      let others = try #require(json["other_lineages"] as? [[String: Any]])
      #expect(others.map { $0["lineage"] as? Int } == [0, 1])
      for other in others {
        let source = try #require(other["source"] as? String)
        #expect(html.contains("travelog report \(source) --output"))
        #expect(try History(source).outline.lineage == other["lineage"] as? Int64)
      }
    }
  }

  @Test("Transactions whose values were erased are not reported as unchanged.")
  func erased() throws {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "report of erasures"))
      world.hasLargeValues = false
      let store = try Store.open(
        .file(folder.appendingPathComponent("a.store")),
        schema: worldSchema,
        options: Options(historyMode: .tombstones)
      )
      for _ in 0..<30 { try world.write(to: store) }
      let logs = LogFolder(folder.path + "/logs")
      try logs.create()
      _ = try export(ExportRequest(store: store.location.path, logs: logs))
      let count = try #require(try verify(VerifyRequest(logs: logs)).first?.erased)
      #expect(count > 1)
      for (name, words) in [
        (logs.path, "the values of \(count) transactions erased"),
        (store.location.path, "are unaltered, except \(count) with erased values"),
      ] {
        let integrity = try summarize(History(name), request: AuditRequest()).integrity
        #expect(integrity.isSound)
        let text = integrity.statements.joined(separator: " ")
        #expect(text.contains(words), "\(text)")
        #expect(!text.contains("\(integrity.head) are unaltered."), "\(text)")
        #expect(!text.contains("lineage 0 are unaltered"), "\(text)")
      }
    }
  }

  @Test("The first transaction of a pruned store is verified, and found if it was altered.")
  func pruned() throws {
    try withTemporaryFolder { folder in
      let world = try AuditedWorld(folder, "report of a pruned store")
      try world.store.deleteHistory([1...9])
      let path = world.store.location.path
      let outline = try History(path).outline
      #expect(outline.base >= 9)
      let integrity = try summarize(History(path), request: AuditRequest()).integrity
      #expect(integrity.isSound)
      let words = "transactions \(outline.base + 1) to \(outline.head) are unaltered."
      #expect(integrity.statements.first?.hasSuffix(words) == true, "\(integrity.statements)")
      let first = outline.base + 1
      try runSQL("UPDATE history_transaction SET author = 'x' WHERE id = \(first)", on: path)
      let altered = try summarize(History(path), request: AuditRequest())
      #expect(altered.findings.first { $0.kind == .damage }?.transactions == [first])
    }
  }

  @Test("The time axis includes months without transactions.")
  func timeAxis() throws {
    try withTemporaryFolder { folder in
      let store = try hostileStore(folder)
      for (id, day) in [(1, "2024-02-01"), (2, "2024-02-29"), (3, "2026-11-22")] {
        let set = "UPDATE history_transaction SET time = '\(day)T12:00:00.000000Z'"
        try runSQL(set + " WHERE id = \(id)", on: store.location.path)
      }
      let audit = try summarize(History(store.location.path), request: AuditRequest())
      let periods = audit.periods(atMost: 60)
      #expect(periods.count == 57)
      #expect(periods.reduce(0) { $0 + $1.changes } == audit.counts.all)
      #expect(periods.first?.from == "2024-02-01" && periods.last?.to == "2026-11-22")
      #expect(periods.map { $0.changes > 0 } == (0..<57).map { [0, 1, 56].contains($0) })
      #expect(audit.periods(atMost: 2000).count == 1026)
      #expect(
        audit.periods(atMost: 2000)[28] == Period(from: "2024-02-29", to: "2024-02-29", changes: 2)
      )
    }
  }

  @Test("Content that does not fit on a page is summarised, and the page says so.")
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
      let audit = try summarize(history, request: request)
      #expect(audit.entries.count == 5)
      #expect(audit.entries.first?.summary.transaction.id == history.last)
      #expect(audit.transactions == history.last)
      #expect(try page(history, request).contains("more than a page can hold"))
    }
  }

  @Test("Hours are local time, with daylight-saving time.")
  func clock() throws {
    let zone = try #require(TimeZoneRules(named: "Europe/Berlin"))
    let clock = WallClock(zone: zone, officeHours: 8..<18)
    #expect(clock.text("2026-03-29T00:59:59.000000Z") == "2026-03-29 01:59:59")
    #expect(clock.text("2026-03-29T01:00:00.000000Z") == "2026-03-29 03:00:00")
    // A Monday, before and after eight.
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
