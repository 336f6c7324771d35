import ChangeLog
import Foundation
import TestSupport
import Testing

@testable import Pipeline

@Suite("Reading logs that other programs change")
struct SettledLogsTests {
  private static let store = "00000000-0000-0000-0000-00000000000A"

  /// Calls `body` with a log folder and a function that adds a log to it.
  private func withLogs(_ body: (LogFolder, _ addLog: () throws -> Void) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let logs = LogFolder(folder.path)
      var count: Int64 = 0
      try body(logs) {
        count += 1
        let name = LogName(store: Self.store, lineage: 0, day: "d", range: count...count)
        let url = folder.appendingPathComponent(name.path)
        try FileManager.default.createDirectory(
          at: url.deletingLastPathComponent(),
          withIntermediateDirectories: true
        )
        try Data().write(to: url)
      }
    }
  }

  @Test("Logs are read once if the result is right, or if nothing changed meanwhile.")
  func once() throws {
    try withLogs { logs, addLog in
      for isRight in [true, false] {
        var readings = 0
        let result = try readingSettled(logs, of: [Self.store], isRight: { _ in isRight }) {
          readings += 1
          if isRight { try addLog() }
          return readings
        }
        #expect(result == 1 && readings == 1)
      }
    }
  }

  @Test("Logs are read again while the result is wrong and they change, at most ten times.")
  func again() throws {
    try withLogs { logs, addLog in
      for changes in [1, 3, 8, 9, 20] {
        var readings = 0
        let result = try readingSettled(logs, of: nil, isRight: { _ in false }) {
          readings += 1
          if readings <= changes { try addLog() }
          return readings
        }
        #expect(result == min(changes + 1, 10))
      }
    }
  }

  @Test("An error of a log is thrown if nothing changed meanwhile, and any other error at once.")
  func errors() throws {
    struct Stopped: Error {}
    try withLogs { logs, addLog in
      var readings = 0
      func read(_ error: any Error, changes: Int) -> (any Error)? {
        readings = 0
        do {
          try readingSettled(logs, of: [Self.store]) {
            readings += 1
            if readings <= changes { try addLog() }
            if readings <= changes + 1 { throw error }
          }
          return nil
        } catch {
          return error
        }
      }
      let logError = LogError(.notALog, "p") { "It is not a folder." }
      #expect(read(logError, changes: 0) is LogError && readings == 1)
      #expect(read(logError, changes: 2) is LogError && readings == 3)
      #expect(read(noLogs("p"), changes: 1) is PipelineError && readings == 2)
      #expect(read(logError, changes: 20) is LogError && readings == 10)
      #expect(read(Stopped(), changes: 2) is Stopped && readings == 1)
    }
  }
}
