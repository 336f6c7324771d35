import Foundation
import ProcessTesting

/// A separate program that works with a store, and its output.
struct Probe {
  let process: ChildProcess
  let output: URL

  func lines() -> [String] {
    // A missing file has no lines.
    let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }
}

/// Starts the program that is built beside the tests.
func probe(_ arguments: [String]) throws -> Probe {
  let process = ChildProcess()
  process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent()
    .appendingPathComponent("ProcessProbe")
  process.arguments = arguments
  let output = URL(fileURLWithPath: arguments[1]).deletingLastPathComponent()
    .appendingPathComponent("\(UUID().uuidString).txt")
  _ = FileManager.default.createFile(atPath: output.path, contents: nil)
  process.standardOutput = try FileHandle(forWritingTo: output)
  try process.run()
  return Probe(process: process, output: output)
}
