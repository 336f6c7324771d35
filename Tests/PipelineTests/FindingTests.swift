import Changes
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

  @Test("A lineage that ends with another digest, or after its end, is told apart")
  func ends() {
    #expect(text(head: 7, end: 7).contains("had the digest"))
    #expect(text(head: 7, end: 9).contains("continue to transaction 9"))
  }
}
