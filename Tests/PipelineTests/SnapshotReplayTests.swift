import Changes
import Foundation
import Store
import StoreTesting
import TestSupport
import Testing

@testable import ChangeLog
@testable import Pipeline

@Suite("Replaying a snapshot")
struct SnapshotReplayTests {
  @Test(
    "The closure for the progress is called once for every 4096 objects of a snapshot.",
    arguments: [0, 1, 4_095, 4_096, 8_192]
  )
  func progress(_ count: Int64) throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "progress of a snapshot")
      try world.insertGuests(0...count)
      try world.deleteGuest(0)
      try world.export { $0.wantsSnapshot = true }
      let chain = try LogChain(world.logs, store: world.source.identifier, lineage: 0)
      let file = try #require(chain.snapshots.first)
      let point = try #require(try chain.snapshotPoint(file))
      try #expect(point == world.point(2))
      let request = ImportRequest(logs: world.logs, store: folder.path + "/replica.store")
      let replica = try Replica(request)
      var state = ImportState(
        result: ImportResult(
          store: request.store,
          identifier: replica.identifier,
          from: replica.head,
          to: replica.head
        )
      )
      var calls = 0
      try replica.replaySnapshot(
        chain.open(file, after: nil),
        point: point,
        isDirect: false,
        state: &state
      ) { _ in calls += 1 }
      #expect(calls == Int(count / 4_096))
      #expect(state.result.snapshotObjects == count && state.result.to == point)
      #expect(state.result.transactions == 0 && state.result.changes == 0)
    }
  }

  @Test(
    "A snapshot that a transaction proves is compared with a replay only if that was requested."
  )
  func replays() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "replayed snapshots")
      for id in 1...3 as ClosedRange<Int64> { try world.insertGuest(id) }
      try world.export { $0.wantsSnapshot = true }
      var request = VerifyRequest(logs: world.logs)
      for replays in [false, true] {
        request.replaysSnapshots = replays
        let result = try #require(verify(request).first)
        #expect(result.findings == [] && result.except == [])
        #expect(result.snapshots == 1 && result.snapshotObjects == 3)
        #expect(result.transactions == 4 && result.changes == 3 && result.files == 2)
        #expect(result.marked.map(\.isReplayed) == [replays])
        #expect(result.marked.map(\.by) == [4] && result.marked.map(\.isBase) == [false])
      }
    }
  }
}

@Suite("A tree that begins without logs")
struct EmptyTreeTests {
  private func transaction(_ id: Int64) -> Transaction {
    Transaction(
      id: id,
      time: "2026-01-01T00:00:00.000000Z",
      schema: "",
      count: 0,
      digest: SHA256.digest(of: [UInt8(id)])
    )
  }

  @Test("A tree that begins at transaction 0 has the plain name, and any other tree its beginning.")
  func names() throws {
    for start in 0...2 as ClosedRange<Int64> {
      try withTemporaryFolder { folder in
        let logs = LogFolder(folder.path)
        let chain = try LogChain(logs, store: "S", lineage: 0)
        let point = HistoryPoint(
          lineage: 0,
          transaction: start,
          digest: SHA256.digest(of: [9])
        )
        var writer = try LineageTreeWriter(rebuilding: chain, from: point)
        #expect(writer.last == point)
        // No head is written until a transaction is in the tree.
        #expect(try LineageTree(logs, store: "S", lineage: 0) == nil)
        for id in [start + 1, start + 2, start + 5, start + 6] {
          try writer.append(transaction(id))
        }
        try writer.finish()
        let tree = try #require(try LineageTree(logs, store: "S", lineage: 0))
        #expect(tree.origin == "travelog/S/0" + (start == 0 ? "" : "/\(start)"))
        #expect(tree.head.count == 4 && tree.last.transaction == start + 6)
        #expect(tree.last.digest == SHA256.digest(of: [UInt8(start + 6)]))
        #expect(
          tree.runs == [
            LineageTree.Run(position: 0, transaction: start + 1),
            LineageTree.Run(position: 2, transaction: start + 5),
          ]
        )
        let positions = (0...8).map { tree.position(of: start + $0) }
        #expect(positions == [nil, 0, 1, nil, nil, 2, 3, nil, nil])
        let ids = (0...4).map { tree.transaction(at: $0) }
        #expect(ids == [start + 1, start + 2, start + 5, start + 6, nil])
        try tree.check()
      }
    }
  }

  @Test("A tree ignores a transaction without a digest.")
  func noDigest() throws {
    try withTemporaryFolder { folder in
      let logs = LogFolder(folder.path)
      let chain = try LogChain(logs, store: "S", lineage: 0)
      var writer = try LineageTreeWriter(rebuilding: chain, from: chain.beginning)
      var none = transaction(1)
      none.digest = nil
      try writer.append(none)
      #expect(writer.last == chain.beginning)
    }
  }

  @Test("A head of a tree with a number outside its limits is altered.")
  func limits() throws {
    try withTemporaryFolder { folder in
      let logs = LogFolder(folder.path)
      let chain = try LogChain(logs, store: "S", lineage: 0)
      var writer = try LineageTreeWriter(rebuilding: chain, from: chain.beginning)
      for id in [1, 3] as [Int64] { try writer.append(transaction(id)) }
      try writer.finish()
      let path = LineageTree.path(logs, store: "S", lineage: 0) + "/head"
      let sound = try String(contentsOfFile: path, encoding: .utf8)
      let lines = sound.split(separator: "\n").map(String.init)
      #expect(lines.suffix(3).map { $0.prefix(5) } == ["0 1", "1 3", "end 3"])
      func isSound(_ number: Int, _ line: String) throws -> Bool {
        var changed = lines
        changed[lines.count - 3 + number] = line
        let text = sound.replacing(
          lines.suffix(3).joined(separator: "\n"),
          with: changed.suffix(3).joined(separator: "\n")
        )
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        do {
          return try LineageTree(logs, store: "S", lineage: 0) != nil
        } catch let error as LogError {
          #expect(error.path == path && error.code == .damaged)
          return false
        }
      }
      let digest = try #require(lines.last?.split(separator: " ").last.map(String.init))
      let most = (1 << 62) - 1
      for (line, expected) in [
        ("0 1", true), ("1 1", true), ("2 1", false), ("-1 1", false), ("0 0", false),
        ("0 \(most)", true), ("0 \(most + 1)", false), ("0", false), ("0 1 1", false),
        ("0 a", false), ("a 1", false),
      ] {
        #expect(try isSound(0, line) == expected, "\(line)")
      }
      for (line, expected) in [
        ("end 3 \(digest)", true), ("end 1 \(digest)", true), ("end 0 \(digest)", false),
        ("end \(most) \(digest)", true), ("end \(most + 1) \(digest)", false),
        ("End 3 \(digest)", false), ("end 3", false), ("end 3 \(digest.dropLast())", false),
        ("end 3 \(digest) 1", false),
      ] {
        #expect(try isSound(2, line) == expected, "\(line)")
      }
    }
  }
}
