import Format
import Foundation
import Testing

/// A forgery of the proof of change 2 of transaction 9, or of the whole transaction, by its lines.
struct ForgedProof: Sendable {
  let name: String
  let place: String
  let alter: @Sendable (inout [String]) throws -> Void

  init(
    _ name: String,
    of place: String = "9.2",
    _ alter: @escaping @Sendable (inout [String]) throws -> Void
  ) {
    self.name = name
    self.place = place
    self.alter = alter
  }

  /// The proof with altered lines.
  func forged(_ proof: String) throws -> String {
    var lines = proof.components(separatedBy: "\n")
    try alter(&lines)
    let forged = lines.joined(separator: "\n")
    try #require(forged != proof, "nothing was altered: \(name)")
    return forged
  }

  /// Forgeries of proofs, whose lines are: title, change, closing line, salt, three hashes, `previous`, an empty line,
  /// title, index, hashes, an empty line, and a checkpoint.
  static let all = [
    ForgedProof("a proof shows another value") { try $0.replace("note of 11", "note of 12") },
    ForgedProof("a proof shows another object") {
      try $0.replace(#""entity":"Guest","id":"11""#, #""entity":"Guest","id":"12""#)
    },
    ForgedProof("a proof shows another kind of change") {
      try $0.replace(#""op":"insert""#, #""op":"delete""#)
    },
    ForgedProof("a proof calls a change an erasure, which no digest covers") {
      try $0.replace(#"{"kind":"change""#, #"{"kind":"erasure""#)
    },
    ForgedProof("a proof has the salt of another line") { $0[3] = "salt AAECAwQFBgcICQoLDA0ODw==" },
    ForgedProof("a proof shows other values beside the digest of the values") { lines in
      let salt = try #require(Data(base64Encoded: String(lines[3].dropFirst(5))))
      let start = try #require(lines[1].firstRange(of: #","after":"#)).lowerBound
      let values = SHA256.digest(
        of: [3] + Array(salt) + Array(lines[1][start...].dropLast().utf8)
      )
      lines[1] = lines[1].replacing(#","op":"#, with: #","values":"\#(values)","op":"#)
        .replacing("note of 11", with: "note of 12")
      lines.remove(at: 3)
    },
    ForgedProof("a proof shows the line as one in another place") {
      try $0.replace(#""seq":2,"#, #""seq":3,"#)
    },
    ForgedProof("two hashes beside the line change places") { $0.swapAt(4, 5) },
    ForgedProof("a hash beside the line is left out") { $0.remove(at: 4) },
    ForgedProof("a hash beside the line is repeated") { $0.insert($0[4], at: 4) },
    ForgedProof("a proof names another author in both lines") { lines in
      for place in 1...2 {
        lines[place] = lines[place].replacing(#""author":"app""#, with: #""author":"ceo""#)
      }
    },
    ForgedProof("a proof names another author in the line of the change") {
      $0[1] = $0[1].replacing(#""author":"app""#, with: #""author":"ceo""#)
    },
    ForgedProof("a proof gives its transaction a reason") {
      $0[2] = $0[2].replacing(#","digest":"#, with: #","reason":"asked","digest":"#)
    },
    ForgedProof("a proof names another time in both lines") { lines in
      for place in 1...2 { lines[place] = lines[place].replacing(#""ts":"2"#, with: #""ts":"3"#) }
    },
    ForgedProof("a proof counts other lines in both lines") { lines in
      for place in 1...2 { lines[place] = lines[place].replacing(#""n":7"#, with: #""n":8"#) }
    },
    ForgedProof("a proof names another transaction in both lines") { lines in
      for place in 1...2 { lines[place] = lines[place].replacing(#""txn":9"#, with: #""txn":8"#) }
    },
    ForgedProof("a proof has the digest of its transaction elsewhere in the closing line") {
      lines in
      let match = try #require(lines[2].firstMatch(of: /,"digest":"[0-9a-f]{64}"/))
      lines[2] = lines[2].replacing(match.0, with: "").dropLast() + match.0 + "}"
    },
    ForgedProof("a proof has another digest before the transaction") {
      $0[7] = "previous " + Data(repeating: 1, count: 32).base64EncodedString()
    },
    ForgedProof("a proof has another index in the tree") { try $0.replace("index 8", "index 9") },
    ForgedProof("a hash of the tree is replaced") {
      $0[11] = Data(repeating: 1, count: 32).base64EncodedString()
    },
    ForgedProof("a hash of the tree is left out") { $0.remove(at: 11) },
    ForgedProof("the checkpoint of a proof has another size") {
      let place = try $0.place("travelog/")
      $0[place + 1] = "11"
    },
    ForgedProof("the checkpoint of a proof has another root") {
      let place = try $0.place("travelog/")
      $0[place + 2] = Data(repeating: 1, count: 32).base64EncodedString()
    },
    ForgedProof("a proof of a whole transaction has another root of its lines", of: "9") {
      $0[2] = "lines " + Data(repeating: 1, count: 32).base64EncodedString()
    },
    ForgedProof("a proof of a transaction has the closing line of the next one", of: "9") {
      $0[1] = $0[1].replacing(#""txn":9"#, with: #""txn":10"#)
    },
  ]
}

extension Forgery {
  static let proofs =
    ForgedProof.all.map { proof in
      Forgery(proof.name, answer: "proves nothing: ") { world in
        let path = world.folder.path + "/change.proof"
        let whole = try travelog("prove", world.logs, proof.place).output
        try whole.write(toFile: path, atomically: true, encoding: .utf8)
        try #require(travelog("verify", "--proof", path, "--allow-unproven").code == 0)
        try proof.forged(whole).write(toFile: path, atomically: true, encoding: .utf8)
        return try travelog("verify", "--proof", path)
      }
    } + [
      Forgery("a proof has the checkpoint of another history", answer: "proves nothing: ") {
        world in
        let path = world.folder.path + "/change.proof"
        let proof = try travelog("prove", world.logs, "9.2").output
        try world.alter(1) { try $0.replace("note of 7", "note of 8") }
        try world.rewriteDigests(from: 1)
        let other = try travelog("checkpoint", world.logs).output
        let start = try #require(proof.firstRange(of: "\ntravelog/")).lowerBound
        try (proof[...start] + other).write(toFile: path, atomically: true, encoding: .utf8)
        return try travelog("verify", "--proof", path)
      }
    ]
}
