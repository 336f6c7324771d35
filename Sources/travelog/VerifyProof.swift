import ChangeLog
import CommandLineKit
import Pipeline

extension Travelog {
  static let proof = Parameter<String?>.optional(
    "proof",
    type: .file,
    help: "Verify this proof of “prove” by itself, without logs."
  )
  static let sinceCheckpoint = Parameter<String?>.optional(
    "since",
    type: .file,
    placeholder: "CHECKPOINT",
    help: "Verify that the tree beside the logs extends this checkpoint."
  )
  static let publicKey = Parameter<String?>.optional(
    "key",
    type: .file,
    help: "Who must have signed: a public key, as PEM or vkey lines."
  )
}

extension Call {
  /// Verifies a proof or a checkpoint; nil if neither was given, and logs are meant.
  func verifyProof(logs: [String]) throws -> ExitCode? {
    let (proof, since) = (arguments[Travelog.proof], arguments[Travelog.sinceCheckpoint])
    let key = arguments[Travelog.publicKey]
    if let proof {
      guard logs.isEmpty, since == nil else { throw TravelogError.proofAndLogs }
      let answer = ProofAnswer(try Pipeline.verifyProof(proof, keys: key))
      try say(answer, answer.text(proof, hasKey: key != nil), isSound: answer.isSound)
      return answer.isSound ? .success : .found
    }
    guard !logs.isEmpty else { throw TravelogError.noLogsToVerify }
    guard let since else {
      guard key == nil else { throw TravelogError.keyWithoutProof }
      return nil
    }
    guard logs.count == 1 else { throw TravelogError.isFolder(logs[0]) }
    let place = try wholeLogs(logs[0])
    let answer = SinceAnswer(try verifySince(since, logs: place.folder, keys: key))
    try say(answer, answer.text(hasKey: key != nil), isSound: answer.isSound)
    return answer.isSound ? .success : .found
  }

  private func say(_ answer: some Encodable, _ text: String, isSound: Bool) throws {
    if arguments[Travelog.json] {
      try self.answer(answer)
    } else if !arguments[Travelog.quiet] || !isSound {
      try output.write(text)
    }
  }
}

/// Who vouches for a checkpoint, in words.
private func voucher(_ signers: [String], hasKey: Bool) -> String {
  guard hasKey else { return "nobody vouches for the checkpoint: give --key" }
  return "the checkpoint is signed by \(signers.joined(separator: ", "))"
}

/// What `travelog verify --proof --json` says.
struct ProofAnswer: Codable {
  var schema = 1
  var type = "verify_proof"
  let isSound: Bool
  let transaction: Int64?
  let change: Int64?
  let origin: String
  let index: Int64
  let size: Int64
  let signers: [String]
  let finding: String?

  init(_ result: ProofVerification) {
    isSound = result.finding == nil
    (transaction, change) = (result.transaction, result.change)
    (origin, size) = (result.checkpoint.origin, result.checkpoint.head.count)
    (index, signers, finding) = (result.index, result.signers, result.finding)
  }

  func text(_ path: String, hasKey: Bool) -> String {
    if let finding { return "\(path) proves nothing: \(finding)\n" }
    let change = change.map { "change \($0) of " } ?? ""
    return
      "\(path) proves \(change)transaction \(transaction ?? 0), leaf \(index) of \(size) in the tree"
      + " \(origin)\n  \(voucher(signers, hasKey: hasKey))\n"
  }
}

/// What `travelog verify --since --json` says.
struct SinceAnswer: Codable {
  var schema = 1
  var type = "verify_since"
  let isSound: Bool
  let origin: String
  let from: Int64
  let to: Int64
  let signers: [String]
  let finding: String?

  init(_ result: SinceVerification) {
    isSound = result.finding == nil
    (origin, from) = (result.checkpoint.origin, result.checkpoint.head.count)
    (to, signers, finding) = (result.head.count, result.signers, result.finding)
  }

  func text(hasKey: Bool) -> String {
    if let finding { return "\(origin): \(finding)\n" }
    return
      "\(origin): the tree of size \(to) extends the checkpoint of size \(from); the command read no log\n"
      + "  \(voucher(signers, hasKey: hasKey))\n"
  }
}
