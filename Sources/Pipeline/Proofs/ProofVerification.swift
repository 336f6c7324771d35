import ChangeLog
import Changes
import Glibc

/// The result of verifying a proof, or of comparing a tree with an earlier checkpoint.
package struct ProofVerification: Codable, Hashable, Sendable {
  /// Whether the verification found no error.
  package var isSound: Bool
  /// The name of the tree.
  package let origin: String
  /// The size of the tree according to the checkpoint.
  package let size: Int64
  /// The size of the tree beside the logs.
  package var currentSize: Int64?
  /// The transaction that the proof is about.
  package var transaction: Int64?
  /// The change that the proof is about; nil if the proof is about a whole transaction.
  package var change: Int64?
  /// The position of the transaction in the tree.
  package var index: Int64?
  /// The names of the given keys that have signed the checkpoint.
  package var signers: [String] = []
  /// The error that was found; nil if there is no error.
  package var finding: String?

  fileprivate init(_ checkpoint: Checkpoint) {
    (isSound, origin, size) = (true, checkpoint.origin, checkpoint.head.count)
  }

  /// Calls the closure.
  ///
  /// If the closure throws an error about a proof, a tree or a signature, the finding is this
  /// error.
  fileprivate mutating func find(_ body: (inout Self) throws -> Void) throws {
    do {
      try body(&self)
    } catch let error as ProofError {
      finding = error.message
    } catch let error as LogError where error.isFinding {
      finding = "\(error)"
    }
    isSound = finding == nil
  }
}

/// Verifies a proof without reading any log.
///
/// - Throws: ``LogError`` if the file is missing, or is not a proof.
package func verifyProof(_ path: String, keys: String?) throws -> ProofVerification {
  let bytes = try read(path, limit: 1 << 26)
  let proof: TransactionProof
  do throws(NoteError) {
    proof = try TransactionProof(bytes)
  } catch {
    throw CheckpointFailure.notAProof(error).at(path)
  }
  let file = proof.tree.checkpoint
  var result = ProofVerification(file.checkpoint)
  result.index = proof.tree.index
  try result.find { result in
    (result.transaction, result.change) = try proof.check()
    result.signers = try signers(of: file, path: path, keys: keys)
  }
  return result
}

/// Verifies that the tree beside logs extends a checkpoint, without reading any log.
///
/// - Throws: ``LogError`` if the file or the tree is missing.
package func verifySince(
  _ path: String,
  logs: LogFolder,
  keys: String?
) throws -> ProofVerification {
  try checkHasLogs(logs)
  let file = try CheckpointFile(reading: read(path), path)
  let (tiles, head) = try tree(file.checkpoint.origin, in: logs, checkpoint: path)
  var result = ProofVerification(file.checkpoint)
  result.currentSize = head.count
  try result.find { result in
    guard try tiles.head() == head else { throw TreeFailure.otherRoot.at(tiles.path) }
    try checkExtension(tiles, from: file.checkpoint.head, to: head)
    result.signers = try signers(of: file, path: path, keys: keys)
  }
  return result
}

/// Finds the tree with the given name beside the logs.
private func tree(
  _ origin: String,
  in logs: LogFolder,
  checkpoint path: String
) throws -> (TiledTree, TreeHead) {
  var withoutTree: [String] = []
  for store in try logs.stores() {
    for lineage in try logs.lineages(of: store) {
      guard let tree = try LineageTree(logs, store: store, lineage: lineage) else {
        withoutTree.append(logs.lineageFolder(store, lineage: lineage))
        continue
      }
      if try tree.publishedOrigin() == origin { return (tree.tiles, tree.head) }
    }
  }
  let ofStores = "\(logs.path)/_tree"
  if let file = try CheckpointFile.published(ofStores)?.checkpoint, file.origin == origin {
    return (TiledTree(ofStores, count: file.head.count), file.head)
  }
  // The name of a missing tree is not known, so the missing tree could be the tree of the
  // checkpoint.
  if let folder = withoutTree.first { throw CheckpointFailure.noTree.at(folder) }
  throw CheckpointFailure.isOtherTree(origin).at(path)
}

/// The names of the given keys that have signed the checkpoint.
private func signers(of file: CheckpointFile, path: String, keys: String?) throws -> [String] {
  guard let keys else { return [] }
  let known = try readKeys(keys, name: file.checkpoint.origin)
  do throws(NoteError) {
    return try file.signers(among: known).map(\.name)
  } catch {
    throw CheckpointFailure.note(error).at(path)
  }
}

/// Throws unless one of the keys in a file has signed a note.
///
/// A key from a PEM file has no name, so its signature may have any name.
///
/// - Throws: ``LogError`` if none of the keys has signed the note, or if a signature of one of the
///   keys is wrong.
package func checkSigners(of note: SignedNote, path: String, keys: String) throws {
  let known = try Set(note.signatures.map(\.name)).flatMap { try readKeys(keys, name: $0) }
  do throws(NoteError) {
    _ = try note.signers(among: known)
  } catch {
    throw CheckpointFailure.note(error).at(path)
  }
}

/// Reads public keys from a file.
///
/// The file contains vkey lines, which include names, or one PEM key. The PEM key gets the name of
/// the tree.
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

/// Reads an Ed25519 private key from a PEM file.
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
  String(decoding: try read(path), as: UTF8.self)
}

private func read(_ path: String, limit: Int = 1 << 20) throws -> [UInt8] {
  guard let bytes = try readSmallFile(path, limit: limit, isNamed: true) else {
    throw LogFailure.system(verb: "open", ENOENT).at(path)
  }
  return bytes
}

extension LogError {
  /// Whether an error means that a proof is wrong.
  ///
  /// An error of another kind means that the proof could not be verified.
  fileprivate var isFinding: Bool {
    switch reason as? CheckpointFailure {
    case .doesNotExtend, .note(.unsigned), .note(.wrongSignature): true
    default: reason is TreeFailure
    }
  }
}
