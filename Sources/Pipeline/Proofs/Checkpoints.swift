import ChangeLog
import Format

package struct CheckpointRequest: Sendable {
  package var logs: LogFolder
  /// The store whose trees get checkpoints; nil for all stores.
  package var store: String?
  /// The lineage; nil for all lineages.
  package var lineage: Int64?
  /// The Ed25519 private key that signs the checkpoints; nil to write unsigned checkpoints.
  package var key: [UInt8]?
  /// A name for the tree; nil for the default name.
  package var origin: String?
  /// The path of an earlier checkpoint of the tree, which witnesses have signed; nil if no witness
  /// gets the new checkpoint.
  package var since: String?
  /// Whether to write one checkpoint of the tree that covers all stores of the folder.
  package var isForStores = false

  package init(logs: LogFolder) { self.logs = logs }
}

package struct CheckpointResult: Codable, Hashable, Sendable {
  /// The name of the tree.
  package let origin: String
  /// The number of leaves of the tree.
  package let size: Int64
  package let path: String
  /// The content of the checkpoint's file.
  package let note: String
  package let isSigned: Bool
  /// The public key of the new signature as a vkey line of C2SP: a name, a number and the key.
  package let vkey: String?
  /// The request that asks a witness to sign the checkpoint.
  package let request: String?
}

/// Writes the checkpoints of the trees beside logs, and signs them.
///
/// A tree that is missing, damaged or shorter than the logs is rebuilt first. If a tree does not
/// extend the tree of the existing checkpoint, the existing checkpoint is kept, and nothing is
/// signed.
package func writeCheckpoints(_ request: CheckpointRequest) throws -> [CheckpointResult] {
  try checkHasLogs(request.logs)
  var trees: [LineageTree] = []
  for store in try request.store.map({ [$0] }) ?? request.logs.stores() {
    for lineage in try request.lineage.map({ [$0] }) ?? request.logs.lineages(of: store) {
      let chain = try LogChain(request.logs, store: store, lineage: lineage)
      // A lineage that has only a snapshot has no transactions after it, and therefore no tree.
      guard let end = chain.files.last?.range.upperBound else { continue }
      var tree = try LineageTreeWriter.tree(request.logs, store: store, lineage: lineage)
      if tree?.last.transaction != end {
        _ = try LineageTreeWriter(rebuilding: chain, from: chain.beginning)
        tree = try LineageTree(request.logs, store: store, lineage: lineage)
      }
      if let tree { trees.append(tree) }
    }
  }
  if let path = request.since, !request.isForStores {
    let origin = try CheckpointFile(reading: read(path), path).checkpoint.origin
    trees = try trees.filter { try $0.publishedOrigin() == origin }
    guard !trees.isEmpty else { throw otherTree(origin, checkpoint: path) }
  }
  if request.isForStores { return [try writeStoresCheckpoint(trees, request: request)] }
  guard request.origin == nil || trees.count == 1 else {
    throw LogError(.inputOutput, request.logs.path) {
      "--origin can name only one tree, but \(request.logs.path) has several."
        + "\nName a lineage, as in LOGS/store=UUID/lineage=0."
    }
  }
  return try trees.map { try publish($0.tiles, $0.head, origin: $0.origin, request: request) }
}

/// Writes the checkpoint of a tree, after verifying that the tree extends the tree of the existing
/// checkpoint.
func publish(
  _ tiles: TiledTree,
  _ head: TreeHead,
  origin: String,
  request: CheckpointRequest
) throws -> CheckpointResult {
  let path = "\(tiles.path)/checkpoint"
  let old = try CheckpointFile.published(tiles.path)
  if let old { try checkExtension(tiles, from: old.checkpoint.head, to: head) }
  let (file, vkey) = try readingNote(path) { () throws(NoteError) in
    let name = request.origin ?? old?.checkpoint.origin ?? origin
    var file = try CheckpointFile(Checkpoint(origin: name, head: head))
    if let old, old.checkpoint == file.checkpoint { file = old }
    guard let key = request.key else { return (file, nil as String?) }
    let vkey = try file.sign(key).verifier
    return (file, vkey)
  }
  let body = try request.since.map { try witnessRequest(file, tiles, since: $0) }
  try writeDurably(Array(file.text.utf8), to: path)
  return CheckpointResult(
    origin: file.checkpoint.origin,
    size: head.count,
    path: path,
    note: file.text,
    isSigned: file.note != nil,
    vkey: vkey,
    request: body
  )
}

/// The request that asks a witness to sign a checkpoint, with the proof that its tree extends the
/// tree of the earlier checkpoint in a file.
private func witnessRequest(
  _ file: CheckpointFile,
  _ tiles: TiledTree,
  since path: String
) throws -> String {
  let old = try CheckpointFile(reading: read(path), path).checkpoint
  guard old.origin == file.checkpoint.origin else {
    throw otherTree(old.origin, checkpoint: path)
  }
  guard file.note != nil else {
    throw LogError(.inputOutput, "\(tiles.path)/checkpoint") {
      "The checkpoint \(tiles.path)/checkpoint is not signed, and a witness accepts only signed"
        + " checkpoints.\nSign it: \(inQuotes("travelog checkpoint LOGS --since OLD --key KEY"))"
    }
  }
  let proof = try checkExtension(tiles, from: old.head, to: file.checkpoint.head)
  return file.witnessRequest(after: old.head.count, proof: proof)
}

/// What the name of a tree over the trees of all stores begins with.
package let originOfAllStores = "travelog/stores/"

/// Appends the checkpoints of changed lineages to the tree that covers all stores.
///
/// When the tree of all stores is complete, its checkpoint is written.
private func writeStoresCheckpoint(
  _ trees: [LineageTree],
  request: CheckpointRequest
) throws -> CheckpointResult {
  var entries = try TreeEntries("\(request.logs.path)/_tree")
  let latest = try entries.latestCheckpoints()
  let path = entries.path
  let before = entries.all.count
  for tree in trees {
    let checkpoint = try Checkpoint(origin: tree.publishedOrigin(), head: tree.head)
    guard let last = latest[checkpoint.origin], last != checkpoint else {
      if latest[checkpoint.origin] == nil { entries.append(Array(checkpoint.text.utf8)) }
      continue
    }
    try checkExtension(tree.tiles, from: last.head, to: tree.head)
    entries.append(Array(checkpoint.text.utf8))
  }
  try entries.write()
  let leaves = entries.all.map { $0.withUnsafeBytes { leafHash($0) } }
  let known = TreeHead(count: Int64(before), root: MerkleTree(leaves.prefix(before)).root)
  // Damaged tiles are rebuilt from the entries.
  let isSound = (try? TiledTree(path, count: known.count).head()) == known
  var writer = try TileWriter(TiledTree(path, count: isSound ? known.count : 0))
  for leaf in leaves.dropFirst(isSound ? before : 0) { try writer.append(leaf) }
  let published = try CheckpointFile.published(path)?.checkpoint.head.count ?? 0
  try writer.finish(keeping: min(published, writer.count))
  // The name contains the first leaf, because the trees of two folders are different and need
  // different names.
  let origin = originOfAllStores + (leaves.first?.description.prefix(16) ?? "")
  return try publish(
    TiledTree(path, count: writer.count),
    writer.head(),
    origin: origin,
    request: request
  )
}

extension TreeEntries {
  /// The last checkpoint of each tree that the tree of all stores names.
  func latestCheckpoints() throws -> [String: Checkpoint] {
    var latest: [String: Checkpoint] = [:]
    for entry in all {
      let checkpoint = try CheckpointFile(reading: entry, "\(path)/tile/entries").checkpoint
      latest[checkpoint.origin] = checkpoint
    }
    return latest
  }
}
