import Foundation
import PipelineTesting
import Testing

@testable import Format

/// Forgeries in logs from which the note of guest 11 was erased, which transaction 11 records.
extension Forgery {
  static let erasuresInChain: [Forgery] = [
    Forgery("a value that remains in a line which an erasure restates is replaced") { world in
      try world.alter(2) { _ = try $0.forgeRemainder() }
      return try travelog("verify", world.logs)
    },
    Forgery("an erased value that an erasure restates is another one") { world in
      try world.alter(2) { lines in
        let place = try lines.place(#""txn":9,"#, #""id":"11""#)
        lines[place].replace(#""note":null"#, with: #""note":"forged""#)
        lines[place].replace(/,"special":\{.*\}\}/, with: "")
      }
      return try travelog("verify", world.logs)
    },
    Forgery("the transaction that records an erasure is left out") { world in
      try FileManager.default.removeItem(atPath: world.world.files()[3])
      try world.removeTreeAndToken()
      return try travelog("verify", world.logs)
    },
    Forgery("an erasure restates another line, and later digests are computed again") { world in
      try world.alter(3) { lines in
        let place = try lines.place(#""op":"erase""#)
        let sequence = try world.restated().sequence
        lines[place].replace(#"{\"\#(sequence)\":"#, with: #"{\"\#(sequence + 1)\":"#)
      }
      try world.rewriteDigests(from: 3)
      return try travelog("verify", world.logs)
    },
    Forgery("an erasure names another transaction, and later digests are computed again") { world in
      try world.alter(3) { lines in
        let place = try lines.place(#""op":"erase""#)
        lines[place].replace(/\\"was\\":\\"[0-9a-f]{8}/, with: #"\"was\":\"00000000"#)
      }
      try world.rewriteDigests(from: 3)
      return try travelog("verify", world.logs)
    },
    Forgery(
      "an erasure restates a replaced value, and later digests are computed again",
      answer: "end-missing: "
    ) { world in
      try world.forgeRestatement()
      return try travelog("verify", world.logs, "--head", world.head)
    },
    Forgery(
      "an erasure restates a replaced value, and the given head is from before the erasure",
      codes: [17],
      answer: "after the proven transactions"
    ) { world in
      let older = try #require(world.world.digests(gunzip(world.world.files()[2])).last)
      try world.forgeRestatement()
      return try travelog("verify", world.logs, "--head", older)
    },
    Forgery(
      "an erasure restates a replaced value, and the given checkpoint is from before the erasure",
      codes: [17],
      answer: "after the proven transactions"
    ) { world in
      // The checkpoint covers the first ten transactions, which the erasure follows.
      let lines = try travelog("checkpoint", world.logs).output.components(separatedBy: "\n")
      let leaves = try world.world.files().dropLast()
        .flatMap { try world.world.digests(gunzip($0)) }.compactMap { Digest(hexadecimal: $0) }
      let head = TreeHead(count: 10, root: MerkleTree(leaves.map { leafHash($0) }).root)
      let checkpoint = try Checkpoint(origin: lines[0], head: head)
      let path = world.folder.path + "/checkpoint"
      try checkpoint.text.write(toFile: path, atomically: true, encoding: .utf8)
      let honest = try travelog("verify", world.logs, "--head", path)
      #expect(honest.output.contains("proven up to transaction 10 by the checkpoint"))
      try world.forgeRestatement()
      return try travelog("verify", world.logs, "--head", path)
    },
    Forgery(
      "an erasure that never happened restates a replaced value",
      codes: [17],
      answer: "after the proven transactions"
    ) { world in
      let files = try world.world.files()
      let was = try world.world.digests(gunzip(files[0]))[4 - 1]
      let older = try #require(world.world.digests(gunzip(files[2])).last)
      // The line of guest 4 keeps what proves its old values, and has others.
      var restated = ""
      try world.alter(0) { restated = try $0.hideNote(ofGuest: 4) }
      try world.alter(3) { lines in
        let place = try lines.place(#""op":"erase""#)
        lines[place].replace(
          #"\"restated\":["#,
          with: #"\"restated\":[{\"lineage\":0,\"txn\":4,\"op\":\"recorded\",\"was\":\"\#(was)\","#
            + #"\"lines\":{\"0\":\"\#(restated)\"}},"#
        )
      }
      try world.rewriteDigests(from: 3)
      return try travelog("verify", world.logs, "--head", older)
    },
  ]
}

extension LongerWorld {
  /// What the erasure restates of transaction 9.
  fileprivate func restated() throws -> (sequence: Int, values: String) {
    let lines = try lines(3)
    let line = try lines[lines.place(#""op":"erase""#)]
    let found = try #require(
      line.firstMatch(of: /\\"txn\\":9,.*?\\"lines\\":\{\\"([0-9]+)\\":\\"([0-9a-f]{64})/)
    )
    return (try #require(Int(found.1)), String(found.2))
  }

  /// Replaces a value that remains, and what the erasure says of it.
  fileprivate func forgeRestatement() throws {
    let old = try restated().values
    var new = ""
    try alter(2) { new = try $0.forgeRemainder() }
    try alter(3) { try $0.replace(old, new) }
    try rewriteDigests(from: 3)
  }

  /// Removes the files that say where the logs end.
  fileprivate func removeTreeAndToken() throws {
    let lineage = try world.lineage()
    let token = (lineage as NSString).deletingLastPathComponent + "/_token.json"
    for path in ["\(lineage)/_tree", token] { try FileManager.default.removeItem(atPath: path) }
  }
}

extension [String] {
  /// Replaces a value that remains in the erased line of transaction 9, and returns the digest of the values.
  fileprivate mutating func forgeRemainder() throws -> String {
    let place = try place(#""txn":9,"#, #""id":"11""#)
    self[place].replace(#""page":null"#, with: #""page":"https://example.org/forged""#)
    let found = try #require(self[place].firstMatch(of: /"salt":"([^"]+)"/))
    let bytes = [UInt8](Data(base64Encoded: String(found.1)) ?? Data())
    return try restatedValues(of: self[place], salt: #require(Seed(bytes: bytes)))
  }

  /// Replaces the page of a guest whose line has the seed of one line, says that the note is erased, and returns
  /// the digest of the values.
  fileprivate mutating func hideNote(ofGuest id: Int) throws -> String {
    let place = try place(#""id":"\#(id)""#)
    let found = try #require(self[place].firstMatch(of: /"seed":"1:([^"]+)"/))
    let bytes = [UInt8](Data(base64Encoded: String(found.1)) ?? Data())
    let salt = try #require(Seed(bytes: bytes))
    let old = try restatedValues(of: self[place], salt: salt)
    let again = Data(salt.restated.bytes).base64EncodedString()
    self[place].replaceSubrange(found.range, with: #""values":"\#(old)","salt":"\#(again)""#)
    self[place].replace(/"note":"[^"]*"/, with: #""note":null"#)
    self[place].replace("example.org/\(id)", with: "example.org/forged")
    self[place].removeLast()
    self[place] += #","special":{"after":{"note":"erased"}}}"#
    return try restatedValues(of: self[place], salt: salt.restated)
  }
}

private func restatedValues(of line: String, salt: Seed) throws -> String {
  let start = try #require(line.firstRange(of: #","after":"#)).lowerBound
  let values = [UInt8](line[start...].dropLast().utf8)
  return "\(values.withUnsafeBytes { valuesDigest($0, salt: salt) })"
}
