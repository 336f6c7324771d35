import ChangeLog
import CommandLineKit
import Format
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
  static let witnesses = Parameter<[String]>.repeated(
    "witness",
    type: .file,
    help: "A file with keys of required witnesses, as vkey lines."
  )
  static let quorum = Parameter<Int?>.optional(
    "quorum",
    type: .integer(in: 1...(.max)),
    help: "Require only this number of the witnesses."
  )
  static let expectedTree = Parameter<String?>.optional(
    "origin",
    type: .text,
    placeholder: "NAME",
    help: "The name that the tree of the checkpoint must have."
  )
}

extension Call {
  /// Verifies a proof or a checkpoint; returns nil if the call names neither, because the command
  /// then verifies logs.
  func verifyProof(logs: [String]) throws -> ExitCode? {
    if arguments[Travelog.proof] != nil || arguments[Travelog.sinceCheckpoint] != nil {
      try refuseFlagsOfLogs()
    }
    if let path = arguments[Travelog.proof] {
      guard logs.isEmpty, arguments[Travelog.sinceCheckpoint] == nil else {
        throw CommandError(.usage) {
          "--proof verifies only a proof, so it can't be combined with LOGS or --since."
            + "\nLeave out LOGS and --since."
        }
      }
      let result = try Pipeline.verifyProof(path, requiring: requirements)
      let change = result.change.map { "change \($0) of " } ?? ""
      let text =
        "\(path) \(result.signers.isEmpty ? "contains" : "proves") \(change)transaction \(result.transaction ?? 0), which is leaf"
        + " \(result.index ?? 0) of \(result.size) in the tree \(result.origin)"
      return try say(result, "verify_proof", text, wrong: "\(path) proves nothing")
    }
    guard let path = arguments[Travelog.sinceCheckpoint] else { return nil }
    guard logs.count == 1 else { throw notReadTogether(logs[0]) }
    let result = try verifySince(
      path,
      logs: wholeLogs(logs[0]).folder,
      requiring: requirements
    )
    let text =
      "\(result.origin): the tree of size \(result.currentSize ?? 0) extends the checkpoint of size"
      + " \(result.size); no log was read"
    return try say(result, "verify_since", text, wrong: result.origin)
  }

  /// Throws if a flag was given that has an effect only if logs are read.
  private func refuseFlagsOfLogs() throws {
    let flags = [
      ("head", !arguments[Travelog.heads].isEmpty), ("after", arguments[Travelog.after] != nil),
      ("against", arguments[Travelog.against] != nil), ("replay", arguments[Travelog.replay]),
      ("arrow", arguments[Travelog.arrow] != nil),
      ("erasures", !arguments[Travelog.erasures].isEmpty),
      ("token", arguments[Travelog.token] != nil), ("store", arguments[Travelog.origin] != nil),
    ]
    guard let flag = flags.first(where: \.1)?.0 else { return }
    let own = arguments[Travelog.proof] == nil ? "--since" : "--proof"
    throw CommandError(.usage) {
      "\(own) reads no log, so --\(flag) has no effect."
        + "\nLeave out --\(flag), or verify the logs in another call without \(own)."
    }
  }

  /// The name and the signatures that a checkpoint must have according to the flags.
  var requirements: CheckpointRequirements {
    var required = CheckpointRequirements(
      keys: arguments[Travelog.publicKey],
      witnesses: arguments[Travelog.witnesses],
      origin: arguments[Travelog.expectedTree]
    )
    required.quorum = arguments[Travelog.quorum]
    return required
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
      for lineage in result.laterLineages ?? [] {
        try output.writeLine("  the checkpoint does not cover lineage \(lineage)")
      }
      for witness in result.witnesses {
        try output.writeLine("  the witness \(witness.name) signed it at \(witness.time)")
      }
    }
    guard result.isSound else { return .found }
    // A proof is a file of someone else, so without a known signature it proves nothing. The
    // checkpoint of --since is one that the caller has kept.
    let isProven = result.laterLineages == nil && (result.index == nil || !result.signers.isEmpty)
    return isProven || arguments[Travelog.allowUnproven] ? .success : .unproven
  }
}

extension CheckpointRequirements {
  /// A flag that has no effect without a checkpoint; nil if none was given.
  var flagOfCheckpoint: String? {
    if !witnesses.isEmpty { return "--witness" }
    if quorum != nil { return "--quorum" }
    return origin == nil ? nil : "--origin"
  }
}
