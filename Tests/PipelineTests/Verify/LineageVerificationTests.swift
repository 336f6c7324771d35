import Format
import Foundation
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@testable import ChangeLog
@testable import Pipeline

@Suite("Verifying the logs of one lineage")
struct LineageVerificationTests {
  /// Cuts a file after some bytes.
  private func cut(_ path: String, after count: Int = 40) throws {
    let url = URL(fileURLWithPath: path)
    try Data(contentsOf: url).prefix(count).write(to: url)
  }

  @Test("Verification ends before a log that is damaged or missing, and counts the later logs.")
  func interruption() throws {
    for place in 0..<5 {
      for isMissing in [false, true] {
        try withTemporaryFolder { folder in
          let world = try World(folder, "interrupted logs")
          for id in 1...10 as ClosedRange<Int64> {
            try world.insertGuest(id)
            if id % 2 == 0 { try world.export() }
          }
          let files = try world.logs.files(of: world.source.identifier, lineage: 0)
          if isMissing {
            try FileManager.default.removeItem(atPath: files[place].path)
          } else {
            try cut(files[place].path)
          }
          var request = VerifyRequest(logs: world.logs)
          request.token = folder.path + "/no token"
          let end = try world.point(Int64(place) * 2)
          let last = try world.point(10)
          request.heads = [end.digest]
          let result = try #require(verify(request).first)
          let name = Comment(rawValue: "log \(place), \(isMissing ? "missing" : "damaged")")
          #expect(result.from.transaction == 0 && result.to == end, name)
          #expect(result.heads == [end] && result.proven == end && result.proof == .head, name)
          // The log after a missing log is not read.
          let unread = isMissing && place < 4 ? 2 : 1
          #expect(result.files == 5 - unread, name)
          #expect(result.transactions == Int64(10 - 2 * unread), name)
          #expect(result.changes == result.transactions, name)
          // If the last log is missing, the tree shows that.
          let isEnd = isMissing && place == 4
          let path =
            isEnd ? world.treePath() : files[isMissing ? place + 1 : place].path
          let kind: Finding.Kind = isEnd ? .endMissing : isMissing ? .gap : .incomplete
          #expect(result.findings.map(\.path) == [path], name)
          #expect(result.findings.map(\.kind) == [kind], name)
          request.heads = [last.digest]
          let later = try #require(verify(request).first)
          #expect(later.heads == [] && later.proven == nil, name)
          #expect(later.findings.last?.kind == .endMissing, name)
          #expect(later.findings.last?.transaction == end.transaction, name)
          #expect(later.findings.count == result.findings.count + 1, name)
        }
      }
    }
  }
}
