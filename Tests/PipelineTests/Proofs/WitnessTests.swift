import ChangeLog
import Format
import Foundation
import PipelineTesting
import TestSupport
import Testing

@testable import Pipeline

@Suite("Witnesses and names of checkpoints")
struct WitnessTests {
  private let key = [UInt8](repeating: 9, count: 32)
  private let first: TestWitness
  private let second: TestWitness

  init() throws {
    first = try TestWitness("witness.example/1", secret: 1)
    second = try TestWitness("witness.example/2", secret: 2)
  }

  /// Calls `body` with logs of three guests and a signed checkpoint of their tree.
  private func withCheckpoint(_ body: (World, CheckpointResult, URL) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "witnessed guests")
      for id in 1...3 as ClosedRange<Int64> { try world.insertGuest(id) }
      try world.export()
      var request = CheckpointRequest(logs: world.logs)
      request.key = key
      try body(world, try #require(writeCheckpoints(request).first), folder)
    }
  }

  /// Writes a text into a file of the folder, and returns its path.
  private func file(_ folder: URL, _ name: String, _ text: String) throws -> String {
    let url = folder.appendingPathComponent(name)
    try Data(text.utf8).write(to: url)
    return url.path
  }

  @Test("A checkpoint needs the signatures of all given witnesses, or of the given number of them.")
  func quorum() throws {
    try withCheckpoint { world, signed, folder in
      let keys = try file(folder, "keys", "\(signed.vkey ?? "")\n")
      let one = try file(folder, "one", "\(first.key.verifier)\n")
      let two = try file(folder, "two", "\(second.key.verifier)\n\(first.key.verifier)\n")
      let none = try file(folder, "none.checkpoint", signed.note)
      let cosigned = try file(folder, "one.checkpoint", first.cosigning(signed.note, at: 60))
      let both = try file(folder, "both.checkpoint", second.cosigning(first.cosigning(signed.note)))
      func since(
        _ path: String,
        _ witnesses: [String],
        quorum: Int? = nil
      ) throws -> ProofVerification {
        var required = CheckpointRequirements(keys: keys, witnesses: witnesses)
        required.quorum = quorum
        let found = try verifySince(path, logs: world.logs, requiring: required)
        #expect(found.isSound == (found.finding == nil))
        #expect(found.currentSize == (found.isSound ? 3 : nil))
        return found
      }
      let sound = try since(cosigned, [one])
      #expect(sound.isSound && sound.signers == [signed.origin])
      #expect(
        sound.witnesses == [Witness(name: first.key.name, time: "1970-01-01T00:01:00.000000Z")]
      )
      #expect(try since(cosigned, []).witnesses == [])
      #expect(try !since(none, [one]).isSound && since(none, []).isSound)
      let few = try since(cosigned, [two])
      #expect(!few.isSound && few.witnesses == [] && few.finding?.contains("only 1 did") == true)
      #expect(try since(cosigned, [two], quorum: 1).isSound)
      #expect(try !since(none, [two], quorum: 1).isSound)
      let all = try since(both, [two])
      #expect(all.isSound && all.witnesses.map(\.name) == [first.key.name, second.key.name])
      #expect(try since(both, [two], quorum: 2).isSound)
      // A key that is given twice is one witness.
      #expect(try since(cosigned, [one, one]).isSound)
      let large = #expect(throws: LogError.self) { try since(both, [one, one], quorum: 2) }
      #expect(large?.code == .inputOutput)
      #expect(throws: LogError.self) { try since(both, [], quorum: 1) }
      // A witness that signs twice is one witness.
      let twice = try file(
        folder,
        "twice.checkpoint",
        first.cosigning(first.cosigning(signed.note), at: 1)
      )
      #expect(try !since(twice, [two], quorum: 2).isSound)
      // The signature of a given witness must be right even if the quorum does not need it.
      let altered = try String(contentsOfFile: both, encoding: .utf8).replacing(
        "\n3\n",
        with: "\n2\n"
      )
      #expect(try !since(file(folder, "altered", altered), [two], quorum: 1).isSound)
    }
  }

  @Test(
    "Keys of witnesses in the file of --key are witnesses, and do not replace the signer's key."
  )
  func mixedKeys() throws {
    try withCheckpoint { world, signed, folder in
      let keys = try file(folder, "keys", "\(first.key.verifier)\n\(signed.vkey ?? "")\n")
      let cosigned = try file(folder, "cosigned", first.cosigning(signed.note))
      func check(_ path: String, _ required: CheckpointRequirements) throws -> ProofVerification {
        try verifySince(path, logs: world.logs, requiring: required)
      }
      let found = try check(cosigned, CheckpointRequirements(keys: keys))
      #expect(found.isSound && found.signers == [signed.origin])
      #expect(found.witnesses.map(\.name) == [first.key.name])
      let alone = try file(folder, "alone", signed.note)
      #expect(try !check(alone, CheckpointRequirements(keys: keys)).isSound)
      let unsigned = try #require(signed.note.split(separator: "\n\n").first)
      let witnessed = try file(folder, "witnessed", first.cosigning("\(unsigned)\n"))
      #expect(try !check(witnessed, CheckpointRequirements(keys: keys)).isSound)
      // A note that is not a checkpoint needs only the signature of the signer.
      let note = try #require(CheckpointFile(Array(signed.note.utf8)).note)
      try checkSigners(of: note, path: alone, keys: keys)

      let witness = try file(folder, "witness", "\(first.key.verifier)\n")
      let error = #expect(throws: LogError.self) {
        try check(cosigned, CheckpointRequirements(keys: witness))
      }
      #expect(error?.path == witness && error?.code == .damaged)
      for text in ["", "\(signed.vkey ?? "")\n", "nothing\n"] {
        let path = try file(folder, "no witness", text)
        let error = #expect(throws: LogError.self) {
          try check(cosigned, CheckpointRequirements(witnesses: [witness, path]))
        }
        #expect(error?.path == path && error?.code == .damaged, "\(text)")
      }
      #expect(throws: LogError.self) {
        try check(cosigned, CheckpointRequirements(witnesses: [folder.path + "/missing"]))
      }
    }
  }

  @Test("A proof contains the signatures of witnesses that were added to the checkpoint.")
  func proofs() throws {
    try withCheckpoint { world, signed, folder in
      try Data(first.cosigning(signed.note).utf8).write(to: URL(fileURLWithPath: signed.path))
      // The same checkpoint keeps its signatures.
      var request = CheckpointRequest(logs: world.logs)
      request.key = key
      _ = try writeCheckpoints(request)
      let proof = try file(
        folder,
        "proof",
        prove(ProveRequest(logs: world.logs, transaction: 2)).text
      )
      let witness = try file(folder, "witness", first.key.verifier)
      let found = try verifyProof(proof, requiring: CheckpointRequirements(witnesses: [witness]))
      #expect(found.isSound && found.witnesses.map(\.name) == [first.key.name])
      let other = try file(folder, "other", second.key.verifier)
      let wrong = try verifyProof(proof, requiring: CheckpointRequirements(witnesses: [other]))
      #expect(!wrong.isSound && wrong.witnesses == [])
    }
  }

  @Test("A checkpoint or a proof of a tree with another name than the expected one is refused.")
  func names() throws {
    try withCheckpoint { world, signed, folder in
      // Another store, whose tree the same key signs.
      let elsewhere = folder.appendingPathComponent("elsewhere")
      try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: true)
      let other = try World(elsewhere, "other guests")
      try other.insertGuest(1)
      try other.export()
      var request = CheckpointRequest(logs: other.logs)
      request.key = key
      let foreign = try #require(writeCheckpoints(request).first)
      try #require(foreign.origin != signed.origin)
      let checkpoint = try file(folder, "checkpoint", foreign.note)
      let proof = try file(
        folder,
        "proof",
        prove(ProveRequest(logs: other.logs, transaction: 1)).text
      )
      for (name, isExpected) in [(foreign.origin, true), (signed.origin, false)] {
        let required = CheckpointRequirements(origin: name)
        let results = [
          try verifyProof(proof, requiring: required),
          try verifySince(checkpoint, logs: other.logs, requiring: required),
        ]
        #expect(results.map(\.isSound) == [isExpected, isExpected])
        let names = results.map { $0.finding?.contains(foreign.origin) ?? false }
        #expect(names == [!isExpected, !isExpected])
      }
      let required = CheckpointRequirements(origin: signed.origin)
      #expect(try !verifySince(checkpoint, logs: world.logs, requiring: required).isSound)
      // A vkey line has the expected name, but a signature does not cover the name beside it.
      let vkey = try file(folder, "vkey", "\(signed.vkey ?? "")\n")
      let text = try #require(foreign.note.split(separator: "\n\n").first)
      var renamed = try SignedNote(text: "\(text)\n")
      try renamed.sign(signed.origin, privateKey: key)
      let path = try file(folder, "renamed", "\(renamed)")
      func isSound(_ origin: String?) throws -> Bool {
        let required = CheckpointRequirements(keys: vkey, origin: origin)
        return try verifySince(path, logs: other.logs, requiring: required).isSound
      }
      #expect(try isSound(nil) && !isSound(signed.origin))
    }
  }

  @Test("A request to a witness has a proof that the tree extends the earlier checkpoint.")
  func requests() throws {
    try withCheckpoint { world, signed, folder in
      let old = try file(folder, "old", first.cosigning(signed.note))
      func request(
        since path: String,
        _ change: (inout CheckpointRequest) -> Void = { _ in }
      ) throws -> [CheckpointResult] {
        var request = CheckpointRequest(logs: world.logs)
        (request.key, request.since) = (key, path)
        change(&request)
        return try writeCheckpoints(request)
      }
      let same = try #require(request(since: old).first)
      #expect(same.request == "old 3\n\n\(same.note)" && same.note == signed.note)
      for id in 4...9 as ClosedRange<Int64> { try world.insertGuest(id) }
      try world.export()
      let unsigned = #expect(throws: LogError.self) { try request(since: old) { $0.key = nil } }
      #expect(unsigned?.path == signed.path)
      #expect(try String(contentsOfFile: signed.path, encoding: .utf8) == signed.note)
      let result = try #require(request(since: old).first)
      let body = try #require(result.request)
      let parts = body.components(separatedBy: "\n\n")
      #expect(body.hasSuffix("\n\n" + result.note) && result.isSigned)
      var lines = parts[0].components(separatedBy: "\n")
      #expect(lines.removeFirst() == "old 3")
      let hashes = try lines.map { line in
        try #require(Data(base64Encoded: line)?.withUnsafeBytes { Digest(bytes: $0) })
      }
      func head(_ note: String) throws -> TreeHead {
        try CheckpointFile(Array(note.utf8)).checkpoint.head
      }
      try checkConsistency(from: head(signed.note), to: head(result.note), by: hashes)

      // Another root, a larger tree, another name, and no checkpoint.
      let root = try #require(signed.note.split(separator: "\n").dropFirst(2).first)
      let digest = Data(SHA256.digest(of: []).bytes).base64EncodedString()
      for (old, new, code) in [
        (String(root), digest, LogError.Code.refuted), ("\n3\n", "\n10\n", .refuted),
        (signed.origin, "travelog/other/0", .missing), (signed.note, "nothing", .damaged),
      ] {
        let path = try file(folder, "wrong", signed.note.replacing(old, with: new))
        let error = #expect(throws: LogError.self) { try request(since: path) }
        #expect(error?.code == code, "\(new)")
      }
      #expect(throws: LogError.self) { try request(since: old) { $0.origin = "example.org/a" } }
      #expect(throws: LogError.self) { try request(since: old) { $0.isForStores = true } }
      #expect(try String(contentsOfFile: result.path, encoding: .utf8) == result.note)
    }
  }

  @Test("A folder with several trees gives a request only for the tree of the earlier checkpoint.")
  func severalTrees() throws {
    try withCheckpoint { world, signed, folder in
      let elsewhere = folder.appendingPathComponent("elsewhere")
      try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: true)
      let other = try World(elsewhere, "other guests")
      try other.insertGuest(1)
      _ = try export(ExportRequest(store: other.path, logs: world.logs))
      var request = CheckpointRequest(logs: world.logs)
      request.key = key
      #expect(try writeCheckpoints(request).map(\.request) == [nil, nil])
      request.since = try file(folder, "old", signed.note)
      #expect(try writeCheckpoints(request).map(\.origin) == [signed.origin])
      // The tree over all stores has its own checkpoints.
      request.since = nil
      request.isForStores = true
      let stores = try #require(writeCheckpoints(request).first)
      request.since = try file(folder, "old", stores.note)
      #expect(try writeCheckpoints(request).map(\.request) == ["old 2\n\n\(stores.note)"])
    }
  }
}
