import Audit
import ChangeLog
import Foundation
import Pipeline
import PipelineTesting
import SQLite
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("States of a store whose history was pruned")
struct PrunedStateTests {
  /// The number of rows that differ between two states.
  private func differenceCount(_ left: String, _ right: String) throws -> Int {
    let (left, right) = try StoreState.pair(left, right)
    var count = 0
    try StoreDifferences(left, right).rows { _, _ in count += 1 }
    return count
  }

  private func error(_ name: String) -> PipelineError? {
    #expect(throws: PipelineError.self) { _ = try StoreState(name) }
  }

  @Test(
    "Every point that a pruned history keeps shows the store as a copy of that time has it.",
    arguments: 1...trials(3, long: 30)
  )
  func keptPoints(_ round: Int) throws {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "kept points \(round)"))
      world.hasLargeValues = round == 1
      let path = folder.appendingPathComponent("a.store").path
      let store = try Store.open(.file(URL(fileURLWithPath: path)), schema: worldSchema)
      var copies: [Int64: String] = [:]
      for _ in 0..<24 {
        try world.write(to: store)
        let head = try store.read { try $0.sealedHead() }
        let copy = folder.appendingPathComponent("copy \(head).store")
        if copies.updateValue(copy.path, forKey: head) == nil { try store.copy(to: copy) }
      }
      let base = Int64.random(in: 3...16, using: &world.random)
      try store.deleteHistory([1...base])
      // A foreign change that is not sealed yet.
      try Connection(path: path, mode: .readWrite).execute("UPDATE Guest SET note = 'by hand'")
      for id in base...(copies.keys.max() ?? base) {
        guard let copy = copies[id] else { continue }
        #expect(try differenceCount(copy, "\(path)@\(id)") == 0, "at \(id), kept after \(base)")
      }
      let early = #expect(throws: PipelineError.self) { _ = try StoreState("\(path)@\(base - 1)") }
      #expect(early?.code == .historyExpired)
      #expect(early?.hint.contains("LOGS@\(base - 1)") == true)
    }
  }

  @Test("A pruned store refuses a state before a migration, and names the command for its logs.")
  func migration() throws {
    try withTemporaryFolder { folder in
      let world = try RenamedWorld(folder)
      let head = try History(world.store).last
      try Store.open(.file(URL(fileURLWithPath: world.store))).deleteHistory([1...1])
      let refusal = error("\(world.store)@2")
      #expect(refusal?.code == .historyExpired)
      #expect(refusal?.message.contains("changed the schema") == true)
      #expect(refusal?.hint.contains("LOGS@2") == true)
      #expect(try differenceCount("\(world.logs)@\(head - 1)", "\(world.store)@\(head - 1)") == 0)
    }
  }

  @Test("A point inside a gap is refused, and the points on both sides of it are shown.")
  func gap() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "states around a gap", writes: 7)
      var snapshot = ExportRequest(store: world.path, logs: world.logs)
      snapshot.wantsSnapshot = true
      let first = try export(snapshot).to.transaction
      try world.source.copy(to: folder.appendingPathComponent("before.store"))
      for _ in 0..<9 { try world.history.write(to: world.source) }
      let last = try world.source.read { try $0.sealedHead() }
      try world.source.copy(to: folder.appendingPathComponent("after.store"))
      try world.source.deleteHistory([1...last])
      for _ in 0..<3 { try world.history.write(to: world.source) }
      _ = try recover(RecoverRequest(store: world.path, logs: world.logs))
      var replay = ImportRequest(logs: world.logs, store: folder.path + "/replica.store")
      replay.fromSnapshot = true
      _ = try importLogs(replay)

      let replica = replay.store
      #expect(try differenceCount(folder.path + "/before.store", "\(replica)@\(first)") == 0)
      #expect(try differenceCount(folder.path + "/after.store", "\(replica)@\(last)") == 0)
      let refusal = error("\(replica)@\(first + 1)")
      #expect(refusal?.message.contains("transactions \(first + 1) to \(last) together") == true)
      #expect(refusal?.hint.hasPrefix("Only logs can show that state: ") == true)
    }
  }
}
