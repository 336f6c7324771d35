import ChangeLog
import Foundation
import Pipeline
import PipelineTesting
import Report
import Store
import TestSupport
import Testing

@testable import Audit

@Suite("Reports of damaged logs")
struct DamagedReportTests {
  /// Alters a byte in the middle of the second log, so that the transactions after it can't be read.
  private func damage(_ logs: LogFolder) throws {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: logs.path)
    let log = try #require(paths.filter { $0.hasSuffix(".ndjson.gz") }.sorted().dropFirst().first)
    let url = URL(fileURLWithPath: logs.path + "/" + log)
    var bytes = try Data(contentsOf: url)
    bytes[bytes.count / 2] ^= 0xff
    try bytes.write(to: url)
  }

  private func report(_ name: String) throws -> AuditReport {
    try summarize(History.all(name), of: name, request: AuditRequest())
  }

  @Test("An answer that damage makes impossible is unknown, in the page, the text and the JSON.")
  func unknown() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "a damaged report", writes: 24)
      try damage(world.logs)
      let source = world.logs.path
      let report = try report(source)
      let states = Dictionary(
        uniqueKeysWithValues: report.questions.map { ($0.question.rawValue, $0.state) }
      )
      #expect(states["integrity"] == .bad)
      for question in ["erasures", "gaps", "foreign", "end"] {
        #expect(states[question] != .good, "\(question) of \(source)")
      }
      #expect(report.questions.first { $0.question == .gaps }?.answer == "Unknown")
      for check in report.checks {
        #expect(check.state != .clear, "\(check.finding)")
      }
      #expect(report.checks.first { $0.finding == .bulk }?.state == .unknown)
      let json = String(decoding: try encoded(report), as: UTF8.self)
      #expect(json.contains(#""state":"unknown""#) && !json.contains("No gaps"))
      var page: [UInt8] = []
      try ReportPage(History.all(source), of: source, request: AuditRequest())
        .write { page += $0 }
      let text = String(decoding: page, as: UTF8.self)
      #expect(text.contains("Are changes missing? Unknown"))
    }
  }

  @Test("If damaged logs have gaps or erasures, the answer says that there may be more.")
  func atLeast() throws {
    let histories = ["sound", "damaged", "unverified"].map { verdict in
      var history = AuditedHistory(store: "s", lineage: 0, source: "s")
      history.verdict = verdict
      history.gaps = 2
      return history
    }
    for history in histories {
      let answer = auditQuestions([history]).first { $0.question == .gaps }
      #expect(answer?.state == .attention)
      #expect(answer?.answer == (history.verdict == "sound" ? "2 gaps" : "2 gaps or more"))
    }
  }

  @Test("A report changes nothing in the folder that it reads.")
  func writesNothing() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "a report that only reads", writes: 24)
      func files() throws -> [String: Data?] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: world.logs.path)
        return Dictionary(
          uniqueKeysWithValues: paths.map {
            ($0, FileManager.default.contents(atPath: world.logs.path + "/" + $0))
          }
        )
      }
      let before = try files()
      #expect(try report(world.logs.path).histories.map(\.verdict) == ["sound"])
      #expect(try files() == before)
    }
  }
}
