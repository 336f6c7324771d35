import Foundation
import TestSupport
import Testing

/// Programs that were written from FORMAT.md and check what `prove` writes.
@Suite("Other checkers of proofs")
struct OtherCheckersTests {
  private static let readers = packageRoot.appendingPathComponent("Tests/Readers").path

  /// Proofs that a key signed, and the two forms of its public key.
  private struct SignedProofs {
    let world: LongerWorld
    let pem: String
    let vkey: String
    let path: String

    init?(_ folder: URL, openssl: String) throws {
      world = try LongerWorld(folder)
      let key = folder.path + "/key.pem"
      (pem, path) = (folder.path + "/public.pem", folder.path + "/change.proof")
      try run(openssl, ["genpkey", "-algorithm", "ed25519", "-out", key])
      try run(openssl, ["pkey", "-in", key, "-pubout", "-out", pem])
      let signed = try travelog("checkpoint", world.logs, "--key", key, "--json")
      // Without libcrypto nothing is signed.
      guard signed.code == 0 else { return nil }
      let answer = try JSONSerialization.jsonObject(with: signed.bytes) as? [String: Any]
      vkey = try #require(answer?["vkey"] as? String)
    }

    /// Whether a checker accepts a proof.
    func isAccepted(_ proof: String, by checker: [String]) throws -> Bool {
      try proof.write(toFile: path, atomically: true, encoding: .utf8)
      let result = try run("/usr/bin/env", checker)
      #expect(result.code < 126, "\(result.errors)")
      return result.code == 0
    }
  }

  private func check(with programs: [String], _ command: (SignedProofs) -> [String]) throws {
    guard programs.allSatisfy({ installed($0) != nil }), let openssl = installed("openssl") else {
      return print("This needs \(programs.joined(separator: ", ")), so nothing was tested.")
    }
    try withTemporaryFolder { folder in
      guard let proofs = try SignedProofs(folder, openssl: openssl) else { return }
      let checker = command(proofs)
      let logs = proofs.world.logs
      for place in ["1.0", "5", "8.0", "9", "9.0", "9.6", "10.1", "10"] {
        let proof = try travelog("prove", logs, place).output
        #expect(try proofs.isAccepted(proof, by: checker), "\(place)")
      }
      for forged in ForgedProof.all {
        let whole = try travelog("prove", logs, forged.place).output
        #expect(try !proofs.isAccepted(forged.forged(whole), by: checker), "\(forged.name)")
      }
      for place in ["9", "9.2"] {
        var lines = try travelog("prove", logs, place).output.components(separatedBy: "\n")
        lines.insert(lines[1].replacing("transaction", with: "change"), at: 2)
        #expect(try !proofs.isAccepted(lines.joined(separator: "\n"), by: checker), "other line")
      }
      let whole = try travelog("prove", logs, "9.2").output
      let elsewhere = try folder.appendingPathComponent("other").making()
      let other = try SignedProofs(elsewhere, openssl: openssl)
      #expect(try other?.isAccepted(whole, by: other.map(command) ?? []) == false)
    }
  }

  private static let programsOfScript = ["jq", "openssl", "xxd", "awk"]

  private static let script = packageRoot.appendingPathComponent("docs/check_proof.sh").path

  @Test("The shell script of SIGNED_HEADS accepts proofs and refuses each forged one.")
  func shell() throws {
    try check(with: Self.programsOfScript) { ["sh", Self.script, $0.path, $0.pem] }
  }

  @Test("The shell script and verify accept the sample proof, and no altered value or other key.")
  func sample() throws {
    guard Self.programsOfScript.allSatisfy({ installed($0) != nil }) else { return }
    try withTemporaryFolder { folder in
      let sample = packageRoot.appendingPathComponent("sample-data/proof").path
      let path = folder.path + "/altered.proof"
      let proof = try String(contentsOfFile: sample + "/change.proof", encoding: .utf8)
      try #require(proof.contains(#""booked""#))
      try proof.replacing("booked", with: "cancelled").write(
        toFile: path,
        atomically: true,
        encoding: .utf8
      )
      let (key, other) = (sample + "/public.pem", folder.path + "/other.pem")
      try run(
        "/bin/sh",
        ["-c", "openssl genpkey -algorithm ed25519 | openssl pkey -pubout > \"$0\"", other]
      )
      for (proof, key, isRight) in [
        (sample + "/change.proof", key, true), (path, key, false),
        (sample + "/change.proof", other, false),
      ] {
        #expect(try run("/bin/sh", [Self.script, proof, key]).code == (isRight ? 0 : 1))
        #expect(try travelog("verify", "--proof", proof, "--key", key).code == (isRight ? 0 : 1))
      }
    }
  }

  @Test("The Python reader accepts proofs and refuses each forged one.")
  func python() throws {
    try check(with: ["python3", "openssl"]) {
      ["python3", Self.readers + "/read_log.py", "--proof", $0.path, $0.vkey]
    }
  }
}
