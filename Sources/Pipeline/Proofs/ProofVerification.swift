import ChangeLog
import Changes
import Glibc

/// What verification says of a proof.
package struct ProofVerification: Sendable {
  /// The transaction that it proves.
  package var transaction: Int64?
  /// The change that it proves; nil for the transaction as a whole.
  package var change: Int64?
  /// The checkpoint that it leads to.
  package let checkpoint: Checkpoint
  /// The position of the transaction in the tree.
  package let index: Int64
  /// The names of the keys that signed the checkpoint, of those that were given.
  package var signers: [String] = []
  /// What is wrong; nil if it proves what it says.
  package var finding: String?
}

/// Checks a proof, without any log.
///
/// - Throws: ``LogError`` if there is no such file, or it is not a proof.
package func verifyProof(_ path: String, keys: String?) throws -> ProofVerification {
  guard let bytes = try readSmallFile(path, limit: 1 << 26) else {
    throw LogFailure.system(verb: "open", ENOENT).at(path)
  }
  let proof: TransactionProof
  do throws(NoteError) {
    proof = try TransactionProof(bytes)
  } catch {
    throw CheckpointFailure.notAProof(error).at(path)
  }
  let file = proof.tree.checkpoint
  var result = ProofVerification(checkpoint: file.checkpoint, index: proof.tree.index)
  do {
    (result.transaction, result.change) = try proof.check()
    result.signers = try signers(of: file, path: path, keys: keys)
  } catch let error as ProofError {
    result.finding = error.message
  } catch let error as LogError where error.isAboutSignatures {
    result.finding = error.message
  }
  return result
}

/// What verification says of a tree since a checkpoint.
package struct SinceVerification: Sendable {
  /// The checkpoint that was given.
  package let checkpoint: Checkpoint
  /// The tree beside the logs.
  package let head: TreeHead
  /// The names of the keys that signed the checkpoint, of those that were given.
  package var signers: [String] = []
  /// What is wrong; nil if the tree extends the checkpoint.
  package var finding: String?
}

/// Checks that the tree beside logs extends a checkpoint, without any log.
///
/// - Throws: ``LogError`` if there is no such file, or no such tree.
package func verifySince(
  _ path: String,
  logs: LogFolder,
  keys: String?
) throws -> SinceVerification {
  try checkHasLogs(logs)
  guard let file = try CheckpointFile.read(path) else {
    throw LogFailure.system(verb: "open", ENOENT).at(path)
  }
  let (tiles, head) = try tree(file.checkpoint.origin, in: logs, checkpoint: path)
  var result = SinceVerification(checkpoint: file.checkpoint, head: head)
  do {
    guard try tiles.head() == head else { throw TreeFailure.otherRoot.at(tiles.path) }
    try checkExtension(tiles, from: file.checkpoint.head, to: head)
    result.signers = try signers(of: file, path: path, keys: keys)
  } catch let error as LogError
    where error.reason is TreeFailure || error.isAboutSignatures || error.isAboutExtension
  {
    result.finding = sentences(error.message, hint: error.hint)
  }
  return result
}

/// The tree with a name beside logs.
private func tree(
  _ origin: String,
  in logs: LogFolder,
  checkpoint path: String
) throws -> (TiledTree, TreeHead) {
  for store in try logs.stores() {
    for lineage in try logs.lineages(of: store) {
      guard let tree = try LineageTree(logs, store: store, lineage: lineage),
        try tree.publishedOrigin() == origin
      else { continue }
      return (tree.tiles, tree.head)
    }
  }
  let ofStores = "\(logs.path)/_tree"
  if let file = try CheckpointFile.published(ofStores)?.checkpoint, file.origin == origin {
    return (TiledTree(ofStores, count: file.head.count), file.head)
  }
  throw CheckpointFailure.isOtherTree(origin).at(path)
}

/// The names of the keys in a file that have signed a checkpoint; none if no file was given.
private func signers(of file: CheckpointFile, path: String, keys: String?) throws -> [String] {
  guard let keys else { return [] }
  let known = try readKeys(keys, name: file.checkpoint.origin)
  do throws(NoteError) {
    return try file.signers(among: known).map(\.name)
  } catch {
    throw CheckpointFailure.note(error).at(path)
  }
}

/// Reads public keys: one as PEM, which has the name of the tree, or lines that name each.
private func readKeys(_ path: String, name: String) throws -> [NoteKey] {
  let text = try readKey(path)
  do throws(NoteError) {
    guard text.contains("-----BEGIN") else {
      var keys: [NoteKey] = []
      for line in text.split(whereSeparator: \.isNewline) {
        keys.append(try NoteKey(verifier: String(line)))
      }
      return keys
    }
    let key = try ed25519Key(pem: text)
    return [
      try NoteKey(name: name, bytes: key.isPrivate ? ed25519PublicKey(of: key.bytes) : key.bytes)
    ]
  } catch {
    throw CheckpointFailure.note(error).at(path)
  }
}

/// Reads a private key of Ed25519 from a PEM file.
package func readPrivateKey(_ path: String) throws -> [UInt8] {
  let text = try readKey(path)
  do throws(NoteError) {
    let key = try ed25519Key(pem: text)
    guard key.isPrivate else { throw .malformed("it has a public key, which can't sign") }
    return key.bytes
  } catch {
    throw CheckpointFailure.note(error).at(path)
  }
}

private func readKey(_ path: String) throws -> String {
  guard let bytes = try readSmallFile(path, limit: 1 << 16) else {
    throw LogFailure.system(verb: "open", ENOENT).at(path)
  }
  return String(decoding: bytes, as: UTF8.self)
}

extension LogError {
  fileprivate var isAboutSignatures: Bool {
    switch reason as? CheckpointFailure {
    case .note(.unsigned), .note(.wrongSignature): true
    default: false
    }
  }

  fileprivate var isAboutExtension: Bool {
    if case .doesNotExtend = reason as? CheckpointFailure { true } else { false }
  }
}
