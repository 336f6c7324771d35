import Audit
import ChangeLog
import Format
import Foundation
import Pipeline
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Filters of an audit")
struct AuditFilterTests {
  private func filter(_ reason: String?, _ request: String? = nil) -> AuditFilter {
    var filter = AuditFilter()
    filter.reason = reason
    filter.request = request
    return filter
  }

  /// The ids of the transactions that a timeline has, with the ids of their changed objects.
  private func timeline(_ history: History, _ filter: AuditFilter) throws -> [String] {
    var bytes: [UInt8] = []
    let form = TimelineForm(
      head: { Array("\n\($0.transaction.id)".utf8) },
      change: { difference, _ in Array(" \(difference.id)".utf8) }
    )
    try writeTimeline(of: history, filter: filter, form: form) { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The same list, computed by a naive reader of the lines.
  private func naive(_ world: World, _ filter: AuditFilter) throws -> [String] {
    var result: [String] = []
    var changes = ""
    for line in try world.parsedLines() {
      if line["kind"] as? String == "change" {
        changes += " \(line["id"] ?? "")"
        continue
      }
      let (reason, request) = (line["reason"] as? String ?? "", line["request"] as? String ?? "")
      if filter.reason ?? reason == reason, filter.request ?? request == request {
        result.append("\(line["txn"] ?? 0)\(changes)")
      }
      changes = ""
    }
    return result.reversed()
  }

  @Test("A reason and a request select the same transactions in a store and in its logs.")
  func timelines() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "filters by reason", writes: 40)
      var found = 0
      for filter in [
        filter("ticket 7"), filter("two\n\"lines\"\u{1}"), filter("ticket 7", "POST /pay"),
        filter(nil, "é"), filter(""), filter("", ""), filter("nothing"),
      ] {
        let expected = try naive(world, filter)
        for history in try world.histories() {
          #expect(try timeline(history, filter) == expected)
          let groups = try groupTimeline(of: history, by: .day, filter: filter)
          #expect(groups.reduce(0) { $0 + $1.transactions } == Int64(expected.count))
          #expect(
            groups.reduce(0) { $0 + $1.counts.all }
              == Int64(expected.reduce(0) { $0 + $1.split(separator: " ").count - 1 })
          )
        }
        found += expected.count
      }
      #expect(found > 40)
    }
  }

  @Test("A report by reason counts only the objects of the selected transactions.")
  func summaries() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "reports by reason", writes: 40)
      for reason in ["ticket 7", "", "nothing"] {
        var request = AuditRequest()
        request.filter.reason = reason
        let expected = try naive(world, request.filter)
        for history in try world.histories() {
          let report = try summarize([history], of: history.name, request: request)
          #expect(report.transactions == Int64(expected.count))
          // The naive reader has only the ids of objects.
          let ids = Set(expected.flatMap { $0.split(separator: " ").dropFirst() })
          #expect(report.objects >= Int64(ids.count) && (report.objects == 0) == ids.isEmpty)
          let changes = report.mostChanged.reduce(0) { $0 + $1.changes }
          #expect(changes <= report.changes.all)
          #expect(Set(report.mostChanged.map { Substring($0.id) }).isSubset(of: ids))
        }
        let reports = try world.histories().map {
          try summarize([$0], of: $0.name, request: request)
        }
        #expect(reports[0].objects == reports[1].objects)
        #expect(
          reports[0].mostChanged.map { "\($0.entity) \($0.id) \($0.changes)" }
            == reports[1].mostChanged.map { "\($0.entity) \($0.id) \($0.changes)" }
        )
      }
    }
  }

  @Test("Blame shows and selects the reason and the request of the transaction that set a value.")
  func blames() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("a.store")
      let store = try Store.open(.file(url), schema: worldSchema)
      let guest = try #require(worldSchema.index(of: "Guest"))
      let long = String(repeating: "x", count: 1 << 20)
      try store.write(Author(name: "app", reason: "new", request: long)) { writer in
        let values = writer.layouts[guest].columns.map { _ in Value.null }
        try writer.insert(guest, id: 1, values: values)
      }
      try store.write(Author(name: "app", reason: "a\nb")) {
        try $0.update(guest, id: 1, columns: [5], values: [.text("Ann")])
      }
      let logs = LogFolder(folder.path + "/logs")
      try logs.create()
      _ = try export(ExportRequest(store: url.path, logs: logs))
      for source in [url.path, logs.path] {
        let history = try History(source)
        let result = try blame(history, entity: "Guest", id: 1)
        #expect(result.inserted?.reason == "new" && result.inserted?.request == long)
        #expect(result.lines.first { $0.name == "note" }?.touch?.reason == "a\nb")
        let selected = try blame(history, entity: "Guest", id: 1, filter: filter("a\nb"))
        #expect(selected.lines.map(\.name) == ["note"] && result.lines.count > 1)
        #expect(try blame(history, entity: "Guest", id: 1, filter: filter("", long)).lines.isEmpty)
      }
    }
  }
}
