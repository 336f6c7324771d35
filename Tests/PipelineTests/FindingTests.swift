import ChangeLog
import Changes
import Foundation
import Testing

@testable import Pipeline

@Suite("Findings in words")
struct FindingTests {
  private func text(head: Int64, end: Int64) -> String {
    func point(_ id: Int64) -> HistoryPoint {
      HistoryPoint(lineage: 0, transaction: id, digest: SHA256.digest(of: [UInt8(id)]))
    }
    return Finding(.endIsOther(lineage: 0, point(head), end: point(end), next: 1)).description
  }

  @Test("Another digest at the end of a lineage is not reported as transactions after its end.")
  func ends() {
    #expect(text(head: 7, end: 7).contains("but the logs of lineage 0 have the digest"))
    #expect(text(head: 7, end: 9).contains("continue to transaction 9"))
  }

  @Test("A finding can be given other names of files, and then differs from the first.")
  func names() {
    let failure = LogFailure.cutOff
    let found = [
      Finding(LogError(failure, path: "/tmp/a")),
      Finding(.isCovered(folder: "/tmp"), path: "/tmp/a"),
      Finding(
        .rowDiffers(.update, object: "Trip 7", properties: "", folder: "/tmp"),
        path: "/tmp/a"
      ),
      Finding(.tokenIsOther, path: "/tmp/a", transaction: 5),
    ]
    for finding in found {
      let named = finding?.naming { $0.replacingOccurrences(of: "/tmp", with: "LOGS") }
      #expect(named?.path == "LOGS/a")
      #expect(named?.description.contains("/tmp") == false)
      #expect(named != finding)
      #expect(named == named?.naming(\.self))
    }
  }

  @Test("An error that says nothing about the logs is not a finding.")
  func otherErrors() {
    #expect(Finding(LogError(LogFailure.outOfMemory, path: "a")) == nil)
    #expect(Finding(LogError(LogFailure.cutOff, path: "a"))?.kind == .incomplete)
  }

  @Test("A finding without a place has the transaction 0 and the line 0, and no path.")
  func places() {
    let finding = Finding(.moreRowsDiffer(2))
    #expect(finding.path == "" && finding.transaction == 0 && finding.line == 0)
    let error = LogFailure.alteredHeader("x").at("a", line: 3, transaction: 7)
    for finding in [Finding(error), Finding(stray: error)] {
      #expect(finding?.path == "a" && finding?.transaction == 7 && finding?.line == 3)
    }
    #expect(Finding(stray: error).kind == .misplaced)
    #expect(Finding(stray: LogFailure.notAFile(.link).at("a")).kind == .damaged)
  }

  @Test("Two findings are equal if they have the same kind, file, line, transaction and text.")
  func equality() {
    func finding(
      _ kind: Finding.Kind = .damaged,
      _ path: String = "a",
      transaction: Int64 = 0,
      errorPath: String = "a",
      line: Int = 1
    ) -> Finding {
      // The text of this error has neither the line nor the transaction.
      let error = LogError(ChainFailure.notAFolder, path: errorPath, line: line)
      return Finding(.log(kind, error), path: path, transaction: transaction)
    }
    #expect(finding() == finding())
    #expect(finding() != finding(.gap))
    #expect(finding() != finding(.damaged, "b"))
    #expect(finding() != finding(transaction: 1))
    #expect(finding() != finding(line: 2))
    #expect(finding() != finding(errorPath: "b"))
  }
}
