import Audit
import Foundation
import Pipeline
import PipelineTesting
import Store
import StoreTesting
import Testing

/// A form that writes ids, and of changes what they are about.
private func plainForm() -> TimelineForm {
  TimelineForm(
    head: { summary in
      let counts = summary.total
      return Array(
        "\(summary.transaction.id) \(counts.inserted) \(counts.updated) \(counts.deleted)\n".utf8
      )
    },
    change: { difference, isFirst in
      let names = difference.properties.map(\.name).joined(separator: ",")
      return Array(
        "\(isFirst ? "" : " ")\(difference.kind) \(difference.entity) \(difference.id) \(names)\n"
          .utf8
      )
    }
  )
}

private func timeline(
  _ history: History,
  _ filter: AuditFilter,
  limit: Int64? = nil
) throws -> String {
  var bytes: [UInt8] = []
  try writeTimeline(of: history, filter: filter, limit: limit, form: plainForm()) { bytes += $0 }
  return String(decoding: bytes, as: UTF8.self)
}

@Suite("The timeline")
struct TimelineTests {
  /// What a naive reader makes of the lines.
  private func naive(
    _ world: AuditedWorld,
    _ isWanted: ([String: Any]) -> Bool,
    all: Bool
  ) throws -> [String] {
    var result: [String] = []
    var changes: [[String: Any]] = []
    for line in try world.lines() {
      if line["kind"] as? String == "change" {
        if isWanted(line) { changes.append(line) }
        continue
      }
      defer { changes = [] }
      guard all ? isWanted(line) : !changes.isEmpty else { continue }
      func count(_ op: String) -> Int { changes.count { $0["op"] as? String == op } }
      var text = "\(line["txn"] ?? 0) \(count("insert")) \(count("update")) \(count("delete"))\n"
      for (index, change) in changes.enumerated() {
        let values = change["after"] ?? change["before"]
        let names = Set((values as? [String: Any] ?? [:]).keys)
        text +=
          "\(index == 0 ? "" : " ")\(change["op"] ?? "") \(change["entity"] ?? "")"
          + " \(change["id"] ?? "") \(names.sorted().joined(separator: ","))\n"
      }
      result.append(text)
    }
    return result.reversed()
  }

  /// The names of properties in an order that both sides can have.
  private func sorted(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      var words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      if let last = words.popLast() {
        words.append(last.split(separator: ",").sorted().joined(separator: ","))
      }
      return words.joined(separator: " ")
    }
    .joined(separator: "\n")
  }

  @Test("a store and its logs have the timeline that a naive reader makes of the lines")
  func agreement() throws {
    try withTemporaryFolder { folder in
      let world = try AuditedWorld(folder, "timeline")
      for history in try world.histories() {
        let all = try naive(world, { _ in true }, all: true)
        #expect(try sorted(timeline(history, AuditFilter())) == all.joined())
        #expect(
          try sorted(timeline(history, AuditFilter(), limit: 5)) == all.prefix(5).joined()
        )
        var filter = AuditFilter()
        filter.author = "widget"
        let widget = try naive(world, { $0["author"] as? String == "widget" }, all: true)
        #expect(try sorted(timeline(history, filter)) == widget.joined())
        filter = AuditFilter()
        filter.entity = "Place"
        try filter.resolve(history)
        let places = try naive(
          world,
          { ["Place", "Hotel", "Camp"].contains($0["entity"] as? String) },
          all: false
        )
        #expect(try sorted(timeline(history, filter)) == places.joined())
        filter = AuditFilter()
        filter.id = 3
        let third = try naive(world, { $0["id"] as? String == "3" }, all: false)
        #expect(try sorted(timeline(history, filter)) == third.joined())
      }
    }
  }

  @Test("groups have every transaction once")
  func groups() throws {
    try withTemporaryFolder { folder in
      let world = try AuditedWorld(folder, "groups")
      let lines = try world.lines()
      for history in try world.histories() {
        for by in TimelineGrouping.allCases {
          let groups = try groupTimeline(of: history, by: by, filter: AuditFilter())
          #expect(groups.reduce(0) { $0 + $1.transactions } == history.last)
          let changes = lines.count { $0["kind"] as? String == "change" }
          #expect(groups.reduce(0) { $0 + $1.counts.all } == Int64(changes))
        }
      }
    }
  }

  @Test("changes are found under all names that a migration gave, and no others under such a name")
  func renames() throws {
    try withTemporaryFolder { folder in
      let world = try RenamedWorld(folder)
      for source in [world.store, world.logs] {
        let history = try History(source)
        func found(_ entity: String?, _ attribute: String?) throws -> String {
          var filter = AuditFilter()
          filter.entity = entity
          filter.attribute = attribute
          try filter.resolve(history)
          let text = try timeline(history, filter)
          var request = AuditRequest()
          request.filter = filter
          let report = try summarize(history, request)
          let groups = try groupTimeline(of: history, by: .author, filter: filter)
          let changes = text.split(separator: "\n").filter { !$0.contains { $0 == "0" } }
          #expect(report.counts.all == groups.reduce(0) { $0 + $1.counts.all })
          #expect(Int(report.counts.all) == changes.count)
          return changes.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "; ")
        }
        let all = "update Human 1 mobile; update Person 1 town; insert Person 1 phone,town"
        #expect(try found("Human", nil) == all)
        // There is an entity of that name now, which is meant, and not what had its name before.
        #expect(try found("Person", nil) == "insert Person 1 phone")
        let numbers = "update Human 1 mobile; insert Person 1 phone,town"
        #expect(try found("Human", "mobile") == numbers)
        #expect(try found("Human", "phone") == numbers)
        #expect(try found(nil, "mobile") == numbers)
        #expect(try found(nil, "phone") == "insert Person 1 phone")
        #expect(try found("Human", "town") == "update Person 1 town; insert Person 1 phone,town")
        #expect(throws: AuditError.self) { try found("Person", "mobile") }
      }
    }
  }

  @Test("an entity is found by the name that it had, where no other has that now")
  func earlierName() throws {
    try withTemporaryFolder { folder in
      let world = try RenamedWorld(folder, hasOthers: false)
      for source in [world.store, world.logs] {
        let history = try History(source)
        var filter = AuditFilter()
        var texts: Set<String> = []
        for name in ["Human", "Person"] {
          filter.entity = name
          try filter.resolve(history)
          texts.insert(try timeline(history, filter))
        }
        #expect(texts.count == 1)
        #expect(texts.first?.split(separator: "
").count == 6)
      }
    }
  }

  @Test("an entity or attribute that was never there is refused with those that were")
  func unknownNames() throws {
    try withTemporaryFolder { folder in
      let world = try AuditedWorld(folder, "unknown names", writes: 3)
      let history = try History(world.store.location.path)
      var filter = AuditFilter()
      filter.entity = "Trip"
      #expect {
        try filter.resolve(history)
      } throws: {
        "\($0)".contains("no entity “Trip”") && "\($0)".contains("Camp, Guest, Hotel, Place")
      }
      filter.entity = "Guest"
      filter.attribute = "stars"
      #expect {
        try filter.resolve(history)
      } throws: {
        "\($0)".contains("Guest has no attribute “stars”") && "\($0)".contains("badge")
      }
    }
  }
}
