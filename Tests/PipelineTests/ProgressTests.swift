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
}
