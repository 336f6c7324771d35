import Format
import Foundation
import Report
import Store
import StoreTesting
import TestSupport
import Testing

@testable import Audit
@testable import Pipeline

/// A history in a format that has no digests and shows no state.
private final class ForeignSource: HistorySource {
  private let source: StoreHistory

  init(_ source: StoreHistory) { self.source = source }

  var proof: HistoryProof { .none("Its format has no digests.") }

  func files() -> [HistoryFile] { [] }

  func state() throws -> HistoryState {
    throw PipelineError(.misuse) { "changes.txt is a list of changes and has no state." }
  }

  func outline() throws -> HistoryOutline { try source.outline() }
  func schemas() throws -> [StoreSchema] { try source.schemas() }
  func read(
    _ range: ClosedRange<Int64>,
    wants: (Transaction) -> Bool,
    change: (Change, Transaction) throws -> Void,
    transaction: (Transaction) throws -> Void
  ) throws {
    try source.read(range, wants: wants, change: change, transaction: transaction)
  }
}

@Suite("Sources in other formats")
struct ForeignSourceTests {
  private func withHistory(_ body: (History) throws -> Void) throws {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "a foreign source"))
      let url = folder.appendingPathComponent("a.store")
      let store = try Store.open(.file(url), schema: worldSchema)
      for _ in 0..<6 { try world.write(to: store) }
      let source = try ForeignSource(StoreHistory(path: url.path))
      try body(History(name: "changes.txt", source: source, at: .head))
    }
  }

  @Test("The report of a source that nothing verifies calls nothing about it good.")
  func unverified() throws {
    try withHistory { history in
      let page = try ReportPage([history], of: "changes.txt", request: AuditRequest())
      let entry = try #require(page.report.histories.first)
      #expect(entry.verdict == "unverified" && entry.head == 0 && entry.transactions > 0)
      #expect(entry.statements == ["The history can't be verified. Its format has no digests."])
      #expect(page.report.questions.allSatisfy { $0.state != .good })
      #expect(page.report.checks.allSatisfy { $0.state != .clear })
      #expect(wholeFolder(of: [history]) == nil && !history.hasDigests)
      var bytes: [UInt8] = []
      try page.write { bytes += $0 }
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.contains("Was anything altered? Not verified"))
      #expect(text.contains("Are the logs complete? Not verified"))
    }
  }

  @Test("A comparison with a source that shows no state fails with the reason of the source.")
  func noState() throws {
    try withHistory { history in
      let error = #expect(throws: PipelineError.self) { try Past(history) }
      #expect(error?.message == "changes.txt is a list of changes and has no state.")
    }
  }
}
