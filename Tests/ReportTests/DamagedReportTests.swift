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
    let url = try second(of: logs)
    var bytes = try Data(contentsOf: url)
    bytes[bytes.count / 2] ^= 0xff
    try bytes.write(to: url)
  }

  private func second(of logs: LogFolder) throws -> URL {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: logs.path)
    let log = try #require(paths.filter { $0.hasSuffix(".ndjson.gz") }.sorted().dropFirst().first)
    return URL(fileURLWithPath: logs.path + "/" + log)
  }

  /// The ids of the transactions in the list of a report, from the newest on.
  private func listed(_ report: AuditReport, of source: String) throws -> [Int64] {
    var bytes: [UInt8] = []
    try writeReport(report, of: History.all(source), request: AuditRequest()) { bytes += $0 }
    let json = try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    let list = try #require(json["list"] as? [[String: Any]])
    return list.compactMap { $0["transaction"] as? Int64 }
  }

  private func page(_ source: String) throws -> String {
    var page: [UInt8] = []
    try ReportPage(History.all(source), of: source, request: AuditRequest()).write { page += $0 }
    return String(decoding: page, as: UTF8.self)
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
      #expect(try page(source).contains("Are changes missing? Unknown"))
    }
  }

  @Test("Transactions before and after damage are listed, and the unreadable ones are named.")
  func unreadable() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "an unreadable part", writes: 24)
      try damage(world.logs)
      let source = world.logs.path
      let report = try report(source)
      let entry = try #require(report.histories.first)
      #expect(entry.unreadable.count == 1)
      let range = try #require(entry.unreadable.first)
      let last = try #require(entry.lastTransaction)
      #expect(range.first == entry.head + 1 && range.last < last)
      let readable = (1...last).filter { !(range.first...range.last).contains($0) }
      #expect(try listed(report, of: source) == readable.reversed())
      #expect(report.transactions == Int64(readable.count))
      let gaps = try #require(report.questions.first { $0.question == .gaps })
      #expect(gaps.statements.contains("\(range.description)."))
      #expect(try page(source).contains("<td colspan=\"3\">\(range.description)</td>"))
      // No log is missing, so nobody should look for one.
      let found = report.findings.flatMap(\.items).map(\.value)
      #expect(found.count == 1 && !found[0].contains("Copy the missing logs"))
    }
  }

  @Test("If only the trailer of a log is wrong, the report lists all transactions.")
  func trailer() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "a wrong trailer", writes: 24)
      let url = try second(of: world.logs)
      var text = try gunzip(url.path)
      let digit = text.index(text.endIndex, offsetBy: -5)
      text.replaceSubrange(digit...digit, with: text[digit] == "0" ? "1" : "0")
      try Data(gzipMember(of: Array(text.utf8), path: url.path)).write(to: url)
      let source = world.logs.path
      let report = try report(source)
      let entry = try #require(report.histories.first)
      #expect(entry.verdict == "damaged" && entry.unreadable.isEmpty)
      #expect(try listed(report, of: source) == (1...entry.head).reversed())
      #expect(try page(source).contains("Something was altered or damaged"))
    }
  }

  @Test("A transaction that was altered is not in the page, and those before it are.")
  func altered() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "an altered transaction", writes: 6)
      try world.insertGuest(9001, note: "sound")
      try world.insertGuest(9002, note: "original")
      try world.export()
      let head = try world.source.read { try $0.sealedHead() }
      let log = try #require(world.files().last)
      let text = try gunzip(log).replacingOccurrences(of: "original", with: "forgery!")
      try Data(gzipMember(of: Array(text.utf8), path: log)).write(to: URL(fileURLWithPath: log))
      let page = try page(world.logs.path)
      #expect(page.contains("Something was altered or damaged") && !page.contains("forgery!"))
      #expect(page.contains("<th scope=\"row\">\(head - 1)</th>"))
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
