import Changes
import Testing

@testable import Pipeline

@Suite("The progress of a command")
struct ProgressTests {
  @Test("The closure is called after every 4096th change and after every transaction.")
  func calls() throws {
    var progress = Progress()
    var calls: [Int64] = []
    for _ in 0..<10_000 { try progress.countChange { calls.append($0.changes) } }
    #expect(calls == [4096, 8192])
    try progress.countTransaction { calls.append($0.transactions) }
    #expect(calls == [4096, 8192, 1])
  }

  @Test("The results of an export, an erasure and a compaction begin with zeros.")
  func results() {
    let point = HistoryPoint(
      lineage: 0,
      transaction: 0,
      digest: TransactionDigest.beginning(ofStore: "a", lineage: 0)
    )
    let export = ExportResult(store: "s", identifier: "a", from: point, to: point, head: 0)
    #expect(export.transactions == 0 && export.changes == 0)
    #expect(export.plainBytes == 0 && export.compressedBytes == 0)
    let erasure = EraseResult(store: "a")
    #expect(erasure.values == 0 && erasure.transactions == 0 && erasure.largeValues == 0)
    #expect(erasure.files == [] && erasure.storeTransactions == nil)
    let compaction = CompactResult(store: "a", lineage: 0)
    #expect(compaction.filesBefore == 0 && compaction.filesAfter == 0)
    #expect(compaction.bytesBefore == 0 && compaction.bytesAfter == 0)
  }

  @Test("The progress of a command that has not begun is zero.")
  func beginning() {
    let progress = Progress()
    #expect(progress.transactions == 0 && progress.changes == 0 && progress.bytes == 0)
    #expect(progress.total == nil && Progress(total: 7).total == 7)
  }
}
