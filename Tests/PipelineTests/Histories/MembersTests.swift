import ChangeLog
import Format
import Foundation
import Glibc
import Pipeline
import PipelineTesting
import Store
import TestSupport
import Testing

/// A log of many small members with its members file.
private struct Divided {
  let world: World
  let log: String
  let index: String
  let range: ClosedRange<Int64>
  /// The history of the store that the log was exported from.
  let store: StoreHistory

  init(_ folder: URL, _ name: String, transactions: Int = 12, members size: Int = 3_000) throws {
    var world = try World(folder, name)
    try world.write(transactions)
    try world.export()
    self.world = world
    let file = try #require(world.logs.files(of: world.source.identifier, lineage: 0).first)
    log = file.path
    range = file.range
    index = Self.index(of: log)
    try Self.divide(log, in: world.logs, size)
    store = try StoreHistory(path: world.path)
  }

  static func index(of log: String) -> String {
    let name = (log as NSString).lastPathComponent.dropLast(".ndjson.gz".count)
    return (log as NSString).deletingLastPathComponent + "/_\(name).members.ndjson"
  }

  /// Rewrites the log with members of another size.
  private static func divide(_ log: String, in folder: LogFolder, _ size: Int) throws {
    let reader = try LogReader(path: log)
    let writer = try LogWriter(
      .replacing(log, folder),
      header: reader.header,
      memberSize: size
    )
    while let transaction = try reader.next(copy: { try writer.append(lines: $0, changes: 1) }) {
      try writer.close(transaction, lines: TransactionLines(transaction))
    }
    _ = try writer.finish()
  }

  var sources: [any HistorySource] {
    get throws {
      [try FolderHistory(world.logs, store: world.source.identifier), LogHistory(path: log)]
    }
  }

  func text() throws -> String { try String(contentsOfFile: index, encoding: .utf8) }

  func write(_ text: String) throws {
    try text.write(toFile: index, atomically: false, encoding: .utf8)
  }

  /// Whether a reader can start at a later member for this transaction.
  func leads(to id: Int64) throws -> Bool { try LogReader(path: log).goInside(before: id) }
}

@Suite("Members of a long log")
struct MembersTests {
  @Test(
    "Every range of transactions is the same with the members file, without it, and in the store."
  )
  func ranges() throws {
    try withTemporaryFolder { folder in
      let divided = try Divided(folder, "members, ranges", transactions: 20)
      #expect(try divided.leads(to: divided.range.upperBound))
      var info = stat()
      #expect(stat(divided.index, &info) == 0 && info.st_mode & 0o777 == 0o600)
      for _ in 0..<2 {
        for first in divided.range {
          for last in [first, min(first + 3, 20), divided.range.upperBound] {
            let range = first...last
            let expected = try lines(divided.store, range)
            for source in try divided.sources { #expect(try lines(source, range) == expected) }
          }
        }
        for source in try divided.sources {
          #expect(try Array(source.outline().stretches.joined()) == Array(divided.range))
        }
        try FileManager.default.removeItem(atPath: divided.index)
        #expect(try !divided.leads(to: divided.range.upperBound))
        try "".write(toFile: divided.index, atomically: false, encoding: .utf8)
      }
    }
  }

  @Test("Output is the same whichever line or byte of the members file is altered.")
  func altered() throws {
    try withTemporaryFolder { folder in
      let divided = try Divided(folder, "members, altered", transactions: 9, members: 3_000)
      let right = try divided.text()
      let rows = right.split(separator: "\n").map(String.init)
      try #require(rows.count > 3)
      let last = divided.range.upperBound
      let expected = try lines(divided.store, last...last)
      let middle = try lines(divided.store, 5...6)
      var cases = 0
      // Both sources use the members file in the same way, so each check uses one in turn.
      func check(_ what: String) throws {
        let source = try divided.sources[cases % 2]
        #expect(try lines(source, last...last) == expected, "\(what)")
        if cases % 3 == 0 { #expect(try lines(source, 5...6) == middle, "\(what)") }
        if cases % 5 == 0 { #expect(try source.outline().head == last, "\(what)") }
        cases += 1
      }
      let bytes = Array(right.utf8)
      for place in bytes.indices {
        var changed = bytes
        changed[place] ^= 1 << (place % 8)
        try Data(changed).write(to: URL(fileURLWithPath: divided.index))
        try check("byte \(place)")
      }
      for place in rows.indices {
        for other in rows.indices {
          var changed = rows
          changed.swapAt(place, other)
          try divided.write(changed.joined(separator: "\n") + "\n")
          try check("lines \(place) and \(other) swapped")
          changed = rows
          changed[place] = rows[other]
          try divided.write(changed.joined(separator: "\n") + "\n")
          try check("line \(place) is \(other)")
        }
        try divided.write(rows[..<place].joined(separator: "\n"))
        try check("cut before line \(place)")
      }
      #expect(cases > 250)
    }
  }

  @Test("A members file with huge numbers or other content does no harm.")
  func hostile() throws {
    try withTemporaryFolder { folder in
      let divided = try Divided(folder, "members, hostile", transactions: 9)
      let rows = try divided.text().split(separator: "\n").map(String.init)
      let last = divided.range.upperBound
      let expected = try lines(divided.store, last...last)
      func check() throws {
        for source in try divided.sources { #expect(try lines(source, last...last) == expected) }
      }
      let numbers = [
        "-1", "0", "1", "4611686018427387904", "9223372036854775807", "-9223372036854775808",
        "9223372036854775808", "1e3", "\"7\"", "", "99999999999999999999999999",
      ]
      let entry = try #require(rows.last)
      for name in ["offset", "begins", "txn"] {
        for number in numbers {
          let key = "\"\(name)\":"
          let start = try #require(entry.range(of: key)).upperBound
          let digits = entry[start...].prefix { $0.isNumber }
          let changed = entry.replacingOccurrences(of: key + digits, with: key + number)
          try divided.write(rows.dropLast().joined(separator: "\n") + "\n" + changed + "\n")
          try check()
        }
      }
      let many = String(repeating: entry + "\n", count: 50_000)
      for text in [
        rows[0] + "\n" + many, many, "[" + many, String(repeating: "{", count: 100_000), "\u{0}",
        rows[0].replacingOccurrences(of: "members/1", with: "members/2") + "\n" + entry + "\n",
      ] {
        try divided.write(text)
        try check()
      }
      try FileManager.default.removeItem(atPath: divided.index)
      try FileManager.default.createDirectory(
        atPath: divided.index,
        withIntermediateDirectories: false
      )
      try check()
      try FileManager.default.removeItem(atPath: divided.index)
      #expect(mkfifo(divided.index, 0o600) == 0)
      try check()
    }
  }

  @Test("A log that is damaged after the start of reading is refused, as without a members file.")
  func damaged() throws {
    try withTemporaryFolder { folder in
      let divided = try Divided(folder, "members, damaged")
      let index = try Data(contentsOf: URL(fileURLWithPath: divided.index))
      let right = try Data(contentsOf: URL(fileURLWithPath: divided.log))
      let last = divided.range.upperBound
      let expected = try lines(divided.store, last - 1...last)
      func outcomes() throws -> [String] {
        try divided.sources.map { source in
          do {
            return try lines(source, last - 1...last)
          } catch {
            return "\(error)"
          }
        }
      }
      for place in stride(from: right.count * 2 / 3, to: right.count, by: trials(397, long: 97)) {
        var bytes = right
        bytes[place] ^= 4
        try bytes.write(to: URL(fileURLWithPath: divided.log))
        let with = try outcomes()
        try FileManager.default.removeItem(atPath: divided.index)
        // Earlier members are not read, so damage in them is not found.
        for (with, without) in zip(with, try outcomes()) where with != expected {
          #expect(with == without)
        }
        try index.write(to: URL(fileURLWithPath: divided.index))
      }
    }
  }

  @Test("The members file is removed with its log, and only long logs have one.")
  func life() throws {
    try withTemporaryFolder { folder in
      let divided = try Divided(folder, "members, life")
      #expect(try verify(VerifyRequest(logs: divided.world.logs)).flatMap(\.findings).isEmpty)
      var world = divided.world
      try world.write(4)
      try world.export()
      let files = try world.logs.files(of: world.source.identifier, lineage: 0)
      #expect(files.count == 2)
      #expect(access(divided.index, F_OK) == 0)
      #expect(access(Divided.index(of: files[1].path), F_OK) != 0)
      _ = try compact(CompactRequest(logs: world.logs))
      let names = try FileManager.default.subpathsOfDirectory(atPath: world.logs.path)
      #expect(!names.contains { $0.hasSuffix(".members.ndjson") })
      #expect(try verify(VerifyRequest(logs: world.logs)).flatMap(\.findings).isEmpty)
    }
  }

  @Test("The last of many transactions is read without the ones before it.")
  func bytes() throws {
    try withTemporaryFolder { folder in
      let schema = StoreSchema(
        version: "1.0.0",
        entities: [Entity(name: "Note", attributes: [Attribute(name: "text", type: .string)])]
      )
      let path = folder.appendingPathComponent("notes.store")
      let store = try Store.open(.file(path), schema: schema)
      var random = SeededGenerator(for: "members, bytes")
      for id in 1...200 as ClosedRange<Int64> {
        let text = (0..<8_000).map { _ in String(random.next(), radix: 36) }.joined()
        try store.write(Author()) { writer in
          try writer.insert(0, id: id, values: [.text(text)])
        }
      }
      let logs = LogFolder(folder.appendingPathComponent("logs").path)
      try logs.create()
      _ = try export(ExportRequest(store: path.path, logs: logs))
      let log = try #require(logs.files(of: store.identifier, lineage: 0).first).path
      func bytesRead(_ isInside: Bool, _ range: ClosedRange<Int64>) throws -> Int64 {
        let reader = try LogReader(path: log)
        if isInside { #expect(reader.goInside(before: range.lowerBound)) }
        var count = 0
        while let transaction = try reader.next(), transaction.id < range.upperBound { count += 1 }
        #expect(count >= range.count - 1)
        return reader.bytesRead
      }
      let whole = try bytesRead(false, 200...200)
      #expect(whole > 12 << 20)
      // The reader reads ahead at the header, and again at the member.
      #expect(try bytesRead(true, 200...200) <= 4 << 20)
      #expect(try bytesRead(true, 197...200) <= 4 << 20)
    }
  }
}
