import Audit
import ChangeLog
import Format
import Foundation
import Pipeline
import PipelineTesting
import ProcessTesting
import Report
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

private func report(
  _ name: String,
  _ request: AuditRequest = AuditRequest()
) throws -> AuditReport {
  try summarize(History.all(name), of: name, request: request)
}

private func page(_ name: String, _ request: AuditRequest = AuditRequest()) throws -> String {
  var bytes: [UInt8] = []
  try ReportPage(History.all(name), of: name, request: request).write { bytes += $0 }
  #expect(bytes.count <= ReportPage.limit)
  return String(decoding: bytes, as: UTF8.self)
}

/// The objects that a history changes; those that are only in a snapshot are not included.
private func changedObjects(in history: History) throws -> Set<String> {
  var changed: Set<String> = []
  var open: Set<String> = []
  try history.source.read(
    #require(history.range),
    wants: { _ in true },
    change: { change, _ in
      open.insert("\(String(decoding: change.entity, as: UTF8.self)) \(change.id)")
    },
    transaction: { transaction in
      if transaction.operation != .snapshot { changed.formUnion(open) }
      open = []
    }
  )
  return changed
}

extension AuditReport {
  fileprivate func finding(_ kind: AuditFinding.Kind) -> AuditFinding? {
    findings.first { $0.finding == kind }
  }

  fileprivate var isSound: Bool {
    histories.allSatisfy { ["sound", "proven"].contains($0.verdict) }
  }
}

@Suite("Reports")
struct ReportTests {
  @Test("Nothing in a store can become a part of the page's code.")
  func escaping() throws {
    try withTemporaryFolder { folder in
      let store = try hostileStore(folder)
      let html = try page(store.location.path)
      #expect(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
      // The report, the names, the script, and one block of transactions.
      #expect(html.ranges(of: "<script").count == 4)
      #expect(html.ranges(of: "<script>").count == 1)
      #expect(!html.contains("<img"))
      #expect(!html.contains("onload='"))
      #expect(!html.contains("\u{202e}"))
      #expect(!html.contains("<i>"))
      #expect(!html.contains("https:"))
      // Every opened element is closed.
      let plain = try #require(html.firstRange(of: "<div id=\"plain\">"))
      let end = try #require(html.firstRange(of: "</main>"))
      let markup = html[plain.lowerBound..<end.lowerBound]
      for name in ["table", "tr", "td", "th", "ul", "li", "div", "p", "h2", "h3", "code"] {
        let opened = markup.ranges(of: "<\(name)>").count + markup.ranges(of: "<\(name) ").count
        #expect(opened == markup.ranges(of: "</\(name)>").count, "\(name)")
      }
    }
  }

  @Test("The report has the counts, the head, and the findings of the history.")
  func content() throws {
    try withTemporaryFolder { folder in
      let store = try hostileStore(folder)
      var request = AuditRequest()
      request.bulk = 20
      let histories = try History.all(store.location.path)
      let report = try summarize(histories, of: store.location.path, request: request)
      #expect(report.transactions == 3)
      #expect(report.changes.inserted == 30)
      #expect(report.changes.deleted == 1)
      #expect(report.objects == 30 && !report.isObjectsEstimated)
      #expect(report.isSound)
      #expect(report.histories.map(\.head) == [3])
      let digest = try store.read { try $0.point(3).digest.description }
      #expect(report.histories.map(\.digest) == [digest])
      let bulk = try #require(report.finding(.bulk))
      #expect(bulk.items.map(\.transaction) == [1])
      #expect(bulk.items.first?.value == "30 changes: 30 Camp")
      #expect(report.authors.entries.count == 3)
      #expect(report.mostChanged.first?.id == "1")
      #expect(report.mostChanged.first?.name == "<script>alert(1)</script>")
      var bytes: [UInt8] = []
      try writeReport(report, of: histories, request: request) { bytes += $0 }
      let json = try #require(
        JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
      )
      #expect(json["transactions"] as? Int == 3)
      #expect((json["list"] as? [Any])?.count == 3)
      #expect((json["findings"] as? [[String: Any]])?.first?["finding"] as? String == "bulk")
    }
  }

  @Test("Every check is listed with its result, also if it found nothing or was not made.")
  func checks() throws {
    try withTemporaryFolder { folder in
      let store = try hostileStore(folder)
      var request = AuditRequest()
      request.bulk = 20
      let checks = try report(store.location.path, request).checks
      #expect(checks.map(\.finding) == AuditFinding.Kind.allCases)
      #expect(checks.first { $0.finding == .outsideOfficeHours }?.state == .unchecked)
      #expect(checks.first { $0.finding == .bulk }?.state == .found)
      #expect(checks.first { $0.finding == .damage }?.state == .clear)
    }
  }

  @Test(
    "A log whose trailer does not match its lines is a finding, however its lines are read.",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/gzip"))
  )
  func trailer() throws {
    try withTemporaryFolder { folder in
      let world = try LongLog(folder)
      let sound = try report(world.log.path)
      #expect(sound.isSound && sound.finding(.damage) == nil)
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
      let changed = try bytes[..<offset] + Data(contentsOf: compressed)
      try changed.write(to: world.log)
      try members.replacingOccurrences(
        of: "\"size\":\(bytes.count)}",
        with: "\"size\":\(changed.count)}"
      )
      .write(to: world.members, atomically: false, encoding: .utf8)
      let altered = try report(world.log.path)
      #expect(!altered.isSound)
      #expect(altered.finding(.damage) != nil)
      #expect(altered.transactions == 200)
      #expect(try page(world.log.path).contains("Something was altered or damaged"))
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
      let report = try report(store.location.path)
      #expect(!report.isSound)
      #expect(report.finding(.damage)?.items.map(\.transaction) == [2])
    }
  }

  @Test("A report of a log folder has all its lineages, and counts snapshots separately.")
  func lineages() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "report of lineages", writes: 7)
      // The store is restored twice from an older copy that was written before the recovery.
      var path = world.path
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
      let report = try report(world.logs.path)
      #expect(report.finding(.clockBack) == nil)
      let verified = try verify(VerifyRequest(logs: world.logs))
      #expect(report.histories.map(\.lineage) == verified.map(\.lineage))
      #expect(report.histories.count == 3)
      for (entry, verification) in zip(report.histories, verified) {
        #expect(entry.changes.all == verification.changes)
        #expect(entry.transactions == verification.transactions)
        #expect(entry.snapshotObjects == verification.snapshotObjects)
        #expect(entry.digest == verification.to.digest.description)
        // A command can read the source of each.
        let history = try History(entry.source)
        #expect(history.outline.lineage == entry.lineage)
        for by in TimelineGrouping.allCases {
          let groups = try groupTimeline(of: history, by: by, filter: AuditFilter())
          #expect(groups.reduce(0) { $0 + $1.counts.all } == verification.changes)
          #expect(groups.reduce(0) { $0 + $1.transactions } == verification.transactions)
          #expect(groups.reduce(0) { $0 + $1.snapshotObjects } == verification.snapshotObjects)
        }
      }
      #expect(report.snapshotObjects > 0)
      let changed = try report.histories.map { try changedObjects(in: History($0.source)).count }
      #expect(report.objects == Int64(changed.reduce(0, +)))
      #expect(report.changes.all == verified.reduce(0) { $0 + $1.changes })
      #expect(report.firstTime ?? "" <= report.lastTime ?? "")
      _ = try page(world.logs.path)
    }
  }

  @Test("Filtered logs, a log, a folder and a store give the same counts.")
  func sources() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "report of sources", writes: 10)
      let store = try report(world.path)
      let logs = try report(world.logs.path)
      #expect(store.changes == logs.changes)
      #expect(store.transactions == logs.transactions)
      #expect(store.objects == logs.objects)
      #expect(store.days.map(\.day) == logs.days.map(\.day))
      #expect(store.days.map(\.hours) == logs.days.map(\.hours))
      #expect(store.mostChanged.map(\.name) == logs.mostChanged.map(\.name))
      // The title names what the user knows: the file, or the folder and its entities.
      #expect(store.title == "source.store")
      let most = logs.entities.entries.prefix(3).compactMap(\.name).joined(separator: ", ")
      #expect(logs.title.hasPrefix("logs: \(most)"))
      #expect(logs.inputs.count == 2)
      #expect(logs.inputs.allSatisfy { $0.sha256?.count == 64 && $0.size > 0 })
      #expect(store.inputs.map(\.sha256) == [nil])
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
        (logs.path, "that remain in \(count) transactions after an erasure"),
        (store.location.path, "except that \(count) transactions with erased values"),
      ] {
        let report = try report(name)
        let entry = try #require(report.histories.first)
        #expect(report.isSound)
        #expect(entry.erased == count)
        let text = entry.statements.joined(separator: " ")
        #expect(text.contains(words), "\(text)")
        #expect(!text.contains("\(entry.head) are unaltered."), "\(text)")
        #expect(!text.contains("lineage 0 are unaltered"), "\(text)")
      }
    }
  }

  @Test("The first transaction of a pruned store is verified, and found if it was altered.")
  func pruned() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "report of a pruned store", writes: 24)
      try world.source.deleteHistory([1...9])
      let path = world.path
      let outline = try History(path).outline
      #expect(outline.base >= 9)
      let pruned = try report(path)
      #expect(pruned.isSound)
      let words = "transactions \(outline.base + 1) to \(outline.head) are unaltered."
      let statements = pruned.histories[0].statements
      #expect(statements.first?.hasSuffix(words) == true, "\(statements)")
      let first = outline.base + 1
      try runSQL("UPDATE history_transaction SET author = 'x' WHERE id = \(first)", on: path)
      let altered = try report(path)
      #expect(altered.finding(.damage)?.items.map(\.transaction) == [first])
    }
  }

  @Test("Days have the changes of each hour and author, in local time.")
  func days() throws {
    try withTemporaryFolder { folder in
      let store = try hostileStore(folder)
      for (id, time) in [(1, "2024-02-01T23:30"), (2, "2024-02-29T12:00"), (3, "2026-11-22T01:00")]
      {
        let set = "UPDATE history_transaction SET time = '\(time):00.000000Z'"
        try runSQL(set + " WHERE id = \(id)", on: store.location.path)
      }
      var request = AuditRequest()
      request.clock = WallClock(zone: try #require(TimeZoneRules(named: "Europe/Berlin")))
      let days = try report(store.location.path, request).days
      #expect(days.map(\.day) == ["2024-02-02", "2024-02-29", "2026-11-22"])
      #expect(days.map(\.changes.all) == [30, 2, 1])
      #expect(days[0].hours[0] == 30 && days[1].hours[13] == 2 && days[2].hours[2] == 1)
      // Three authors and the others.
      #expect(days.map(\.authors) == [[30, 0, 0, 0], [0, 2, 0, 0], [0, 0, 1, 0]])
    }
  }

  @Test("Names after the first twenty are merged, and a hostile number of names is bounded.")
  func names() throws {
    var one = ChangeCounts()
    one.count(.insert)
    var tally = NameTally()
    for number in 0..<5000 {
      for _ in 0...(number < 20 ? 1 : 0) { tally.add("author \(number)", changes: one) }
    }
    let ranking = tally.ranking
    #expect(ranking.entries.count == 20)
    #expect(ranking.entries.allSatisfy { $0.changes.all == 2 })
    #expect(ranking.others?.changes.all == 4980)
    #expect(ranking.isMinimum)
    var few = NameTally()
    few.add(nil, changes: one)
    #expect(few.ranking.others == nil && few.ranking.entries.map(\.name) == [nil])
  }

  @Test("A list of a report ends where its limit is, and a page has the newest transactions.")
  func bounded() throws {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "summarized"))
      world.hasLargeValues = false
      let store = try Store.open(
        .file(folder.appendingPathComponent("a.store")),
        schema: worldSchema
      )
      for _ in 0..<30 { try world.write(to: store) }
      let histories = try History.all(store.location.path)
      let report = try summarize(histories, of: "a.store", request: AuditRequest())
      var bytes: [UInt8] = []
      try writeReport(report, of: histories, request: AuditRequest(), limit: 5) { bytes += $0 }
      let json = try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
      let list = try #require(json["list"] as? [[String: Any]])
      #expect(list.count == 5)
      #expect(list.first?["transaction"] as? Int64 == histories[0].last)
      #expect(report.transactions == histories[0].last)
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
