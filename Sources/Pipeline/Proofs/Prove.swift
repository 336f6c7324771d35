import ChangeLog
import Format

package struct ProveRequest: Sendable {
  package var logs: LogFolder
  /// The identifier of the store; nil if the folder has the logs of only one store.
  package var store: String?
  /// The lineage of the transaction; nil for the latest lineage that contains the transaction.
  package var lineage: Int64?
  package var transaction: Int64
  /// The number of a line of the transaction, from 0; nil for a proof of the whole transaction.
  package var change: Int64?

  package init(logs: LogFolder, transaction: Int64, change: Int64? = nil) {
    self.logs = logs
    self.transaction = transaction
    self.change = change
  }
}

/// Returns a proof that the logs contain a transaction or a change.
///
/// A verifier of the proof needs only a checkpoint.
///
/// The time for a proof does not depend on the number of logs, because only one member of one log
/// and four tiles are read.
package func prove(_ request: ProveRequest) throws -> TransactionProof {
  try checkHasLogs(request.logs)
  return try readingSettled(request.logs, of: request.store.map { [$0] }) {
    try makeProof(request)
  }
}

private func makeProof(_ request: ProveRequest) throws -> TransactionProof {
  let (tree, chain, position) = try place(request)
  let published = try CheckpointFile.published(tree.path)
  let checkpoint = try published ?? CheckpointFile(Checkpoint(origin: tree.origin, head: tree.head))
  let size = checkpoint.checkpoint.head.count
  guard position < size else {
    let path = "\(tree.path)/checkpoint"
    throw LogError(.missing, path, transaction: request.transaction) {
      "Transaction \(request.transaction) is after the checkpoint \(path), which covers"
        + " \(countText(Int(size), noun: "transaction"))."
        + "\nSign a new checkpoint: \(inQuotes("travelog checkpoint LOGS --key KEY"))"
    }
  }
  let hashes = try TiledTree(tree.path, count: size).inclusion(of: position)
  let before = position > 0 ? tree.transaction(at: position - 1) : nil
  let statement = try statement(request, chain: chain, before: before)
  let proof = TransactionProof(
    lines: statement.lines,
    closing: statement.closing,
    previous: statement.previous,
    tree: TreeProof(index: position, hashes: hashes, checkpoint: checkpoint)
  )
  do {
    try proof.tree.check(leafHash(statement.digest))
  } catch {
    throw otherRoot(tree.path)
  }
  do {
    _ = try proof.check()
  } catch {
    throw otherDigest(of: request.transaction, in: statement.path)
  }
  return proof
}

/// The tree that contains a transaction, and the position of the transaction in that tree.
private func place(_ request: ProveRequest) throws -> (LineageTree, LogChain, Int64) {
  let stores = try request.store.map { [$0] } ?? request.logs.stores()
  guard stores.count == 1, let store = stores.first else {
    throw severalStores(stores, in: request.logs)
  }
  let lineages = try request.lineage.map { [$0] } ?? request.logs.lineages(of: store)
  var hasTree = false
  for lineage in lineages.reversed() {
    guard let tree = try LineageTree(request.logs, store: store, lineage: lineage) else { continue }
    hasTree = true
    guard let position = tree.position(of: request.transaction) else { continue }
    return (tree, try LogChain(request.logs, store: store, lineage: lineage), position)
  }
  let folder = request.logs.storeFolder(store)
  guard hasTree else { throw noTree(folder) }
  throw LogError(.missing, folder, transaction: request.transaction) {
    "The logs in \(folder) do not have transaction \(request.transaction)."
      + "\nIf the store has this transaction, export the store first:"
      + " \(inQuotes("travelog export STORE --to LOGS"))"
  }
}

private struct Statement {
  let path: String
  let lines: TransactionProof.Lines
  let closing: [UInt8]
  let previous: Digest
  let digest: Digest
}

/// Reads a transaction from a log, and the digest of the transaction before it.
private func statement(
  _ request: ProveRequest,
  chain: LogChain,
  before: Int64?
) throws -> Statement {
  let id = request.transaction
  guard let file = chain.files.first(where: { $0.range.contains(id) }) else {
    let folder = chain.folder.path
    throw LogError(.missing, folder, transaction: id) {
      "No log in \(folder) has transaction \(id), although the tree beside the logs has this"
        + " transaction.\nCopy the missing log into the folder."
    }
  }
  // The complete proof is verified later, so digests of other transactions are not verified here.
  let reader = try LogReader(path: file.path)
  // The previous transaction is read first, because the proof needs the digest of that transaction.
  var previous = reader.header.previous
  if let before, before >= file.range.lowerBound {
    _ = reader.goInside(before: before)
    guard let digest = try reader.skip(through: before)?.chainDigest else {
      throw lacksTransaction(before, path: file.path)
    }
    previous = digest
  }
  var lines: ProvenLines?
  func accepted<Result>(_ body: () throws(ProofError) -> Result) throws -> Result {
    do throws(ProofError) {
      return try body()
    } catch {
      throw otherDigest(of: id, in: file.path)
    }
  }
  let transaction = try reader.lines(of: id) { line, count in
    if lines == nil {
      try checkChange(request.change, of: id, count: count, path: file.path)
      lines = ProvenLines(count: count, change: request.change)
    }
    try accepted { () throws(ProofError) in try lines?.take(Array(line)) }
  }
  guard let transaction, let digest = transaction.digest else {
    throw lacksTransaction(id, path: file.path)
  }
  try checkChange(request.change, of: id, count: transaction.count, path: file.path)
  let root = TransactionProof.Lines.root(MerkleTree().root)
  var closing: [UInt8] = []
  TransactionLines(transaction).appendClosing(digest: digest, to: &closing)
  return Statement(
    path: file.path,
    lines: try accepted { () throws(ProofError) in try lines?.finish() ?? root },
    closing: closing.dropLast(),
    previous: previous,
    digest: digest
  )
}

private func checkChange(_ change: Int64?, of id: Int64, count: Int64, path: String) throws {
  guard let change, !(0..<count).contains(change) else { return }
  throw LogError(.missing, path, transaction: id) {
    "Transaction \(id) has \(countText(Int(count), noun: "change")), numbered from 0."
      + (count > 0 ? "\nThe last is \(inQuotes("\(id).\(count - 1)"))." : "")
  }
}

private func otherDigest(of id: Int64, in path: String) -> LogError {
  LogError(.damaged, path, transaction: id) {
    "The lines of transaction \(id) in \(path) do not match the digest of the transaction."
  }
}

private func lacksTransaction(_ id: Int64, path: String) -> LogError {
  LogError(.damaged, path, transaction: id) {
    "The log \(path) was damaged or altered: it does not have transaction \(id), which is in its"
      + " range.\nTo list all damage: \(inQuotes("travelog verify LOGS"))"
  }
}
