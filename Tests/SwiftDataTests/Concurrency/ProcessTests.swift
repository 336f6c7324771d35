import Foundation
import ProcessTesting
import SQLite
import TestSupport
import Testing

@Suite("Several processes with one file")
struct ProcessTests {
  /// Starts the program that writes; it is built beside the tests.
  private func probe(_ store: URL, _ author: String, _ count: Int) throws -> ChildProcess {
    let process = ChildProcess()
    process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent()
      .appendingPathComponent("ProcessProbe")
    process.arguments = ["write", store.path, author, "\(count)"]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    return process
  }

  private func number(_ sql: String, in store: URL) throws -> Int {
    let connection = try Connection(path: store.path, mode: .readOnly)
    let statement = try connection.prepare(sql)
    return try statement.step() ? Int(statement.int64(at: 0)) : -1
  }

  @Test("Processes that create and write one store at once lose nothing, and history has no gaps.")
  func writers() throws {
    let folder = try TemporaryFolder()
    let store = folder.file("entries.store")
    let processes = try (0..<3).map { try probe(store, "writer \($0)", 40) }
    for process in processes {
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    #expect(try number("SELECT count(*) FROM Entry", in: store) == 120)
    #expect(try number("SELECT count(*) FROM EntryPart", in: store) == 360)
    #expect(try number("SELECT count(DISTINCT author || number) FROM Entry", in: store) == 120)
    let transactions = "SELECT count(*) FROM history_transaction WHERE id BETWEEN 1 AND 120"
    #expect(try number(transactions, in: store) == 120)
    #expect(try number("SELECT max(id) FROM history_transaction", in: store) == 120)
  }

  @Test("A process that is killed during a save leaves only whole saves.", arguments: 0..<6)
  func killed(_ round: Int) throws {
    let folder = try TemporaryFolder()
    let store = folder.file("entries.store")
    let process = try probe(store, "killed", 100_000)
    var generator = SystemRandomNumberGenerator()
    let pause = Double.random(in: 0.05...0.4, using: &generator)
    Thread.sleep(forTimeInterval: pause)
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    let again = try probe(store, "again", 1)
    again.waitUntilExit()
    #expect(again.terminationStatus == 0, "killed after \(pause) seconds")
    let integrity = try Connection(path: store.path, mode: .readOnly)
      .prepare("PRAGMA integrity_check")
    #expect(try integrity.step() && integrity.string(at: 0) == "ok")
    let entries = try number("SELECT count(*) FROM Entry", in: store)
    #expect(try number("SELECT count(*) FROM EntryPart", in: store) == entries * 3)
    #expect(try number("SELECT count(*) FROM history_transaction", in: store) == entries)
    #expect(try number("SELECT count(*) FROM history_change", in: store) == entries * 4)
  }

  @Test("Enumerating many objects takes no more memory than enumerating few.")
  func enumeration() throws {
    let folder = try TemporaryFolder()
    let store = folder.file("entries.store")
    let maker = try probe(store, "maker", 1)
    maker.waitUntilExit()
    let connection = try Connection(path: store.path, mode: .readWrite)
    try connection.setTriggers(enabled: false)
    try connection.execute(
      """
      WITH RECURSIVE numbers (number) AS (
        VALUES (2) UNION ALL SELECT number + 1 FROM numbers WHERE number < 60000)
      INSERT INTO "Entry" (id, author, number) SELECT number, 'author ' || number, number
        FROM numbers
      """
    )
    let process = ChildProcess()
    process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent()
      .appendingPathComponent("ProcessProbe")
    process.arguments = ["enumerate", store.path, "-", "15000"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
      .map { $0.split(separator: " ").compactMap { Int($0) } }
    try #require(lines.map(\.count) == [3, 3, 3, 3], "\(lines)")
    #expect(lines.last?.prefix(2) == [60_000, 1_800_029_999])
    // 45,000 more objects would need tens of MiB.
    #expect(lines[3][2] - lines[0][2] < 4 << 10, "\(lines)")
  }
}
