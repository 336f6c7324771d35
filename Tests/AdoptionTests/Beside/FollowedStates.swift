import Adoption
import Format
import Foundation
import Pipeline
import ProcessTesting
import SQLite
import Store
import TestSupport
import Testing

/// A program that was started, and that can be stopped.
final class RunningProgram {
  private let child = ChildProcess()
  private let input = Pipe()
  private let output = Pipe()

  init(_ words: [String]) throws {
    child.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    child.arguments = words
    child.standardInput = input
    child.standardOutput = output
    try child.run()
  }

  /// A program that executes statements, and then waits for its end.
  init(_ statements: [String], on path: String) throws {
    child.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    child.arguments = ["python3", program("waiting_program.py"), path] + statements
    child.standardInput = input
    child.standardOutput = output
    try child.run()
    let ready = try output.fileHandleForReading.read(upToCount: 6)
    #expect(ready == Data("ready\n".utf8))
  }

  deinit { end() }

  var isRunning: Bool { child.isRunning }

  /// Lets the program end normally.
  func end() {
    // The pipe can be closed already.
    try? input.fileHandleForWriting.close()
    child.waitUntilExit()
  }

  func kill() {
    Foundation.kill(child.processIdentifier, SIGKILL)
    child.waitUntilExit()
  }

  /// Waits for the end of a program that ends alone.
  func waitForSuccess() throws {
    _ = try output.fileHandleForReading.readToEnd()
    child.waitUntilExit()
    #expect(child.terminationStatus == 0)
  }
}

/// The rows of a state of a database.
typealias Rows = [String: [String]]

/// The states without those that are equal to the one before.
func distinct(_ states: [Rows]) -> [Rows] {
  states.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
}

/// The columns and the indexes of the recorded tables of a database.
func recordedDefinitions(of path: String) throws -> [String] {
  let connection = try Connection(path: path, mode: .readOnly)
  let names = CaptureNames(prefix: "travelog_")
  var result: [String] = []
  for table in try readTables(connection, without: names) {
    guard case .triggers = table.recording else { continue }
    for sql in [
      """
      SELECT name || ' ' || type || ' ' || "notnull" || ' ' || ifnull(dflt_value, '') || ' ' || pk
        || ' ' || hidden FROM pragma_table_xinfo(\(literal(table.name)))
      """,
      """
      SELECT sql FROM sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL
        AND tbl_name = \(literal(table.name)) AND name NOT LIKE 'travelog_%' ORDER BY name
      """,
    ] {
      let rows = try connection.prepare(sql)
      while try rows.step() { result.append("\(table.name): \(rows.string(at: 0))") }
    }
  }
  return result
}

extension AdoptedWorld {
  /// Reads the database, and compares the tables of the history file with it.
  func expectSameTables(_ label: String, definitions: Bool = true) throws {
    _ = try readableStore(store)
    let (rows, read) = (try recordedRows(of: path), try recordedRows(of: store))
    for name in differentTables(rows, read) {
      Issue.record(
        "\(label): \(name) is \("\(read[name] ?? [])".prefix(400)) instead of \("\(rows[name] ?? [])".prefix(400))"
      )
    }
    guard definitions else { return }
    let (wanted, found) = (try recordedDefinitions(of: path), try recordedDefinitions(of: store))
    #expect(found == wanted, "\(label)")
  }

  /// The rows after each transaction of the history file, from the first one on.
  ///
  /// The first of the two transactions about a changed table has no state of the database.
  func recordedStates() throws -> [(transaction: Recorded, rows: Rows)] {
    try exportLogs()
    return try history().enumerated().compactMap { index, transaction in
      guard transaction.operation != "mark", transaction.detail("boundary") != "assumed" else {
        return nil
      }
      let past = try restore("past.db", until: .transaction(Int64(index) + 1))
      return (transaction, try recordedRows(of: past))
    }
  }
}
