import ChangeLog
import Format
import Foundation
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@testable import Pipeline

@Suite("Checkpoints of trees beside logs")
struct CheckpointTests {
  private let key = [UInt8](repeating: 9, count: 32)

  private func withWorld(_ name: String, _ body: (inout World, URL) throws -> Void) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, name)
      world.history.hasLargeValues = false
      try world.write(5)
      try world.export()
      try body(&world, folder)
    }
  }

  private func request(
    _ world: World,
    _ change: (inout CheckpointRequest) -> Void = { _ in }
  ) -> CheckpointRequest {
    var request = CheckpointRequest(logs: world.logs)
    request.key = key
    change(&request)
    return request
  }

  /// Writes a text into a file of the folder, and returns its path.
  private func file(_ folder: URL, _ name: String, _ text: String) throws -> String {
    let url = folder.appendingPathComponent(name)
    try Data(text.utf8).write(to: url)
    return url.path
  }

  private func since(
    _ path: String,
    _ world: World,
    keys: String? = nil
  ) throws -> ProofVerification {
    try verifySince(path, logs: world.logs, requiring: CheckpointRequirements(keys: keys))
  }

  @Test("A checkpoint is signed, keeps its name and other signatures, and grows with the tree.")
  func signing() throws {
    try withWorld("signed checkpoint") { world, folder in
      let origin = "travelog/\(world.source.identifier)/0"
      let text = try writeCheckpoints(request(world) { $0.key = nil })
      #expect(text.map(\.isSigned) == [false] && text[0].note.hasPrefix(origin + "\n"))
      let first = try writeCheckpoints(request(world))
      #expect(first.map(\.isSigned) == [true] && first[0].note.hasPrefix(text[0].note + "\n"))
      // The same again, and without a key, leaves the file as it is.
      #expect(try writeCheckpoints(request(world)) == first)
      #expect(try writeCheckpoints(request(world) { $0.key = nil }).map(\.note) == [first[0].note])
      let other = try writeCheckpoints(request(world) { $0.key = Array(repeating: 1, count: 32) })
      #expect(try CheckpointFile(Array(other[0].note.utf8)).note?.signatures.count == 2)
      let known = try ed25519PublicKey(of: key)
      let keys = try file(folder, "keys", NoteKey(name: origin, bytes: known).verifier + "\n")
      let saved = try file(folder, "saved", first[0].note)
      for count in [5, 300, 40] {
        try world.write(count)
        try world.export()
        let found = try since(saved, world, keys: keys)
        #expect(found.finding == nil && found.signers == [origin])
        #expect(found.currentSize == (try world.tree().head.count) && found.size == 5)
      }
      let named = try writeCheckpoints(request(world) { $0.origin = "example.org/trips" })
      #expect(named.map(\.origin) == ["example.org/trips"])
      #expect(try writeCheckpoints(request(world)).map(\.origin) == ["example.org/trips"])
      #expect(throws: LogError.self) { try since(saved, world) }
    }
  }

  @Test("A tree that does not extend its checkpoint is not signed, and verify --since finds it.")
  func otherHistory() throws {
    try withWorld("altered history") { world, folder in
      let signed = try writeCheckpoints(request(world))[0]
      let saved = try file(folder, "saved", signed.note)
      // Leaf 3 is another one, as if history had been written again.
      let path = world.treePath()
      var writer = try TileWriter(TiledTree(path, count: 0))
      for (index, leaf) in try world.leaves().enumerated() {
        try writer.append(index == 3 ? leafHash(leaf.hash) : leaf.hash)
      }
      try writer.finish()
      let head = URL(fileURLWithPath: path + "/head")
      let text = try String(contentsOf: head, encoding: .utf8).split(separator: "\n").dropFirst(3)
      let start = try Checkpoint(origin: signed.origin, head: writer.head()).text
      try Data((start + text.joined(separator: "\n") + "\n").utf8).write(to: head)
      let found = try since(saved, world)
      #expect(found.finding?.contains("does not extend") == true)
      let error = #expect(throws: LogError.self) { try writeCheckpoints(request(world)) }
      #expect(error?.message.contains("does not extend") == true)
      let kept = try String(contentsOfFile: path + "/checkpoint", encoding: .utf8)
      #expect(kept == signed.note)
    }
  }

  @Test("A file that is not a checkpoint, or one of another tree or signature, is refused.")
  func refused() throws {
    try withWorld("refused checkpoints") { world, folder in
      let signed = try writeCheckpoints(request(world))[0]
      let known = try ed25519PublicKey(of: key)
      let keys = try file(folder, "keys", NoteKey(name: signed.origin, bytes: known).verifier)
      let saved = try file(folder, "saved", signed.note)
      #expect(try since(saved, world, keys: keys).finding == nil)
      let text = try #require(signed.note.split(separator: "\n\n").first)
      let unsigned = try file(folder, "unsigned", text + "\n")
      #expect(try since(unsigned, world).finding == nil)
      #expect(try since(unsigned, world, keys: keys).finding != nil)
      let altered = try file(folder, "altered", signed.note.replacing("\n5\n", with: "\n4\n"))
      #expect(try since(altered, world, keys: keys).finding != nil)
      #expect(try since(altered, world).finding != nil)
      let foreign = signed.note.replacing(signed.origin, with: "travelog/other/0")
      for (name, text) in [("foreign", foreign), ("none", "nothing"), ("empty", "")] {
        let path = try file(folder, name, text)
        #expect(throws: LogError.self) { try since(path, world) }
      }
      #expect(throws: LogError.self) {
        try since(folder.path + "/missing", world)
      }
      #expect(throws: LogError.self) { try readPrivateKey(saved) }
      #expect(throws: LogError.self) { try readPrivateKey(folder.path + "/missing") }
    }
  }

  @Test("One checkpoint for all stores covers each that has changed, and extends its earlier ones.")
  func stores() throws {
    try withWorld("stores") { world, folder in
      let second = try Store.open(
        .file(folder.appendingPathComponent("b.store")),
        schema: worldSchema
      )
      var history = HistoryWorld(SeededGenerator(for: "second store"))
      history.hasLargeValues = false
      func exportSecond() throws {
        try history.write(to: second)
        _ = try export(ExportRequest(store: second.location.path, logs: world.logs))
      }
      while try second.read({ try $0.sealedHead() }) == 0 { try exportSecond() }
      let ofStores = request(world) { $0.isForStores = true }
      let first = try writeCheckpoints(ofStores)
      #expect(first.map(\.size) == [2])
      #expect(first[0].origin.wholeMatch(of: /travelog\/stores\/[0-9a-f]{16}/) != nil)
      #expect(try writeCheckpoints(ofStores) == first)
      let saved = try file(folder, "saved", first[0].note)
      // Far enough that a file of entries fills.
      for size in Int64(3)...260 {
        let head = try second.read { try $0.sealedHead() }
        while try second.read({ try $0.sealedHead() }) == head { try exportSecond() }
        #expect(try writeCheckpoints(ofStores).map(\.size) == [size])
      }
      #expect(try since(saved, world).finding == nil)
      let path = world.logs.path + "/_tree"
      let entries = try TreeEntries(path)
      #expect(entries.all.count == 260)
      let leaves = entries.all.map { $0.withUnsafeBytes { leafHash($0) } }
      #expect(try TiledTree(path, count: 260).head().root == MerkleTree(leaves).root)
      try FileManager.default.removeItem(atPath: path + "/tile/0")
      try exportSecond()
      let last = try writeCheckpoints(ofStores)
      #expect(try TiledTree(path, count: last[0].size).leaf(100) == leaves[100])
      #expect(try since(saved, world).finding == nil)
      // The logs of a store were removed.
      try FileManager.default.removeItem(atPath: world.logs.storeFolder(second.identifier))
      #expect(try since(saved, world).finding != nil)
    }
  }

  @Test("A request for a proof that can't be given is refused.")
  func unprovable() throws {
    try withWorld("unprovable") { world, folder in
      func code(_ transaction: Int64, _ change: Int64? = nil) -> LogError.Code? {
        let request = ProveRequest(logs: world.logs, transaction: transaction, change: change)
        return #expect(throws: LogError.self) { try prove(request) }?.code
      }
      for id in [0, 99, .max] as [Int64] { #expect(code(id) == .missing) }
      let log = try #require(try world.files().first)
      let count = try #require(try LogReader(path: log).next()?.count)
      for change in [-1, count, 1000] { #expect(code(1, change) == .missing) }
      _ = try writeCheckpoints(request(world))
      try world.write(1)
      try world.export()
      // The last transaction is after the checkpoint.
      let last = try #require(try world.leaves().last).id
      #expect(code(last) == .missing)
      try FileManager.default.removeItem(atPath: world.treePath())
      #expect(code(1) == .missing)
    }
  }
}
