import Audit
import ChangeLog
import Format
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

/// A store and a copy of it from before its last writes.
private struct Pair {
  var world: World
  let old: URL

  init(_ folder: URL, _ name: String) throws {
    world = try World(folder, name, writes: 20)
    old = folder.appendingPathComponent("old.store")
    try copyStore(world.path, to: old.path)
    for _ in 0..<12 { try world.history.write(to: world.source) }
  }

  var new: String { world.path }
}

private func differences(
  _ left: String,
  _ right: String,
  _ filter: AuditFilter = AuditFilter()
) throws -> [ObjectDifference] {
  let left = try StoreState(left)
  let right = try StoreState(right)
  var result: [ObjectDifference] = []
  let comparison = try StoreDifferences(left, right)
  var filter = filter
  try filter.resolve(right.reader.schemas().map(\.schema), of: right.name)
  try comparison.objects(filter) { result.append($0) }
  return result
}

/// All rows of a file's own tables as SQL literals.
private func dump(_ path: String) throws -> [String] {
  try rowDump(of: Store.open(.file(URL(fileURLWithPath: path)), options: Options(isReadOnly: true)))
}

@discardableResult
private func run(_ program: String, _ arguments: [String], input: Data? = nil) throws -> String {
  let process = ChildProcess()
  process.executableURL = URL(fileURLWithPath: program)
  process.arguments = arguments
  let output = Pipe()
  process.standardOutput = output
  process.standardError = output
  let pipe = Pipe()
  process.standardInput = pipe
  try process.run()
  if let input { pipe.fileHandleForWriting.write(input) }
  pipe.fileHandleForWriting.closeFile()
  let data = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return String(decoding: data, as: UTF8.self)
}

private func isThere(_ program: String) -> Bool {
  FileManager.default.isExecutableFile(atPath: program)
}

@Suite("Differences of stores")
struct DifferencesTests {
  @Test("A store and its logs are equal, at the head and at every point.")
  func same() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "same", writes: 15)
      let path = world.path
      #expect(try differences(path, world.logs.path).isEmpty)
      let head = try History(path).last
      for id in [0, 1, head / 2, head] {
        #expect(try differences("\(path)@\(id)", "\(world.logs.path)@\(id)").isEmpty)
      }
    }
  }

  @Test("A copy without a write-ahead log is compared with its own past, in either order.")
  func plainCopy() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "plain copy", writes: 5)
      let head = try History(world.path).last
      for isReversed in [false, true] {
        let copy = folder.appendingPathComponent("copy \(isReversed).store").path
        try Connection(path: world.path, mode: .readOnly).execute(
          "VACUUM INTO '\(copy)'"
        )
        let names = [copy, "\(copy)@\(head - 1)"]
        let (left, right) = try StoreState.pair(
          names[isReversed ? 1 : 0],
          names[isReversed ? 0 : 1]
        )
        var count = 0
        try StoreDifferences(left, right).objects { _ in count += 1 }
        #expect(count > 0)
      }
    }
  }

  @Test("The differences between two points are the net effect of the changes between them.")
  func changes() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "differences of points", writes: 20)
      let path = world.path
      let head = try History(path).last
      let vocabulary = Vocabulary(worldSchema)
      // One transaction has one change for each object, which equals the difference.
      for id in max(1, head - 6)...head {
        var expected: [ObjectDifference] = []
        try History(path).source.read(
          id...id,
          wants: { _ in true },
          change: { change, _ in expected.append(ObjectDifference(change, vocabulary: vocabulary))
          },
          transaction: { _ in }
        )
        func plain(_ differences: [ObjectDifference]) -> [String] {
          differences.map { difference in
            let properties = difference.properties.map { property in
              func text(_ value: PropertyValue?) -> String {
                value.map { Report.text(of: $0) } ?? "nothing"
              }
              return "\(property.name) \(text(property.before)) \(text(property.after))"
            }
            let isFamily = difference.entity != "Guest"
            return "\(difference.kind) \(isFamily ? "Place" : "Guest") \(difference.id) "
              + properties.sorted().joined(separator: ";")
          }
          .sorted()
        }
        let found = try differences("\(path)@\(id - 1)", "\(path)@\(id)")
        #expect(plain(found) == plain(expected), "transaction \(id)")
      }
    }
  }

  @Test(
    "The script, run by the sqlite3 shell, turns the first store's rows into the second's.",
    .enabled(if: isThere("/usr/bin/sqlite3"))
  )
  func script() throws {
    for _ in 0..<trials(3, long: 40) {
      try withTemporaryFolder { folder in
        let pair = try Pair(folder, "script")
        let text = try script(pair.old.path, pair.new)
        let answer = try run("/usr/bin/sqlite3", ["-bail", pair.old.path], input: Data(text.utf8))
        #expect(answer == "")
        #expect(try dump(pair.old.path) == dump(pair.new))
        #expect(try script(pair.old.path, pair.new) == "")
      }
    }
  }

  @Test(
    "Texts with different Unicode spellings differ, and the script repairs them.",
    .enabled(if: isThere("/usr/bin/sqlite3"))
  )
  func spelling() throws {
    try withTemporaryFolder { folder in
      let pair = try Pair(folder, "spelling")
      let change =
        "UPDATE Place SET name = 'caf' || %@ || id WHERE id = (SELECT min(id) FROM Place)"
      for (path, letter) in [(pair.old.path, "char(233)"), (pair.new, "'e' || char(769)")] {
        try Connection(path: path, mode: .readWrite).execute(
          change.replacingOccurrences(of: "%@", with: letter)
        )
      }
      let text = try script(pair.old.path, pair.new)
      let answer = try run("/usr/bin/sqlite3", ["-bail", pair.old.path], input: Data(text.utf8))
      #expect(answer == "")
      #expect(try script(pair.old.path, pair.new) == "")
    }
  }

  @Test("The script writes text that is not UTF-8 byte for byte.")
  func textWithoutUTF8() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "no UTF-8", writes: 5)
      let left = world.path
      let right = folder.appendingPathComponent("other.store").path
      try copyStore(left, to: right)
      for (path, byte) in [(left, "ff"), (right, "fe")] {
        try Connection(path: path, mode: .readWrite).execute(
          """
          INSERT INTO Place (id, name, _entity) VALUES (999999, CAST(x'41\(byte)' AS TEXT), 'Camp')
          """
        )
      }
      let text = try script(left, right)
      #expect(text.contains("CAST(x'41fe' AS TEXT)"))
      // The first line is a command of the shell.
      let statements = text.replacing(".bail on\n", with: "")
      try Connection(path: left, mode: .readWrite).execute(statements)
      #expect(try script(left, right) == "")
    }
  }

  private func script(_ left: String, _ right: String) throws -> String {
    let left = try StoreState(left)
    let right = try StoreState(right)
    var text: [UInt8] = []
    let comparison = try StoreDifferences(left, right)
    let differs = try writeScript(for: comparison) { text += $0 }
    #expect(differs != text.isEmpty)
    return String(decoding: text, as: UTF8.self)
  }

  @Test(
    "The rows that differ are those that sqldiff finds.",
    .enabled(if: isThere("/usr/bin/sqldiff"))
  )
  func sqldiff() throws {
    for _ in 0..<trials(3, long: 40) {
      try withTemporaryFolder { folder in
        let pair = try Pair(folder, "sqldiff")
        for table in try worldSchema.tables() where table.columns.first == "id" {
          let answer = try run(
            "/usr/bin/sqldiff",
            ["--table", table.name, pair.old.path, pair.new]
          )
          var expected: Set<String> = []
          for line in answer.split(separator: "\n") {
            if let id = line.split(separator: "WHERE id=").dropFirst().last?.prefix(
              while: \.isNumber
            ) {
              expected.insert(String(id))
            } else if line.hasPrefix("INSERT"), let list = line.split(separator: "VALUES(").last {
              expected.insert(String(list.prefix(while: \.isNumber)))
            }
          }
          let left = try StoreState(pair.old.path)
          let right = try StoreState(pair.new)
          var found: Set<String> = []
          let comparison = try StoreDifferences(left, right)
          try comparison.rows { other, change in
            if other.name == table.name, case .integer(let id) = change.either.first {
              found.insert(String(id))
            }
          }
          #expect(found == expected)
        }
      }
    }
  }

  @Test("Only the requested differences are reported, by entity, id and attribute.")
  func filtered() throws {
    try withTemporaryFolder { folder in
      let pair = try Pair(folder, "filtered")
      let all = try differences(pair.old.path, pair.new)
      func told(_ change: (inout AuditFilter) -> Void) throws -> [ObjectDifference] {
        var filter = AuditFilter()
        change(&filter)
        return try differences(pair.old.path, pair.new, filter)
      }
      let places = all.filter { $0.entity != "Guest" }
      #expect(try told { $0.entity = "Place" } == places)
      #expect(try told { $0.entity = "Guest" } == all.filter { $0.entity == "Guest" })
      for id in Set(all.map(\.id)) {
        #expect(try told { $0.id = id } == all.filter { $0.id == id })
      }
      for name in Set(all.flatMap(\.properties).map(\.name)) {
        #expect(
          try told { $0.attribute = name }
            == all.filter { $0.properties.contains { $0.name == name } },
          "\(name)"
        )
      }
      #expect(throws: PipelineError.self) { try told { $0.entity = "Trip" } }
      #expect(throws: PipelineError.self) { try told { $0.attribute = "wings" } }
    }
  }

  @Test("Stores with different tables are refused, and the error shows the first differences.")
  func schemas() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "schemas", writes: 2)
      let other = folder.appendingPathComponent("other.store")
      _ = try Store.open(
        .file(other),
        schema: StoreSchema(version: "1", entities: [Entity(name: "Trip")])
      )
      #expect {
        _ = try differences(world.path, other.path)
      } throws: {
        "\($0)".contains("different schemas") && "\($0)".contains("Trip")
      }
    }
  }

  @Test("Values that are nested deeper than canonical JSON differ as a whole.")
  func nesting() {
    func nested(_ value: String) -> [UInt8] {
      let levels = 1_000
      return Array(
        (String(repeating: "[", count: levels) + value + String(repeating: "]", count: levels)).utf8
      )
    }
    let differences = insideDifferences(nested("1"), nested("2"))
    #expect(differences.count == 1 && differences[0].path.utf8.count < 2_000)
  }

  @Test("JSON values are compared by their members.")
  func inside() {
    func parts(_ before: String, _ after: String) -> [String] {
      insideDifferences(Array(before.utf8), Array(after.utf8)).map { part in
        func text(_ json: [UInt8]?) -> String {
          json.map { String(decoding: $0, as: UTF8.self) } ?? "-"
        }
        return "\(part.path): \(text(part.before)) \(text(part.after))"
      }
    }
    #expect(
      parts(#"{"a":1,"b":{"c":[1,2]}}"#, #"{"b":{"c":[1,3,4]},"d":null}"#) == [
        "a: 1 -", "b.c[1]: 2 3", "b.c[2]: - 4", "d: - null",
      ]
    )
    #expect(parts("[1]", "{}") == [": [1] {}"])
    #expect(parts("1", "1") == [])
  }
}
