import Format
import Foundation
import PipelineTesting
import TestSupport
import Testing

@Suite("Digests from elsewhere")
struct HeadTests {
  @Test("Any digest of the chain proves it up to there, and the answer names its transaction.")
  func heads() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      let digests = try world.files().flatMap { try world.digests(gunzip($0)) }
      let answer = try world.verify("--head", digests[1], "--head", digests[5], code: 0)
      #expect(answer["verdict"] as? String == "proven")
      #expect((answer["proven"] as? [String: Any])?["transaction"] as? Int == 6)
      let points = try #require(answer["heads"] as? [[String: Any]])
      #expect(points.map { $0["transaction"] as? Int } == [2, 6])
      #expect(answer["end"] as? String == "token")
      let text = try travelog("verify", world.logs, "--head", digests[1]).output
      #expect(
        text.contains(
          "proven up to transaction 2 by the digest that was given: transactions 1 to 8"
        )
      )
      #expect(text.contains("the given digest \(digests[1]) is that of transaction 2"))
      let wrong = try world.verify(
        "--head",
        digests[1],
        "--head",
        String(world.head.reversed()),
        code: 1
      )
      #expect(kinds("findings", of: wrong) == ["end-missing"])
      #expect(wrong["proven"] == nil)
    }
  }

  @Test("With --key, a note of digests needs the signature of that key over its present text.")
  func signedHeads() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      let secret = [UInt8](repeating: 7, count: 32)
      guard let key = try? NoteKey(name: "officer", bytes: ed25519PublicKey(of: secret)) else {
        return print("There is no libcrypto, so signed heads were not tested.")
      }
      let (heads, keys) = (folder.path + "/heads", folder.path + "/keys")
      try "\(key.verifier)\n".write(toFile: keys, atomically: true, encoding: .utf8)
      var note = try SignedNote(text: "example.org/trips\n\(world.head)\n")
      try note.sign("officer", privateKey: secret)
      let digests = try world.files().flatMap { try world.digests(gunzip($0)) }
      let altered = "\(note)".replacing(world.head, with: digests[2])
      let other = "\(note)".replacing("officer", with: "clerk")
      let list = "\(world.head)\n"
      for (text, code) in [("\(note)", Int32(0)), (altered, 4), (other, 4), (list, 4)] {
        try text.write(toFile: heads, atomically: true, encoding: .utf8)
        let run = try travelog("verify", world.logs, "--head", heads, "--key", keys)
        #expect(run.code == code, "\(text) \(run.errors)")
      }
      #expect(try travelog("verify", world.logs, "--key", keys).code == 64)
      #expect(try travelog("verify", world.logs, "--head", world.head, "--key", keys).code == 64)
    }
  }

  @Test("A file of digests, a signed note and the answer of an earlier run are read as heads.")
  func files() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      let digests = try world.files().flatMap { try world.digests(gunzip($0)) }
      let answer = try travelog("verify", world.logs, "--json").output
      let note = "example.org/trips\n\(digests[3])\n\n\u{2014} officer AAAAAAECAwQFBgcI\n"
      let cases: [(text: String, transactions: [Int])] = [
        ("\(digests[2])\n\(digests[4])  monday\n", [3, 5]), (note, [4]), (answer, [8]),
      ]
      for (text, transactions) in cases {
        let file = folder.path + "/heads"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let points = try world.verify("--head", file, code: 0)["heads"] as? [[String: Any]]
        #expect(points?.map { $0["transaction"] as? Int } == transactions, "\(text)")
      }
      for (text, code) in [("\(digests[2])\n5f2c\n", Int32(4)), ("", 4)] {
        try text.write(toFile: folder.path + "/heads", atomically: true, encoding: .utf8)
        #expect(try travelog("verify", world.logs, "--head", folder.path + "/heads").code == code)
      }
      #expect(try travelog("verify", world.logs, "--head", folder.path + "/none").code == 10)
    }
  }

  @Test("The transactions after a trusted one are verified without the logs before it.")
  func after() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      let digests = try world.files().flatMap { try world.digests(gunzip($0)) }
      let start = try world.verify("--after", "6:\(digests[5])", code: 0)
      #expect(start["transactions"] as? Int == 2 && start["changes"] as? Int == 2)
      #expect((start["after"] as? [String: Any])?["transaction"] as? Int == 6)
      #expect(start["verdict"] as? String == "sound" && start["end"] as? String == "token")
      // Nothing of the first log is read.
      try world.write([0x78], to: world.files()[0])
      _ = try world.verify(code: 1)
      for id in [4, 6, 8] {
        let answer = try world.verify("--after", "\(id):\(digests[id - 1])", code: 0)
        #expect(answer["transactions"] as? Int == 8 - id)
        let head = try world.verify(
          "--after",
          "\(id):\(digests[id - 1])",
          "--head",
          world.head,
          code: 0
        )
        #expect(head["verdict"] as? String == "proven")
      }
      _ = try world.verify("--after", "6:\(digests[4])", code: 1)
      _ = try world.verify("--after", "9:\(digests[4])", code: 1)
      let run = try travelog("verify", world.logs, "--after", "6:\(digests[5])")
      #expect(run.output.contains("nothing up to transaction 6 was verified"))
      for text in ["6", "6:", "x:\(digests[5])", "-1:\(digests[5])"] {
        #expect(try travelog("verify", world.logs, "--after", text).code == 64)
      }
      let both = ["--after", "6:\(digests[5])", "--against", world.store]
      #expect(try travelog(["verify", world.logs] + both).code == 64)
    }
  }

  @Test("A signed checkpoint is a head for the report, which proves nothing of altered logs.")
  func checkpointOfReport() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      let secret = [UInt8](repeating: 9, count: 32)
      guard let key = try? NoteKey(name: "officer", bytes: ed25519PublicKey(of: secret)) else {
        return print("There is no libcrypto, so signed heads were not tested.")
      }
      let (saved, keys) = (folder.path + "/checkpoint", folder.path + "/keys")
      try "\(key.verifier)\n".write(toFile: keys, atomically: true, encoding: .utf8)
      var note = try SignedNote(text: travelog("checkpoint", world.logs).output)
      try note.sign("officer", privateKey: secret)
      try "\(note)".write(toFile: saved, atomically: true, encoding: .utf8)
      let flags = [world.logs, "--head", saved, "--key", keys, "--json", "--fail-on", "damage"]
      let proven = try travelog(["report"] + flags)
      #expect(proven.code == 0, "\(proven.errors)")
      #expect(proven.output.contains(#""proven_transaction":8"#))
      try world.rewrite(world.files(), "note of 3", "other of 3")
      let forged = try travelog(["report"] + flags)
      #expect(forged.code == 1, "\(forged.errors)")
      #expect(!forged.output.contains("proven_transaction"))
    }
  }
}
