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

/// Shows ids and counts, and the object and properties of each change.
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

/// A history that counts how many transactions and changes are read.
private final class CountingSource: HistorySource {
  var changes = 0
  private let source: StoreHistory

  init(_ source: StoreHistory) { self.source = source }

  func outline() throws -> HistoryOutline { try source.outline() }
  func schemas() throws -> [StoreSchema] { try source.schemas() }
  func files() -> [HistoryFile] { source.files() }
  var proof: HistoryProof { source.proof }
  func state() -> HistoryState { source.state() }
  func transactions(changing object: ObjectID) throws -> [Int64]? {
    try source.transactions(changing: object)
  }
  func read(
    _ range: ClosedRange<Int64>,
    wants: (Transaction) -> Bool,
    change: (Change, Transaction) throws -> Void,
    transaction: (Transaction) throws -> Void
  ) throws {
    try source.read(
      range,
      wants: wants,
      change: {
        changes += 1
        try change($0, $1)
      },
      transaction: transaction
    )
  }
}

@Suite("The timeline")
struct TimelineTests {
  @Test(
    "A transaction's changes end at the size limit, and its head has the number of written changes."
  )
  func sizeLimit() throws {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "size limit"))
      let url = folder.appendingPathComponent("a.store")
      let store = try Store.open(.file(url), schema: worldSchema)
      for _ in 0..<20 { try world.write(to: store) }
      var form = plainForm()
      form.sizeLimit = 1
      form.head = { Array("\($0.written) of \($0.total.all)\n".utf8) }
      var bytes: [UInt8] = []
      try writeTimeline(of: History(url.path), filter: AuditFilter(), form: form) { bytes += $0 }
      let heads = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        .filter { $0.contains(" of ") }
      #expect(heads.contains { $0.hasPrefix("1 of ") && $0 != "1 of 1" })
      #expect(heads.allSatisfy { $0.hasPrefix("1 of ") || $0 == "0 of 0" })
    }
  }

  /// The timeline that a naive reader makes of the lines.
  private func naive(
    _ world: World,
    _ isWanted: ([String: Any]) -> Bool,
    all: Bool
  ) throws -> [String] {
    var result: [String] = []
    var changes: [[String: Any]] = []
    for line in try world.parsedLines() {
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

  /// The text with the names of properties sorted, because the two sides have different orders.
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

  @Test("A store and its logs have the timeline that a naive reader makes of the lines.")
  func agreement() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "timeline", writes: 24)
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

  @Test("Only the shown transactions of a store are read, however long its history is.")
  func lazy() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("a.store")
      let store = try Store.open(.file(url), schema: worldSchema)
      let camp = try #require(worldSchema.index(of: "Camp"))
      var row = [Value](repeating: .null, count: store.layouts[camp].columns.count)
      // Many small transactions, a large one, and three small ones.
      let sizes = Array(repeating: 1, count: 600) + [9_000, 2, 3, 1]
      var id: Int64 = 0
      for size in sizes {
        try store.write(Author(name: size == 1 ? "app" : "desk")) { writer in
          for _ in 0..<size {
            id += 1
            row[0] = .text("camp \(id)")
            try writer.insert(camp, id: id, values: row)
          }
        }
      }
      let source = try CountingSource(StoreHistory(path: url.path))
      let history = try History(name: "a", source: source, at: .head)
      func lines(_ limit: Int64?, id: Int64? = nil, author: String? = nil) throws -> [String] {
        source.changes = 0
        var filter = AuditFilter()
        filter.id = id.map { ObjectID($0) }
        filter.author = author
        var form = plainForm()
        form.change = nil
        var bytes: [UInt8] = []
        try writeTimeline(of: history, filter: filter, limit: limit, form: form) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
      }
      let all = try lines(nil)
      #expect(all == sizes.enumerated().reversed().map { "\($0 + 1) \($1) 0 0" })
      #expect(source.changes == sizes.reduce(0, +))
      for limit in 0...20 {
        #expect(try lines(Int64(limit)) == Array(all.prefix(limit)))
        // Up to two more transactions are read before their length is known.
        let shown = sizes.suffix(limit).reduce(0, +)
        #expect(source.changes <= (limit < 3 ? 6 : max(shown, 9_006) + 64), "\(limit)")
      }
      #expect(try lines(nil, id: 7) == ["7 1 0 0"])
      #expect(source.changes == 1)
      #expect(try lines(2, author: "app") == ["604 1 0 0", "600 1 0 0"])
      #expect(source.changes < 64)
    }
  }

  @Test("The last log of a folder is read first, and no other if it has everything that is shown.")
  func lastLog() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "last log", writes: 24)
      let all = try timeline(History(world.logs.path), AuditFilter())
      let history = try History(world.logs.path)
      let last = try #require(history.stretches.last)
      try #require(history.stretches.count > 1)
      // Damages the first log.
      let files = try #require(FileManager.default.enumerator(atPath: world.logs.path))
        .compactMap { $0 as? String }.filter { $0.hasSuffix(".ndjson.gz") }.sorted()
      let first = try #require(files.first { $0.contains("/00000000000000000001-") })
      try Data("no log".utf8).write(to: URL(fileURLWithPath: world.logs.path + "/" + first))
      let form = plainForm()
      var bytes: [UInt8] = []
      let written = try writeTimeline(
        of: history,
        filter: AuditFilter(),
        limit: Int64(last.count),
        form: form
      ) { bytes += $0 }
      #expect(written == Int64(last.count))
      #expect(all.hasPrefix(String(decoding: bytes, as: UTF8.self)))
      #expect(throws: LogError.self) { try timeline(history, AuditFilter()) }
    }
  }

  @Test("A long log is read from its end, and earlier members are read only on demand.")
  func longLog() throws {
    try withTemporaryFolder { folder in
      let world = try LongLog(folder)
      let log = world.log.path
      let all = (1...200).reversed().map { "\($0) 1 0 0\n" }
      var form = plainForm()
      form.change = nil
      func newest(_ source: String, _ limit: Int64?) throws -> String {
        var bytes: [UInt8] = []
        let history = try History(source)
        #expect(history.stretches.count > 3)
        try writeTimeline(of: history, filter: AuditFilter(), limit: limit, form: form) {
          bytes += $0
        }
        return String(decoding: bytes, as: UTF8.self)
      }
      for source in [log, world.logs.path] { #expect(try newest(source, nil) == all.joined()) }
      // Damages a member in the middle.
      var bytes = try Data(contentsOf: world.log)
      let offset = try world.offsets()[1]
      for place in offset + 1_000..<offset + 1_100 { bytes[place] ^= 0xff }
      try bytes.write(to: world.log)
      for source in [log, world.logs.path] {
        let count = try #require(try History(source).stretches.last?.count)
        #expect(try newest(source, Int64(count)) == all.prefix(count).joined())
        #expect(throws: LogError.self) { try newest(source, nil) }
      }
    }
  }

  @Test("Groups contain every transaction once.")
  func groups() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "groups", writes: 24)
      let lines = try world.parsedLines()
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

  @Test("Changes are found under each name that migrations gave an entity, and no others.")
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
          let report = try summarize([history], of: history.name, request: request)
          let groups = try groupTimeline(of: history, by: .author, filter: filter)
          let changes = text.split(separator: "\n").filter { !$0.contains { $0 == "0" } }
          #expect(report.changes.all == groups.reduce(0) { $0 + $1.counts.all })
          #expect(Int(report.changes.all) == changes.count)
          return changes.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "; ")
        }
        let all = "update Human 1 mobile; update Person 1 town; insert Person 1 phone,town"
        #expect(try found("Human", nil) == all)
        // An entity has that name now, so the renamed one is not meant.
        #expect(try found("Person", nil) == "insert Person 1 phone")
        let numbers = "update Human 1 mobile; insert Person 1 phone,town"
        #expect(try found("Human", "mobile") == numbers)
        #expect(try found("Human", "phone") == numbers)
        #expect(try found(nil, "mobile") == numbers)
        #expect(try found(nil, "phone") == "insert Person 1 phone")
        #expect(try found("Human", "town") == "update Person 1 town; insert Person 1 phone,town")
        #expect(throws: PipelineError.self) { try found("Person", "mobile") }
      }
    }
  }

  @Test("An entity is found by an earlier name unless another entity has that name now.")
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
        #expect(texts.first?.split(separator: "\n").count == 6)
      }
    }
  }

  @Test("The error of an unknown entity or attribute lists the existing ones.")
  func unknownNames() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "unknown names", writes: 3)
      let history = try History(world.path)
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
