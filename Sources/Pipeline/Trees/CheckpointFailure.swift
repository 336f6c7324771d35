import ChangeLog
import Changes

extension CheckpointFile {
  /// Reads a checkpoint from the bytes of a file.
  init(reading bytes: [UInt8], _ path: String) throws(LogError) {
    do throws(NoteError) {
      self = try CheckpointFile(bytes)
    } catch {
      throw CheckpointFailure.note(error).at(path)
    }
  }

  /// Reads the checkpoint in the folder of a tree; nil if the folder contains no checkpoint.
  static func published(_ tree: String) throws -> CheckpointFile? {
    let path = "\(tree)/checkpoint"
    try checkIsNotSpecial(tree)
    return try readSmallFile(path, limit: 1 << 20).map { try CheckpointFile(reading: $0, path) }
  }
}

/// The reason why a checkpoint or a proof can't be written or read.
package enum CheckpointFailure: LogReason {
  case note(NoteError), noTree, severalTrees
  case doesNotExtend(TreeHead, TreeHead), isOtherTree(String)
  case isNotCovered(count: Int64), notAProof(NoteError)
  case notInLogs, logIsMissing, lacksTransaction, noChange(count: Int64), otherDigest
  case hasOtherName(String, expected: String)
  case fewWitnesses(Int, quorum: Int), largeQuorum(Int, witnesses: Int), needsSignature

  package var code: LogError.Code {
    switch self {
    case .note(.noLibrary), .severalTrees, .largeQuorum, .needsSignature: .inputOutput
    case .noTree, .isNotCovered, .notInLogs, .logIsMissing, .noChange, .isOtherTree: .missing
    default: .damaged
    }
  }

  package func wording(_ error: LogError) -> Wording {
    let path = error.path
    return switch self {
    case .note(.malformed(let detail)): "\(path) can't be read: \(detail)."
    case .note(.unsigned): "None of the given keys has signed \(path)."
    case .note(.wrongSignature(let name)):
      "The signature by \(abbreviated(name)) in \(path) does not match the text of the file."
    case .note(.noLibrary):
      "This machine does not have libcrypto, which is needed to sign and to verify."
        + "\nSign the text with “openssl pkeyutl -sign -rawin -inkey KEY -in checkpoint”, or install"
        + " libssl3."
    case .noTree:
      "There is no tree of transactions in \(path)."
        + "\n\(inQuotes("travelog checkpoint LOGS")) builds the tree from the logs."
    case .severalTrees:
      "--origin can name only one tree, but \(path) has several."
        + "\nName a lineage, as in LOGS/store=UUID/lineage=0."
    case .doesNotExtend(let old, let new):
      "The tree in \(path), of size \(new.count), does not extend the checkpoint of size"
        + " \(old.count): history was altered, or the logs belong to another history."
        + "\nVerify the logs, and compare the logs with another copy."
    case .isOtherTree(let origin):
      "The checkpoint \(path) belongs to the tree \(inQuotes(abbreviated(origin))), which is not"
        + " the tree of these logs."
        + "\nName the log folder that contains the tree of the checkpoint."
    case .hasOtherName(let name, let expected):
      "The checkpoint in \(path) belongs to the tree \(inQuotes(abbreviated(name))) instead of"
        + " \(inQuotes(abbreviated(expected))). One key can sign the trees of several stores."
        + "\nAsk for the checkpoint or the proof of the other tree."
    case .fewWitnesses(let count, let quorum):
      "\(quorum) of the given witnesses must have signed the checkpoint in \(path), but only"
        + " \(count) did."
        + "\nAsk for the checkpoint with the signatures of more witnesses."
    case .largeQuorum(let quorum, let count):
      "\(quorum) witnesses must have signed \(path), but only \(count) different keys of witnesses"
        + " are given.\nGive more keys with --witness, or a smaller --quorum."
    case .needsSignature:
      "The checkpoint \(path) is not signed, and a witness accepts only signed checkpoints."
        + "\nSign it: \(inQuotes("travelog checkpoint LOGS --since OLD --key KEY"))"
    case .isNotCovered(let count):
      "Transaction \(error.transaction) is after the checkpoint \(path), which covers"
        + " \(countText(Int(count), noun: "transaction"))."
        + "\nSign a new checkpoint: \(inQuotes("travelog checkpoint LOGS --key KEY"))"
    case .notAProof(.malformed(let detail)): "\(path) is not a proof: \(detail)."
    case .notAProof: "\(path) is not a proof."
    case .notInLogs:
      "The logs in \(path) do not have transaction \(error.transaction)."
        + "\nIf the store has this transaction, export the store first:"
        + " \(inQuotes("travelog export STORE --to LOGS"))"
    case .logIsMissing:
      "No log in \(path) has transaction \(error.transaction), although the tree beside the logs has"
        + " this transaction.\nCopy the missing log into the folder."
    case .lacksTransaction:
      "The log \(path) was damaged or altered: it does not have transaction \(error.transaction),"
        + " which is in its range.\nTo list all damage: \(inQuotes("travelog verify LOGS"))"
    case .noChange(let count):
      "Transaction \(error.transaction) has \(countText(Int(count), noun: "change")), numbered from 0."
        + (count > 0 ? "\nThe last is \(inQuotes("\(error.transaction).\(count - 1)"))." : "")
    case .otherDigest:
      "The lines of transaction \(error.transaction) in \(path) do not match the digest of the"
        + " transaction."
    }
  }
}

/// Throws if a tree does not extend the smaller tree that a checkpoint describes; returns the proof
/// that it does.
@discardableResult
func checkExtension(
  _ tiles: TiledTree,
  from old: TreeHead,
  to new: TreeHead
) throws -> [Digest] {
  do {
    let proof = try TiledTree(tiles.path, count: new.count).consistency(from: old.count)
    try checkConsistency(from: old, to: new, by: proof)
    return proof
  } catch is ProofError {
    throw CheckpointFailure.doesNotExtend(old, new).at(tiles.path)
  }
}
