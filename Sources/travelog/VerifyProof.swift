import ChangeLog
import Changes
import CommandLineKit
import Pipeline

extension Travelog {
  static let proof = Parameter<String?>.optional(
    "proof",
    type: .file,
    help: "Verify a proof that “prove” wrote; no logs are needed."
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
    help: "The public key of the required signer, as PEM or vkey lines."
  )
}

extension Call {
  /// Verifies a proof or a checkpoint; returns nil if the call names neither, because the command
  /// then verifies logs.
  func verifyProof(logs: [String]) throws -> ExitCode? {
    let key = arguments[Travelog.publicKey]
    if let path = arguments[Travelog.proof] {
      guard logs.isEmpty, arguments[Travelog.sinceCheckpoint] == nil else {
        throw TravelogError.proofAndLogs
      }
      let result = try Pipeline.verifyProof(path, keys: key)
      let change = result.change.map { "change \($0) of " } ?? ""
      let text =
        "\(path) proves \(change)transaction \(result.transaction ?? 0), which is leaf"
        + " \(result.index ?? 0) of \(result.size) in the tree \(result.origin)"
      return try say(result, "verify_proof", text, wrong: "\(path) proves nothing")
    }
    guard let path = arguments[Travelog.sinceCheckpoint] else { return nil }
    guard logs.count == 1 else { throw TravelogError.isFolder(logs[0]) }
    let result = try verifySince(path, logs: wholeLogs(logs[0]).folder, keys: key)
    let text =
      "\(result.origin): the tree of size \(result.currentSize ?? 0) extends the checkpoint of size"
      + " \(result.size); no log was read"
    return try say(result, "verify_since", text, wrong: result.origin)
  }

  private func say(
    _ result: ProofVerification,
    _ type: String,
    _ text: String,
    wrong: String
  ) throws -> ExitCode {
    if arguments[Travelog.json] {
      try answer(Joined(first: TypeHead(type: type), second: result))
    } else if let finding = result.finding {
      try output.writeLine(visible("\(wrong): \(finding)"))
    } else if !arguments[Travelog.quiet] {
      let signers = result.signers.joined(separator: ", ")
      try output.writeLine(visible(text))
      try output.writeLine(
        signers.isEmpty
          ? "  no signature of the checkpoint was verified: give the signer's public key with --key FILE"
          : "  the checkpoint is signed by \(visible(signers))"
      )
    }
    return result.isSound ? .success : .found
  }
}
