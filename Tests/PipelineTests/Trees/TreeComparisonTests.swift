import Format
import Foundation
import TestSupport
import Testing

@testable import ChangeLog
@testable import Pipeline

@Suite("Comparing logs with the tree beside them")
struct TreeComparisonTests {
  private func transaction(_ id: Int64, digest: UInt8? = nil) -> Transaction {
    Transaction(
      id: id,
      time: "2026-01-01T00:00:00.000000Z",
      schema: "",
      count: 0,
      digest: SHA256.digest(of: [digest ?? UInt8(id)])
    )
  }

  /// Calls `body` with a tree of the transactions 1, 2, 5 and 6.
  private func withTree(_ body: (_ logs: LogFolder, _ path: String) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let logs = LogFolder(folder.path)
      let chain = try LogChain(logs, store: "S", lineage: 0)
      var writer = try LineageTreeWriter(rebuilding: chain, from: chain.beginning)
      for id in [1, 2, 5, 6] as [Int64] { try writer.append(transaction(id)) }
      try writer.finish()
      try body(logs, LineageTree.path(logs, store: "S", lineage: 0))
    }
  }

  private func comparison(
    _ logs: LogFolder,
    _ transactions: [Transaction] = []
  ) throws -> TreeComparison {
    var result = try TreeComparison(logs, store: "S", lineage: 0)
    for transaction in transactions { try result.take(transaction) }
    return result
  }

  private func end(_ id: Int64) -> HistoryPoint {
    HistoryPoint(lineage: 0, transaction: id, digest: SHA256.digest(of: [UInt8(id)]))
  }

  @Test("The first transaction with another digest, or with no place in the tree, is a finding.")
  func differences() throws {
    try withTree { logs, path in
      for id in [1, 2, 3, 4, 5, 6] as [Int64] {
        let compared = try comparison(
          logs,
          [transaction(id, digest: 99), transaction(6, digest: 98)]
        )
        #expect(compared.finding?.path == path && compared.notice == nil, "\(id)")
        #expect(compared.finding?.kind == .damaged && compared.finding?.transaction == id)
        #expect(compared.findingAhead(of: end(1)) == nil)
      }
      for id in [3, 4] as [Int64] {
        #expect(try comparison(logs, [transaction(id)]).finding?.transaction == id)
      }
    }
  }

  @Test("Missing tiles are a notice, and an altered tile or head is a finding.")
  func damage() throws {
    try withTree { logs, path in
      let tile = URL(fileURLWithPath: path + "/tile/0/000.p/4")
      var bytes = try Data(contentsOf: tile)
      bytes[0] ^= 1
      try bytes.write(to: tile)
      let altered = try comparison(logs, [transaction(1, digest: 99)])
      #expect(altered.finding?.kind == .damaged && altered.finding?.path == path)
      #expect(altered.notice == nil && altered.findingAhead(of: end(1)) == nil)
      try FileManager.default.removeItem(at: tile)
      let missing = try comparison(logs, [transaction(1, digest: 99)])
      #expect(missing.finding == nil)
      #expect(missing.notice?.message.contains("The tile \(tile.path) is missing") == true)
      #expect(missing.findingAhead(of: end(1))?.kind == .endMissing)
      let head = path + "/head"
      try Data("nothing".utf8).write(to: URL(fileURLWithPath: head))
      let torn = try comparison(logs, [transaction(1)])
      #expect(torn.finding?.kind == .damaged && torn.finding?.path == head && torn.notice == nil)
      #expect(torn.findingAhead(of: end(1)) == nil)
    }
  }
}
