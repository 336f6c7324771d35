import Format
import Foundation
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Checkpoints and proofs, as the program does them")
struct ProofProgramTests {
  private func withLogs(
    _ body: (_ store: Store, _ logs: String, _ folder: URL) throws -> Void
  )
    throws
  {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "proofs"))
      world.hasLargeValues = false
      let store = try Store.open(
        .file(folder.appendingPathComponent("a.store")),
        schema: worldSchema
      )
      for _ in 0..<20 { try world.write(to: store) }
      let logs = folder.path + "/logs"
      try #expect(travelog("export", store.location.path, "--to", logs).code == 0)
      try body(store, logs, folder)
    }
  }

  /// Files with a private and a public key, as openssl writes them.
  private func keys(_ folder: URL) throws -> (private: String, public: String)? {
    guard let openssl = installed("openssl") else { return nil }
    let (key, open) = (folder.path + "/key.pem", folder.path + "/public.pem")
    #expect(try run(openssl, ["genpkey", "-algorithm", "ed25519", "-out", key]).code == 0)
    #expect(try run(openssl, ["pkey", "-in", key, "-pubout", "-out", open]).code == 0)
    return (key, open)
  }

  private func object(_ run: Run) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(run.bytes)) as? [String: Any])
  }

  @Test("openssl accepts the signature of a checkpoint, and makes the same signature itself.")
  func openssl() throws {
    try withLogs { _, logs, folder in
      guard let openssl = installed("openssl"), let keys = try keys(folder) else { return }
      let unsigned = try travelog("checkpoint", logs)
      #expect(unsigned.code == 0 && unsigned.output.hasPrefix("travelog/"))
      let signed = try travelog("checkpoint", logs, "--key", keys.private)
      #expect(signed.code == 0 && signed.errors == "", "\(signed.errors)")
      #expect(signed.output.hasPrefix(unsigned.output + "\n\u{2014} travelog/"))
      let (text, sign) = (folder.path + "/text", folder.path + "/signature")
      try Data(unsigned.output.utf8).write(to: URL(fileURLWithPath: text))
      let word = try #require(signed.output.split(whereSeparator: \.isWhitespace).last)
      let bytes = try #require(Data(base64Encoded: String(word)))
      try bytes.dropFirst(4).write(to: URL(fileURLWithPath: sign))
      let verify = ["pkeyutl", "-verify", "-pubin", "-inkey", keys.public, "-rawin", "-in", text]
      #expect(try run(openssl, verify + ["-sigfile", sign]).code == 0)
      let vkey = try object(travelog("checkpoint", logs, "--key", keys.private, "--json"))["vkey"]
      let line = folder.path + "/vkey"
      try Data(try #require(vkey as? String).utf8).write(to: URL(fileURLWithPath: line))
      let saved = folder.path + "/saved"
      try signed.bytes.write(to: URL(fileURLWithPath: saved))
      #expect(try travelog("verify", logs, "--since", saved, "--key", line).code == 0)
      // What the hint says without libcrypto.
      let make = ["pkeyutl", "-sign", "-rawin", "-inkey", keys.private, "-in", text, "-out", sign]
      #expect(try run(openssl, make).code == 0)
      #expect(try Data(contentsOf: URL(fileURLWithPath: sign)) == bytes.dropFirst(4))
    }
  }

  @Test("verify --since reads no log, and ends with 1 if the tree does not extend the checkpoint.")
  func since() throws {
    try withLogs { store, logs, folder in
      guard let keys = try keys(folder) else { return }
      let saved = folder.path + "/saved"
      let first = try travelog("checkpoint", logs, "--key", keys.private)
      try first.bytes.write(to: URL(fileURLWithPath: saved))
      let guest = worldSchema.index(of: "Guest") ?? 0
      try store.write(Author()) { writer in
        let values = writer.layouts[guest].columns.map { _ in Value.null }
        try writer.insert(guest, id: 9000, values: values)
      }
      #expect(try travelog("export", store.location.path, "--to", logs).code == 0)
      // Without its logs, whose files need only be there.
      for file in try FileManager.default.subpathsOfDirectory(atPath: logs)
      where file.hasSuffix(".gz") {
        try Data().write(to: URL(fileURLWithPath: "\(logs)/\(file)"))
      }
      let run = try travelog("verify", logs, "--since", saved, "--key", keys.public)
      #expect(run.code == 0, "\(run.errors)")
      #expect(run.output.contains("extends the checkpoint"))
      #expect(run.output.contains("no log was read"))
      #expect(run.output.contains("signed by travelog/"))
      let alone = try travelog("verify", logs, "--since", saved)
      #expect(
        alone.code == 0 && alone.output.contains("no signature of the checkpoint was verified")
      )
      let size = try #require(first.output.split(separator: "\n").dropFirst().first)
      let text = first.output.replacing("\n\(size)\n", with: "\n\(size)0\n")
      try Data(text.utf8).write(to: URL(fileURLWithPath: saved))
      let other = try travelog("verify", logs, "--since", saved, "--json")
      #expect(other.code == 1)
      #expect(try object(other)["is_sound"] as? Bool == false)
      #expect((try object(other)["finding"] as? String)?.contains("does not extend") == true)
      let tree = try #require(
        try FileManager.default.subpathsOfDirectory(atPath: logs).first { $0.hasSuffix("/_tree") }
      )
      try FileManager.default.removeItem(atPath: "\(logs)/\(tree)")
      let without = try travelog("verify", logs, "--since", saved)
      #expect(without.code == 10, "\(without.errors)")
      #expect(without.errors.contains("There is no tree of transactions in"))
      #expect(without.errors.contains("travelog checkpoint LOGS"))
    }
  }

  @Test("verify --proof needs only the proof and a key, and ends with 1 for a wrong proof.")
  func proof() throws {
    try withTemporaryFolder { folder in
      guard let keys = try keys(folder) else { return }
      let other = try #require(try self.keys(folder.appendingPathComponent("other").making()))
      let pem = try String(contentsOfFile: keys.private, encoding: .utf8)
      let transaction = TreeTransaction(121, count: 5)
      let unsigned = try transaction.proof(4)
      var checkpoint = unsigned.tree.checkpoint
      try checkpoint.sign(try ed25519Key(pem: pem).bytes)
      let tree = TreeProof(index: 0, hashes: [], checkpoint: checkpoint)
      let signed = TransactionProof(
        lines: unsigned.lines,
        closing: unsigned.closing,
        previous: unsigned.previous,
        tree: tree
      )
      let path = folder.path + "/change.proof"
      func verify(_ text: String, _ flags: String...) throws -> Run {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return try travelog(["verify", "--proof", path] + flags)
      }
      let run = try verify(signed.text, "--key", keys.public)
      #expect(run.code == 0 && run.output.contains("proves change 4 of transaction 121"))
      #expect(run.output.contains("signed by travelog/test/0"))
      #expect(
        try verify(unsigned.text).output.contains("no signature of the checkpoint was verified")
      )
      #expect(try verify(unsigned.text).code == 17)
      #expect(try verify(signed.text).code == 17)
      #expect(try verify(unsigned.text, "--allow-unproven").code == 0)
      #expect(try verify(unsigned.text, "--key", keys.public).code == 1)
      #expect(try verify(signed.text, "--key", other.public).code == 1)
      let altered = signed.text.replacing(#""id":"4""#, with: #""id":"5""#)
      let wrong = try verify(altered, "--json")
      #expect(wrong.code == 1)
      #expect(try object(wrong)["is_sound"] as? Bool == false)
      #expect(try verify("nothing").code == 4)
      #expect(try travelog("verify", "--proof", folder.path + "/none").code == 10)
      #expect(try travelog("verify", folder.path, "--proof", path).code == 64)
      #expect(try travelog("verify").code == 64)
      #expect(try travelog("verify", folder.path, "--key", path).code == 64)
    }
  }

  @Test("A witness signs the request of checkpoint, and verify requires witnesses and a name.")
  func witnesses() throws {
    try withLogs { store, logs, folder in
      guard let keys = try keys(folder) else { return }
      func file(_ name: String, _ text: String) throws -> String {
        try text.write(toFile: "\(folder.path)/\(name)", atomically: true, encoding: .utf8)
        return "\(folder.path)/\(name)"
      }
      let witness = try TestWitness("witness.example/1", secret: 1)
      let other = try TestWitness("witness.example/2", secret: 2)
      let first = try travelog("checkpoint", logs, "--key", keys.private).output
      let name = String(first.prefix { $0 != "\n" })
      let old = try file("old", witness.cosigning(first))
      let guest = worldSchema.index(of: "Guest") ?? 0
      try store.write(Author()) { writer in
        let values = writer.layouts[guest].columns.map { _ in Value.null }
        try writer.insert(guest, id: 9000, values: values)
      }
      try #require(travelog("export", store.location.path, "--to", logs).code == 0)
      let request = try travelog("checkpoint", logs, "--key", keys.private, "--since", old)
      #expect(request.code == 0 && request.output.hasPrefix("old "), "\(request.errors)")
      let start = try #require(request.output.firstRange(of: "\n\n")).upperBound
      let checkpoint = String(request.output[start...])
      let answer = try object(travelog("checkpoint", logs, "--since", old, "--json"))
      #expect(answer["request"] as? String == request.output)
      #expect(answer["note"] as? String == checkpoint)

      let saved = try file("saved", witness.cosigning(checkpoint))
      let vkey = try file("witness", witness.key.verifier + "\n")
      let second = try file("second", other.key.verifier + "\n")
      func verify(_ flags: String...) throws -> Run {
        try travelog(["verify", logs, "--since", saved, "--key", keys.public] + flags)
      }
      let sound = try verify("--witness", vkey, "--origin", name)
      #expect(sound.code == 0, "\(sound.errors)")
      #expect(sound.output.contains("the witness witness.example/1 signed it at 20"))
      #expect(try verify("--witness", vkey, "--witness", second).code == 1)
      #expect(try verify("--witness", vkey, "--witness", second, "--quorum", "1").code == 0)
      let shown = try object(verify("--witness", vkey, "--json"))["witnesses"] as? [[String: Any]]
      #expect(shown?.map { $0["name"] as? String } == ["witness.example/1"])
      let named = try verify("--origin", "example.org/other", "--json")
      #expect(named.code == 1)
      #expect((try object(named)["finding"] as? String)?.contains("example.org/other") == true)
      #expect(try verify("--witness", keys.public).code == 4)
      #expect(try verify("--quorum", "0").code == 64)
      for flags in [["--witness", vkey], ["--quorum", "1"], ["--origin", name]] {
        #expect(try travelog(["verify", logs] + flags).code == 64, "\(flags)")
      }
    }
  }

  @Test("prove reports a damaged log as damage, and a missing log of the tree as missing.")
  func damagedLogs() throws {
    try withTemporaryFolder { folder in
      let world = try ForgedWorld(folder)
      let files = try world.files()
      let text = try gunzip(files[0])
      let header = text.prefix { $0 != "\n" } + "\n"
      for lines in [
        text.replacing(
          #"{"kind":"transaction","txn":2,"#,
          with: #"{"kind":"transaction","txn":7,"#
        ),
        header + String(repeating: "\n", count: 1000),
        header + "{}\n" + text.dropFirst(header.count),
      ] {
        try world.write(Array(lines.utf8), to: files[0])
        let run = try travelog("prove", world.logs, "2")
        #expect(run.code == 4 && run.errors.contains("damaged or altered"), "\(run.errors)")
      }
      try FileManager.default.removeItem(atPath: files[1])
      let run = try travelog("prove", world.logs, "6")
      #expect(run.code == 10 && run.errors.contains("Copy the missing log"), "\(run.errors)")
    }
  }

  @Test("prove --json has the proof and no other text, and verify recognizes a proof.")
  func answer() throws {
    try withLogs { _, logs, folder in
      let text = try travelog("prove", logs, "2").output
      let answer = try travelog("prove", logs, "2", "--json")
      #expect(try object(answer)["proof"] as? String == text)
      let path = folder.path + "/a.proof"
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      let run = try travelog("verify", path)
      #expect(run.code == 64 && run.errors.contains("verify --proof"), "\(run.errors)")
    }
  }

  @Test("checkpoint and prove refuse what they can't do with a sentence and a code.")
  func refusals() throws {
    try withLogs { _, logs, folder in
      #expect(try travelog("checkpoint", folder.path + "/none").code == 10)
      #expect(try travelog("checkpoint", logs, "--key", logs + "/none").code == 10)
      #expect(try travelog("prove", logs, "9999").code == 10)
      #expect(try travelog("prove", logs, "1.2.3").code == 64)
      #expect(try travelog("prove", logs, "-1").code == 64)
      let stores = try travelog("checkpoint", logs, "--stores", "--json")
      #expect(try object(stores)["size"] as? Int == 1)
    }
  }
}

extension URL {
  /// The folder, after it was made.
  func making() throws -> URL {
    try FileManager.default.createDirectory(at: self, withIntermediateDirectories: true)
    return self
  }
}
