import ChangeLog
import Changes
import Foundation
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

  @Test("The verification of a proof says what was proven and who signed, or what is wrong.")
  func verification() throws {
    try withGuests { world, folder in
      let origin = "travelog/\(world.source.identifier)/0"
      let request = ProveRequest(logs: world.logs, transaction: 2, change: 0)
      let text = try prove(request).text
      let path = try write(text, folder, "proof")
      let sound = try verifyProof(path, requiring: CheckpointRequirements())
      #expect(sound.isSound && sound.finding == nil && sound.signers == [])
      #expect(sound.origin == origin && sound.size == 3 && sound.currentSize == nil)
      #expect(sound.transaction == 2 && sound.change == 0 && sound.index == 1)
      let whole = try write(
        prove(ProveRequest(logs: world.logs, transaction: 3)).text,
        folder,
        "whole"
      )
      let other = try verifyProof(whole, requiring: CheckpointRequirements())
      #expect(other.isSound && other.transaction == 3 && other.change == nil && other.index == 2)
      let altered = try write(text.replacing("a note", with: "b note"), folder, "altered")
      let wrong = try verifyProof(altered, requiring: CheckpointRequirements())
      #expect(!wrong.isSound && wrong.finding != nil && wrong.transaction == nil)
      // The checkpoint of the proof is not signed.
      let key = [UInt8](repeating: 9, count: 32)
      let known = try NoteKey(name: origin, bytes: ed25519PublicKey(of: key)).verifier
      let keys = try write("\n\(known)\n", folder, "keys")
      let unsigned = try verifyProof(path, requiring: CheckpointRequirements(keys: keys))
      #expect(!unsigned.isSound && unsigned.signers == [] && unsigned.transaction == 2)
      #expect(
        unsigned.finding?.hasPrefix("None of the given keys has signed \(path).") == true
      )
      var checkpoints = CheckpointRequest(logs: world.logs)
      checkpoints.key = key
      _ = try writeCheckpoints(checkpoints)
      let signed = try verifyProof(
        write(prove(request).text, folder, "signed"),
        requiring: CheckpointRequirements(keys: keys)
      )
      #expect(signed.isSound && signed.signers == [origin] && signed.finding == nil)
    }
  }

  @Test("A file that is missing or is not a proof is an error, and not a finding.")
  func otherFiles() throws {
    try withGuests { world, folder in
      let none = folder.path + "/none"
      let missing = #expect(throws: LogError.self) {
        try verifyProof(none, requiring: CheckpointRequirements())
      }
      #expect(missing?.code == .missing && missing?.path == none)
      let path = try write("nothing", folder, "nothing")
      let other = #expect(throws: LogError.self) {
        try verifyProof(path, requiring: CheckpointRequirements())
      }
      #expect(other?.code == .damaged && other?.path == path)
      #expect(other?.message.hasPrefix("\(path) is not a proof: ") == true)
      let request = ProveRequest(logs: world.logs, transaction: 2)
      let proof = try write(prove(request).text, folder, "proof")
      let keys = #expect(throws: LogError.self) {
        try verifyProof(proof, requiring: CheckpointRequirements(keys: path))
      }
      #expect(keys?.code == .damaged && keys?.path == path)
      let noKeys = #expect(throws: LogError.self) {
        try verifyProof(proof, requiring: CheckpointRequirements(keys: none))
      }
      #expect(noKeys?.code == .missing && noKeys?.path == none)
    }
  }

  @Test("A file of 64 MiB is read as a proof, and a larger file is refused.")
  func largeFile() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/large"
      // The file is not UTF-8, and therefore not a proof.
      try Data([0xff]).write(to: URL(fileURLWithPath: path))
      for (size, message) in [
        (1 << 26, "\(path) is not a proof: "),
        ((1 << 26) + 1, "The file \(path), or a line in it, is larger than the limit."),
      ] {
        try #require(truncate(path, size) == 0)
        let error = #expect(throws: LogError.self) {
          try verifyProof(path, requiring: CheckpointRequirements())
        }
        #expect(error?.message.hasPrefix(message) == true, "\(size)")
      }
    }
  }

  @Test("A refused request for a proof names the place and the transaction.")
  func refusals() throws {
    try withGuests { world, _ in
      let (store, tree) = (world.source.identifier, world.treePath())
      func error(_ id: Int64, _ change: Int64? = nil, lineage: Int64? = nil) -> LogError? {
        var request = ProveRequest(logs: world.logs, transaction: id, change: change)
        request.lineage = lineage
        return #expect(throws: LogError.self) { try prove(request) }
      }
      let log = try #require(try world.files().first)
      for change in [-1, 1, 2] as [Int64] {
        let reason = CheckpointFailure.noChange(count: 1)
        let refused = error(2, change)
        #expect(refused?.code == .missing && refused?.path == log && refused?.transaction == 2)
        #expect(refused?.wording == reason.at(log, transaction: 2).wording, "change \(change)")
      }
      for id in [0, 4] as [Int64] {
        let refused = error(id)
        let folder = world.logs.storeFolder(store)
        let expected = CheckpointFailure.notInLogs.at(folder, transaction: id)
        #expect(refused?.code == .missing && refused?.wording == expected.wording)
      }
      // There is no tree in a lineage without logs.
      #expect(error(1, lineage: 5)?.message.hasPrefix("There is no tree") == true)
      _ = try writeCheckpoints(CheckpointRequest(logs: world.logs))
      try world.insertGuest(4)
      try world.export()
      let later = error(4)
      let covered = CheckpointFailure.isNotCovered(count: 3).at(
        tree + "/checkpoint",
        transaction: 4
      )
      #expect(later?.code == .missing && later?.wording == covered.wording)
      #expect(try prove(ProveRequest(logs: world.logs, transaction: 3)).tree.index == 2)
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
      #expect(error?.message == "Transaction 4 has 0 changes, numbered from 0.")
      #expect(error?.hint == "" && error?.transaction == 4)
    }
  }

  @Test("A note is accepted if one of the keys in a file has signed it.")
  func signersOfNotes() throws {
    try withTemporaryFolder { folder in
      let key = [UInt8](repeating: 9, count: 32)
      let other = [UInt8](repeating: 8, count: 32)
      let head = TreeHead(count: 1, root: SHA256.digest(of: []))
      var file = try CheckpointFile(Checkpoint(origin: "example.org/a", head: head))
      try file.sign(key)
      let note = try #require(file.note)
      func line(_ key: [UInt8]) throws -> String {
        try NoteKey(name: "example.org/a", bytes: ed25519PublicKey(of: key)).verifier + "\n"
      }
      let both = try write(line(other) + line(key), folder, "both")
      try checkSigners(of: note, path: "note", keys: both)
      let wrong = try write(line(other), folder, "wrong")
      let error = #expect(throws: LogError.self) {
        try checkSigners(of: note, path: "note", keys: wrong)
      }
      #expect(error?.path == "note" && error?.code == .damaged)
      #expect(error?.message == "None of the given keys has signed note.")
    }
  }
}
