import Foundation
import TestSupport
import Testing

@testable import Format

extension Forgery {
  /// Signed checkpoints of two witnesses, both of which `verify --since` must require.
  private struct Witnesses {
    let first: TestWitness
    let second: TestWitness
    /// The flags with the keys of both.
    let flags: [String]

    init(_ world: LongerWorld) throws {
      first = try TestWitness("witness.example/1", secret: 1)
      second = try TestWitness("witness.example/2", secret: 2)
      let keys = world.folder.path + "/witnesses"
      try "\(first.key.verifier)\n\(second.key.verifier)\n".write(
        toFile: keys,
        atomically: true,
        encoding: .utf8
      )
      flags = ["--witness", keys]
    }

    func both(_ checkpoint: String) throws -> String {
      try second.cosigning(first.cosigning(checkpoint))
    }
  }

  private init(
    witness name: String,
    _ alter: @escaping @Sendable (LongerWorld, Witnesses, _ checkpoint: String) throws -> String
  ) {
    self.init(name) { world in
      let witnesses = try Witnesses(world)
      let checkpoint = try travelog("checkpoint", world.logs).output
      func since(_ text: String) throws -> Run {
        let path = world.folder.path + "/cosigned.checkpoint"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return try travelog(["verify", world.logs, "--since", path] + witnesses.flags)
      }
      try #require(since(witnesses.both(checkpoint)).code == 0)
      return try since(alter(world, witnesses, checkpoint))
    }
  }

  /// Forgeries of the signatures of witnesses, which need libcrypto.
  static let witnesses: [Forgery] =
    (try? TestWitness("witness.example", secret: 1)) == nil
    ? []
    : [
      Forgery(witness: "a checkpoint lacks the signature of one of two witnesses") {
        try $1.first.cosigning($2)
      },
      Forgery(witness: "one witness signed a checkpoint twice, and another did not") {
        try $1.first.cosigning($1.first.cosigning($2), at: 1)
      },
      Forgery(witness: "another key of the same name signed a checkpoint as a witness") {
        let other = try TestWitness($1.second.key.name, secret: 3)
        return try other.cosigning($1.first.cosigning($2))
      },
      Forgery(witness: "the time in the signature of a witness is replaced") {
        let whole = try $1.both($2)
        let word = try #require(whole.split(whereSeparator: \.isWhitespace).last)
        var bytes = try #require(Data(base64Encoded: String(word)))
        bytes[11] ^= 1
        return whole.replacing(word, with: bytes.base64EncodedString())
      },
      Forgery(witness: "the root under the signatures of witnesses is that of a forged history") {
        world,
        witnesses,
        checkpoint in
        try world.forgeHistory()
        let forged = try travelog("checkpoint", world.logs).output
        return try witnesses.both(checkpoint).replacing(checkpoint, with: forged)
      },
      Forgery("a checkpoint of another tree is signed by the same key, and the name is given") {
        world in
        let path = world.folder.path + "/other.checkpoint"
        let checkpoint = try travelog("checkpoint", world.logs).output
        let name = String(checkpoint.prefix { $0 != "\n" })
        var file = try CheckpointFile(Array(checkpoint.replacing(name, with: "\(name)/40").utf8))
        let keys = world.folder.path + "/public.pem"
        let secret = [UInt8](repeating: 7, count: 32)
        let key = try file.sign(secret)
        let der = Data([0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0] + key.bytes)
        let pem =
          "-----BEGIN PUBLIC KEY-----\n\(der.base64EncodedString())\n-----END PUBLIC KEY-----\n"
        try pem.write(toFile: keys, atomically: true, encoding: .utf8)
        try file.text.write(toFile: path, atomically: true, encoding: .utf8)
        return try travelog(
          "verify",
          world.logs,
          "--since",
          path,
          "--key",
          keys,
          "--origin",
          name
        )
      },
    ]
}
