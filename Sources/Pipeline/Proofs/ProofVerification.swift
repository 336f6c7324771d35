import ChangeLog
import Format
import Glibc

/// The result of verifying a proof, or of comparing a tree with an earlier checkpoint.
package struct ProofVerification: Codable, Hashable, Sendable {
  /// Whether the verification found no error.
  package var isSound: Bool
  /// The name of the tree.
  package let origin: String
  /// The size of the tree according to the checkpoint.
  package let size: Int64
  /// The size of the tree beside the logs; nil if the checkpoint does not meet the requirements.
  package var currentSize: Int64?
  /// The later lineages of the store, which the checkpoint does not cover; nil if there are none.
  package var laterLineages: [Int64]?
  package var transaction: Int64?
  /// The change that the proof is about; nil if the proof is about a whole transaction.
  package var change: Int64?
  /// The position of the transaction in the tree.
  package var index: Int64?
  /// The names of the given keys that have signed the checkpoint.
  package var signers: [String] = []
  /// The given witnesses that have signed the checkpoint.
  package var witnesses: [Witness] = []
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
    } catch let error as LogError where [.refuted, .missingTile].contains(error.code) {
      // An error of another kind means that the proof could not be verified.
      finding = "\(error)"
    }
    isSound = finding == nil
  }
}

/// Verifies a proof without reading any log.
///
/// - Throws: ``LogError`` if the file is missing, or is not a proof.
package func verifyProof(
  _ path: String,
  requiring required: CheckpointRequirements
) throws -> ProofVerification {
  let bytes = try read(path, limit: 1 << 26)
  let proof: TransactionProof
  do throws(NoteError) {
    proof = try TransactionProof(bytes)
  } catch {
    let detail = if case .malformed(let detail) = error { ": \(detail)" } else { "" }
    throw LogError(.damaged, path) { "\(path) is not a proof\(detail)." }
  }
  let file = proof.tree.checkpoint
  var result = ProofVerification(file.checkpoint)
  result.index = proof.tree.index
  try result.find { result in
    (result.transaction, result.change) = try proof.check()
    (result.signers, result.witnesses) = try required.check(file, path: path)
  }
  return result
}

/// Verifies that the tree beside logs extends a checkpoint, without reading any log.
///
/// - Throws: ``LogError`` if the file or the tree is missing.
package func verifySince(
  _ path: String,
  logs: LogFolder,
  requiring required: CheckpointRequirements
) throws -> ProofVerification {
  try checkHasLogs(logs)
  let file = try CheckpointFile(reading: read(path), path)
  var result = ProofVerification(file.checkpoint)
  try result.find { result in
    // Only a checkpoint that meets the requirements shows that the tree is wrong.
    (result.signers, result.witnesses) = try required.check(file, path: path)
    let (tiles, head, later) = try tree(file.checkpoint.origin, in: logs, checkpoint: path)
    result.currentSize = head.count
    result.laterLineages = later.isEmpty ? nil : later
    guard try tiles.head() == head else { throw otherRoot(tiles.path) }
    try checkExtension(tiles, from: file.checkpoint.head, to: head)
    if tiles.path == treeOfStores(logs) { try checkTrees(in: logs, of: head) }
  }
  return result
}

private func treeOfStores(_ logs: LogFolder) -> String { "\(logs.path)/_tree" }

/// Checks that each tree that the tree of all stores names is beside the logs, and only grew.
private func checkTrees(in logs: LogFolder, of head: TreeHead) throws {
  let entries = try TreeEntries(treeOfStores(logs))
  let leaves = entries.all.map { $0.withUnsafeBytes { leafHash($0) } }
  guard TreeHead(count: Int64(leaves.count), root: MerkleTree(leaves).root) == head else {
    throw otherRoot(entries.path)
  }
  for (origin, last) in try entries.latestCheckpoints().sorted(by: { $0.key < $1.key }) {
    let found: (tiles: TiledTree, head: TreeHead, laterLineages: [Int64])
    do {
      found = try tree(origin, in: logs, checkpoint: entries.path)
    } catch let error as LogError where error.code == .missing {
      throw LogError(.refuted, entries.path) {
        "The tree \(inQuotes(abbreviated(origin))), which the tree of all stores names, is not beside"
          + " the logs: the logs of a store or of a lineage were removed, or their tree was."
          + "\nCopy the folder again from its origin."
      }
    }
    guard try found.tiles.head() == found.head else { throw otherRoot(found.tiles.path) }
    try checkExtension(found.tiles, from: last.head, to: found.head)
  }
}

/// Finds the tree with the given name beside the logs, and the later lineages of its store.
private func tree(
  _ origin: String,
  in logs: LogFolder,
  checkpoint path: String
) throws -> (TiledTree, TreeHead, laterLineages: [Int64]) {
  var withoutTree: [String] = []
  for store in try logs.stores() {
    let lineages = try logs.lineages(of: store)
    for lineage in lineages {
      guard let tree = try LineageTree(logs, store: store, lineage: lineage) else {
        withoutTree.append(logs.lineageFolder(store, lineage: lineage))
        continue
      }
      if try tree.publishedOrigin() == origin {
        return (tree.tiles, tree.head, lineages.filter { $0 > lineage })
      }
    }
  }
  let ofStores = treeOfStores(logs)
  if let file = try CheckpointFile.published(ofStores)?.checkpoint, file.origin == origin {
    return (TiledTree(ofStores, count: file.head.count), file.head, [])
  }
  // The name of a missing tree is not known, so the missing tree could be the tree of the
  // checkpoint.
  if let folder = withoutTree.first { throw noTree(folder) }
  throw otherTree(origin, checkpoint: path)
}

/// The error that a checkpoint belongs to another tree than those beside the logs.
func otherTree(_ origin: String, checkpoint path: String) -> LogError {
  LogError(.missing, path) {
    "The checkpoint \(path) belongs to the tree \(inQuotes(abbreviated(origin))), which is not the"
      + " tree of these logs.\nName the log folder that contains the tree of the checkpoint."
  }
}

func noTree(_ folder: String) -> LogError {
  LogError(.missing, folder) {
    "There is no tree of transactions in \(folder)."
      + "\n\(inQuotes("travelog checkpoint LOGS")) builds the tree from the logs."
  }
}

func read(_ path: String, limit: Int = 1 << 20) throws -> [UInt8] {
  guard let bytes = try readSmallFile(path, limit: limit, isNamed: true) else {
    throw diskError("open", path: path, number: ENOENT)
  }
  return bytes
}

/// Whether a file is a proof that ``prove(_:)`` returned.
package func isProof(_ path: String) -> Bool {
  // Other files are not read here: a pipe could be read only once, and logs are larger. A file that
  // can't be read is reported as a log.
  guard 1..<(1 << 20) ~= size(of: path), let bytes = try? readSmallFile(path) else { return false }
  return (try? TransactionProof(bytes)) != nil
}
