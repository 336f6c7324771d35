import Foundation
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("Rows of erased lines")
struct HiddenRowTests {
  private func orders(_ items: [Int64]) -> [[Int64]] {
    guard !items.isEmpty else { return [[]] }
    return items.flatMap { item in orders(items.filter { $0 != item }).map { [item] + $0 } }
  }

  /// A store with a transaction of some tags.
  private func tags(_ count: Int64) throws -> Store {
    let store = try Store.open(.memory("hidden rows"), schema: sampleSchema)
    try store.write(Author()) { writer in
      for id in 1...count { try writer.insert(tag, id: id, values: [.text("tag \(id)")]) }
    }
    return store
  }

  private func erase(_ id: Int64, in store: Store) throws {
    try store.inTransaction { writer, _ in
      var lines = 0
      try writer.recorder.erase(ObjectID(id), restate: { _ in lines += 1 }) { _, _, _ in true }
      #expect(lines == 1)
      try writer.blobs.prepareToCommit()
    }
  }

  @Test(
    "In any order of erasures, a transaction keeps its digest, and its rows have the fewest seeds."
  )
  func everyOrder() throws {
    for count in Int64(1)...5 {
      for order in orders(Array(1...count)) {
        let store = try tags(count)
        let transaction = try #require(try store.read { try $0.transaction(1) })
        let seed = try #require(transaction.seed)
        for step in order.indices {
          try erase(order[step], in: store)
          // It compares the digest, which no other seeds would give.
          try store.check {
            if case .digest = $0 { Issue.record("\(order) \(step): \($0)") }
          }
          let after = try #require(try store.read { try $0.transaction(1) })
          #expect(after.state == .erased && after.seed == nil && after.digest == transaction.digest)
        }
        let salts = Salts(SeededRange(0..<count, seed)).map {
          Data($0.restated.bytes).base64EncodedString()
        }
        let leaves = try rows("SELECT leaf FROM history_change ORDER BY id", in: store)
        for (salt, leaf) in zip(salts, leaves) { #expect(leaf.hasSuffix(#","salt":"\#(salt)""#)) }
      }
    }
  }

  @Test("A row whose seed is missing can't be erased, and the error says so.")
  func missingSeed() throws {
    let store = try tags(3)
    try erase(1, in: store)
    try store.inTransaction { _, connection in
      try connection.execute("UPDATE history_change SET leaf = NULL WHERE sequence = 2")
    }
    let error = #expect(throws: StoreError.self) { try erase(3, in: store) }
    #expect(error?.code == .damaged)
    var findings = 0
    try store.check { if case .digest(1) = $0 { findings += 1 } }
    #expect(findings == 1)
  }
}
