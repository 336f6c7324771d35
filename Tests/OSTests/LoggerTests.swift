import Foundation
import OSLog
import Testing

@testable import os

@Suite("The logger")
struct LoggerTests {
  @Test("A line has time, level, origin and message, and is written to standard error.")
  func line() async throws {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      unsetenv("OS_LOG_LEVEL")
      unsetenv("OS_LOG_PRIVATE")
      let logger = Logger(subsystem: "com.example.trips", category: "import")
      let count = 3
      logger.notice("\(count) trips from \("Oslo", privacy: .public), \("secret")")
    }
    let text = try #require(result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) })
    let line = try #require(text.split(separator: "\n").first { $0.contains("com.example") })
    let pattern =
      #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z notice \[com\.example\.trips:import\] 3 trips from Oslo, <private>/#
    #expect(line.wholeMatch(of: pattern) != nil, "\(line)")
    let output = try #require(result?.standardOutputContent)
    #expect(!String(decoding: output, as: UTF8.self).contains("com.example"))
  }

  @Test(
    "The environment sets the lowest level that is written.",
    arguments: [
      ("", ["notice", "warning", "error", "critical", "fault", "default"]),
      (
        "debug",
        [
          "trace", "debug", "info", "notice", "warning", "error", "critical", "fault", "default",
        ]
      ),
      ("INFO", ["info", "notice", "warning", "error", "critical", "fault", "default"]),
      ("error", ["warning", "error", "critical", "fault"]),
      ("fault", ["critical", "fault"]),
      ("off", []),
      ("loud", ["notice", "warning", "error", "critical", "fault", "default"]),
    ]
  )
  func levels(word: String, written: [String]) {
    let least = LogSettings(environment: word.isEmpty ? [:] : ["OS_LOG_LEVEL": word]).least
    let levels: [(String, OSLogType)] = [
      ("trace", .debug), ("debug", .debug), ("info", .info), ("notice", .default),
      ("warning", .error), ("error", .error), ("critical", .fault), ("fault", .fault),
      ("default", .default),
    ]
    let expected = levels.filter { level in
      least.map { level.1.gravity >= $0.gravity } ?? false
    }
    #expect(expected.map(\.0) == written)
  }

  @Test("Each method writes its own level, and a message below the level is not evaluated.")
  func methods() async throws {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      setenv("OS_LOG_LEVEL", "info", 1)
      let logger = Logger(subsystem: "s", category: "c")
      var puttings = 0
      func text(_ text: String) -> String {
        puttings += 1
        return text
      }
      logger.trace("\(text("trace"), privacy: .public)")
      logger.debug("\(text("debug"), privacy: .public)")
      logger.info("\(text("info"), privacy: .public)")
      logger.notice("notice")
      logger.log("log")
      logger.warning("warning")
      logger.error("error")
      logger.critical("critical")
      logger.fault("fault")
      logger.log(level: .error, "error by level")
      Logger().notice("without origin")
      Logger(OSLog(subsystem: "from", category: "log")).notice("with a log")
      Logger(.disabled).fault("never")
      os_log("plain")
      os_log(.info, "of a level")
      os_log("%{public}@ has %d", log: .default, type: .error, "Oslo", 3)
      precondition(puttings == 1)
    }
    let text = try #require(result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) })
    let lines = text.split(separator: "\n")
      .filter { $0.hasPrefix("20") }
      .map { $0.drop { $0 != " " }.dropFirst() }
    #expect(
      lines == [
        "info [s:c] info", "notice [s:c] notice", "notice [s:c] log", "warning [s:c] warning",
        "error [s:c] error", "critical [s:c] critical", "fault [s:c] fault",
        "error [s:c] error by level", "notice without origin", "notice [from:log] with a log",
        "default plain", "info of a level", "error Oslo has 3",
      ]
    )
  }

  @Test("A message with line breaks is written as one line.")
  func oneLine() {
    let line = logLine(name: "error", subsystem: "", category: "", text: "a\nb\r\nc\u{2028}d")
    #expect(line.hasSuffix(" error a\\nb\\nc\\nd\n"))
    #expect(line.filter(\.isNewline).count == 1)
  }

  @Test("Lines of several threads do not mix.")
  func threads() async throws {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      unsetenv("OS_LOG_LEVEL")
      await withTaskGroup { group in
        for task in 0..<8 {
          group.addTask {
            let logger = Logger(subsystem: "many", category: "\(task)")
            for _ in 0..<100 {
              logger.error("\(String(repeating: "x", count: 200), privacy: .public)")
            }
          }
        }
      }
    }
    let text = try #require(result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) })
    let lines = text.split(separator: "\n").filter { $0.contains("[many:") }
    #expect(lines.count == 800)
    #expect(lines.allSatisfy { $0.hasSuffix("] " + String(repeating: "x", count: 200)) })
  }
}
