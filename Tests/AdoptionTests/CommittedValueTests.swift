import Adoption
import Format
import Foundation
import Pipeline
import SQLite
import Store
import TestSupport
import Testing

@Suite(
  "The committed values of rows, without brackets",
  .enabled(if: isInstalled("python3"), "there is no python3")
)
struct CommittedValueTests {
  /// The rows of the recorded tables as SQL spells them, by their table and their key.
  private func rows(of path: String) throws -> [String: String] {
    let connection = try Connection(path: path, mode: .readOnly)
    var result: [String: String] = [:]
    for table in try readTables(connection, without: CaptureNames(prefix: "travelog_")) {
      guard case .triggers(let key) = table.recording else { continue }
      func texts(_ names: [String]) -> String {
        names.map { "typeof(\(quoted($0))) || hex(CAST(\(quoted($0)) AS BLOB))" }
          .joined(separator: " || ',' || ")
      }
      var name = key.columns
      // A row with NULL in its key is named by its rowid.
      if let rowid = key.rowid { name.append(rowid) }
      let identity: String
      switch key {
      case .columns(let columns, let rowid?):
        let hasNull = columns.map { "\(quoted($0)) IS NULL" }.joined(separator: " OR ")
        identity = "iif(\(hasNull), 'rowid ' || \(texts([rowid])), \(texts(columns)))"
      default: identity = texts(name)
      }
      let reading = try connection.prepare(
        "SELECT \(identity), \(texts(table.columns.map(\.name))) FROM \(quoted(table.name))"
      )
      while try reading.step() {
        result["\(table.name) \(reading.string(at: 0))"] = reading.string(at: 1)
      }
    }
    return result
  }

  /// The states that each row had, one after the other; nil if the row did not exist.
  private func states(_ copies: [[String: String]]) -> [String: [String?]] {
    var result: [String: [String?]] = [:]
    for name in Set(copies.flatMap(\.keys)) {
      var states: [String?] = []
      for copy in copies where states.isEmpty || states.last != .some(copy[name]) {
        states.append(copy[name])
      }
      result[name] = states
    }
    return result
  }

  @Test(
    "Each committed value of each row is in history, in the order of the commits.",
    arguments: SampleSchema.sixths(from: 1),
    ["DELETE", "WAL"]
  )
  func committed(_ sample: SampleSchema, _ journal: String) throws {
    let world = try AdoptedWorld("PRAGMA journal_mode = \(journal);" + sample.sql)
    let copies = world.file("copies")
    try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
    let before = try rows(of: world.path)
    try output(
      of: "python3",
      [
        program("random_program.py"), world.path, "\(sample.name) \(journal)",
        "\(trials(25, long: 500))", "--copies", copies,
      ] + (journal == "WAL" ? ["--temporary"] : [])
    )
    let names = try FileManager.default.contentsOfDirectory(atPath: copies).sorted()
    let committed = states(try [before] + names.map { try rows(of: copies + "/" + $0) })
    try world.exportLogs()
    let head = try world.history().count
    var recorded: [[String: String]] = [before]
    for id in stride(from: 2, through: head, by: 1) {
      // Each import continues the same replica.
      recorded.append(try rows(of: world.restore("past.db", until: .transaction(Int64(id)))))
    }
    #expect(try rows(of: world.path) == recorded.last)
    let history = states(recorded)
    for (name, states) in committed {
      var rest = (history[name] ?? [nil])[...]
      for state in states {
        guard let place = rest.firstIndex(of: state) else {
          Issue.record("\(name): \(states) is not in \(history[name] ?? [])")
          break
        }
        rest = rest[place...]
      }
    }
  }
}
