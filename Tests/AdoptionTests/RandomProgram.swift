import ChangeLog
import Format
import Foundation
import Pipeline
import SQLite
import Store
import TestSupport
import Testing

/// A run of `random_program.py`, which executes random statements.
struct RandomProgram {
  var client = Client.python
  var seed: String
  var statements: Int
  var flags: [String] = []
  /// Words before the command, such as `env` with variables.
  var prefix: [String] = []

  /// A program that disables triggers, as Chromium does.
  static func silent(_ seed: String, _ statements: Int) -> Self {
    Self(client: .shell, seed: seed, statements: statements, flags: ["--silent"])
  }

  func command(on path: String) -> [String] {
    prefix
      + ["python3", program("random_program.py"), path, "\(seed) \(client)", "\(statements)"]
      + client.flags + flags
  }
}

extension AdoptedWorld {
  /// Runs programs at the same time on the file, or on another one.
  ///
  /// - Returns: For each program, the requests of its transactions.
  @discardableResult
  func run(_ programs: RandomProgram..., on other: String? = nil) throws -> [[String]] {
    try outputs(of: programs.map { $0.command(on: other ?? path) })
      .map { $0.split(separator: "\n").map(String.init) }
  }

  /// What a check of a file finds, with or without the logs, in sentences.
  func findings(_ path: String, withLogs: Bool = true) throws -> [String] {
    var request = CheckRequest(store: path)
    if withLogs { request.logs = logs }
    var findings: [String] = []
    _ = try check(request) { findings.append("\($0)") }
    return findings
  }

  /// Exports; the logs, an old replica and a new one must then agree with the file.
  func compareReplicas(_ label: String) throws {
    try exportLogs()
    #expect(try verify(VerifyRequest(logs: logs)).allSatisfy { $0.findings.isEmpty }, "\(label)")
    #expect(try status(of: path, logs: logs).uncaptured == [], "\(label)")
    #expect(try findings(path) == [], "\(label)")
    let parts = try readableStore(path).schema.leftOut ?? []
    let rows = try recordedRows(of: path, leavingOut: parts)
    for name in ["replica.db", "replica \(label).db"] {
      let replica = try restore(name)
      #expect(try recordedRows(of: replica, leavingOut: parts) == rows, "\(name) after \(label)")
      #expect(try findings(replica) == [], "\(name) after \(label)")
    }
  }
}

/// The names of the tables whose rows are not the same.
func differentTables(_ left: [String: [String]], _ right: [String: [String]]) -> [String] {
  Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }.sorted()
}
