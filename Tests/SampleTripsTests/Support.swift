import Foundation
import ProcessTesting
import SQLite
import SampleTrips
import Store
import SwiftData
import Testing

/// All rows of a query as texts with bars between the columns.
func rows(_ sql: String, in file: URL) throws -> [String] {
  let connection = try Connection(path: file.path, mode: .readOnly)
  let statement = try connection.prepare(sql)
  var result: [String] = []
  while try statement.step() {
    result.append(
      (0..<statement.columnCount).map { index in
        switch statement.value(at: Int32(index)) {
        case .null: "null"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text
        case .blob(let data), .brokenText(let data): data.base64EncodedString()
        }
      }.joined(separator: "|")
    )
  }
  return result
}

/// The contents of a store: its tables, their rows, and the files beside it.
func dump(_ file: URL) throws -> [String] {
  var result = try rows("SELECT sql FROM sqlite_schema ORDER BY rowid", in: file)
  let tables = try rows(
    "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid",
    in: file
  )
  for table in tables {
    result.append("-- \(table)")
    result += try rows("SELECT * FROM \"\(table)\"", in: file)
  }
  let folder = file.path + "-blobs"
  if FileManager.default.fileExists(atPath: folder) {
    result += try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }
  return result
}

/// The result of a run of the program.
struct Outcome {
  let code: Int32
  let output: String
  let messages: String
}

/// The program, which is built beside the tests.
func tripsProgram() throws -> ChildProcess {
  let process = ChildProcess()
  process.executableURL = try #require(
    Bundle.main.executableURL?.deletingLastPathComponent().appendingPathComponent("trips")
  )
  process.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
  return process
}

/// Runs the program as a user does.
func trips(_ arguments: String..., environment: [String: String] = [:]) throws -> Outcome {
  let process = try tripsProgram()
  process.arguments = arguments
  process.environment?.merge(environment) { $1 }
  let (output, messages) = (Pipe(), Pipe())
  process.standardOutput = output
  process.standardError = messages
  try process.run()
  let text = output.fileHandleForReading.readDataToEndOfFile()
  let said = messages.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return Outcome(
    code: process.terminationReason == .exit
      ? process.terminationStatus : 128 + process.terminationStatus,
    output: String(decoding: text, as: UTF8.self),
    messages: String(decoding: said, as: UTF8.self)
  )
}
