import ChangeLog
import Format
import Foundation
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@testable import Pipeline

@Suite("Proving")
struct ProveTests {
  /// Proofs of all transactions and changes in the logs of a world, as texts.
  private func proofs(_ world: World) throws -> [(ProveRequest, String)] {
    var result: [(ProveRequest, String)] = []
    for file in try world.logs.files(of: world.source.identifier, lineage: 0) {
      let reader = try LogReader(path: file.path) { try Erasures(near: file.path, header: $0) }
      while let transaction = try reader.next() {
        for change in [nil] + (0..<transaction.count).map(Optional.some) {
          let request = ProveRequest(
            logs: world.logs,
            transaction: transaction.id,
            change: change
          )
          result.append((request, try prove(request).text))
        }
      }
    }
    return result
  }

  private func expect(_ proofs: [(ProveRequest, String)]) throws {
    for (request, text) in proofs {
      let result = try TransactionProof(Array(text.utf8)).check()
      #expect(result.transaction == request.transaction && result.change == request.change)
    }
  }

  @Test("Each change of random history is proven, in small logs and after a compaction.")
  func changes() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "proofs")
      for _ in 0..<4 {
        try world.write(12)
        try world.export { $0.maximumFileSize = 1 }
      }
      let first = try proofs(world)
      #expect(first.count > 50)
      try expect(first)
      _ = try compact(CompactRequest(logs: world.logs))
      #expect(try proofs(world).map(\.1) == first.map(\.1))
    }
  }

  @Test("Proofs from before an erasure hold, and erased lines are proven without their values.")
  func erasures() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "proofs and erasures")
      world.history.hasLargeValues = false
      func count(_ kind: String) throws -> Int {
        try rows(
          "SELECT DISTINCT entity, object FROM history_change WHERE kind = '\(kind)'",
          in: world.source
        ).count
      }
      // The deleted objects are erased: at least 30 % of all objects.
      repeat { try world.write(20) } while try 10 * count("delete") < 3 * count("insert")
      try world.export()
      let first = try proofs(world)
      var erased = 0
      for (request, text) in first where request.change != nil {
        guard let line = text.split(separator: "\n").dropFirst().first,
          let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
          object["op"] as? String == "delete", let entity = object["entity"] as? String,
          let id = (object["id"] as? String).flatMap({ Int64($0) })
        else { continue }
        var request = EraseRequest(logs: world.logs, entity: entity, object: ObjectID(id))
        request.store = world.path
        _ = try erase(request)
        erased += 1
      }
      #expect(try erased == count("delete"))
      try world.export()
      try expect(first)
      let later = try proofs(world)
      try expect(later)
      #expect(later.contains { $0.1.contains(#","values":""#) })
      try world.expectTree()
    }
  }

  /// Calls `body` with logs of three guests, one in each transaction.
  private func withGuests(_ body: (World, URL) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "proofs of guests")
      for id in 1...3 as ClosedRange<Int64> { try world.insertGuest(id, note: "a note") }
      try world.export()
      try body(world, folder)
    }
  }

  private func write(_ text: String, _ folder: URL, _ name: String) throws -> String {
    let url = folder.appendingPathComponent(name)
    try Data(text.utf8).write(to: url)
    return url.path
  }

  @Test("A file of 64 MiB is read as a proof, and a larger file is refused.")
  func largeFile() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/large"
      // The file is not UTF-8, and therefore not a proof.
      try Data([0xff]).write(to: URL(fileURLWithPath: path))
      for (size, isProof) in [(1 << 26, true), ((1 << 26) + 1, false)] {
        try #require(truncate(path, size) == 0)
        let error = #expect(throws: LogError.self) {
          try verifyProof(path, requiring: CheckpointRequirements())
        }
        #expect(error?.message.contains("is not a proof") == isProof, "\(size)")
      }
    }
  }

  @Test("A transaction without changes is proven as a whole, and has no change to prove.")
  func withoutChanges() throws {
    try withGuests { world, _ in
      try world.export { $0.wantsSnapshot = true }
      let mark = try prove(ProveRequest(logs: world.logs, transaction: 4))
      let proven = try mark.check()
      #expect(proven.transaction == 4 && proven.change == nil)
      let request = ProveRequest(logs: world.logs, transaction: 4, change: 0)
      let error = #expect(throws: LogError.self) { try prove(request) }
      #expect(error?.code == .missing && error?.transaction == 4)
    }
  }
}
