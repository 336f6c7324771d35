import Foundation
import TestSupport
import Testing

/// The commands for time stamps in SIGNED_HEADS.md, with an authority of the test's own.
@Suite("Time stamps of checkpoints")
struct StampTests {
  @Test("A time stamp by openssl proves a checkpoint, and not an altered one.")
  func stamp() throws {
    try withTemporaryFolder { folder in
      guard let openssl = installed("openssl") else {
        return print("There is no openssl, so no time stamps were tested.")
      }
      let names = ["sample.store", "logs", "checkpoint", "query", "reply"].map {
        folder.path + "/" + $0
      }
      let (store, logs, checkpoint, query, reply) = (
        names[0], names[1], names[2], names[3], names[4]
      )
      try run(products + "/trips", ["seed", store, "--changes", "100", "--seed", "7"])
      #expect(try travelog("export", store, "--to", logs).code == 0)
      try travelog("checkpoint", logs).output
        .write(toFile: checkpoint, atomically: true, encoding: .utf8)
      let authority = try Authority(folder, openssl: openssl)
      let ask = ["ts", "-query", "-data", checkpoint, "-sha256", "-cert", "-out", query]
      #expect(try run(openssl, ask).code == 0)
      try authority.answer(query, in: reply)
      let check = ["ts", "-verify", "-data", checkpoint, "-in", reply, "-CAfile"]
      #expect(try run(openssl, check + [authority.certificate]).code == 0)
      let altered = try String(contentsOfFile: checkpoint, encoding: .utf8) + "approved\n"
      try altered.write(toFile: checkpoint, atomically: true, encoding: .utf8)
      #expect(try run(openssl, check + [authority.certificate]).code != 0)
    }
  }

  /// A time stamp authority with a key of its own.
  private struct Authority {
    let certificate: String
    private let openssl: String
    private let settings: String

    init(_ folder: URL, openssl: String) throws {
      self.openssl = openssl
      certificate = folder.path + "/authority.pem"
      settings = folder.path + "/authority.cnf"
      let key = folder.path + "/authority.key"
      let make =
        ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate]
        + ["-subj", "/CN=Authority", "-addext", "extendedKeyUsage=critical,timeStamping"]
      #expect(try run(openssl, make).code == 0)
      try """
      [tsa]
      default_tsa = authority
      [authority]
      serial = \(folder.path)/serial
      crypto_device = builtin
      signer_cert = \(certificate)
      signer_key = \(key)
      signer_digest = sha256
      default_policy = 1.2.3.4
      digests = sha256
      ess_cert_id_alg = sha256

      """.write(toFile: settings, atomically: true, encoding: .utf8)
    }

    func answer(_ query: String, in reply: String) throws {
      let stamp = ["ts", "-reply", "-config", settings, "-queryfile", query, "-out", reply]
      #expect(try run(openssl, stamp).code == 0)
    }
  }
}
