import Format
import Pipeline

/// Recomputes the digests of a store's transactions, to verify the store's chain.
struct StoreChain {
  private var previous: Digest?
  private var hash: TransactionDigest?
  private var first: Int64
  private(set) var last: Int64
  private(set) var digest: Digest?
  /// The number of transactions that can't be proven, because parts of them were erased or deleted.
  private var unproved: Int64 = 0
  private var isBroken = false
  /// The trusted digests that were not found yet.
  private(set) var missing: [Digest]
  private(set) var checkpoints: CheckpointComparison
  /// The last transaction that a trusted digest or checkpoint proves; nil if there is none.
  private(set) var proven: Int64?

  init(_ outline: HistoryOutline, request: AuditRequest) {
    missing = request.heads
    checkpoints = CheckpointComparison(request.checkpoints)
    first = outline.base + 1
    last = outline.base
    previous = outline.baseDigest
  }

  mutating func take(_ change: Change, transaction: Transaction) {
    if change.sequence == 0 { begin(transaction) }
    hash?.take(change)
  }

  private mutating func begin(_ transaction: Transaction) {
    hash = previous.map { TransactionDigest(transaction, after: $0) }
  }

  /// Ends a transaction, and returns the error that was found in the transaction; nil if the
  /// transaction is sound.
  mutating func close(_ transaction: Transaction) -> String? {
    defer {
      if !isBroken, let digest = transaction.chainDigest, missing.contains(digest) {
        missing.removeAll { $0 == digest }
        proven = transaction.id
      }
      if !isBroken, checkpoints.take(transaction.digest) { proven = transaction.id }
      previous = transaction.chainDigest
      digest = transaction.digest
      hash = nil
    }
    if transaction.count == 0 { begin(transaction) }
    guard transaction.state != .deleted, let hash else {
      unproved += 1
      last = transaction.id
      return nil
    }
    // If lines lack seeds, the digest can't be computed. This counts as a wrong digest.
    guard (try? hash.close(TransactionLines(transaction)))?.transaction == transaction.digest else {
      isBroken = true
      return
        "Transaction \(transaction.id) was altered: the changes do not match the digest."
    }
    if transaction.state == .erased { unproved += 1 }
    if !isBroken { last = transaction.id }
    return nil
  }

  var statement: String {
    guard last >= first else { return "There is no transaction to verify." }
    let looked = "Every digest was recomputed from the history: "
    if isBroken {
      return looked + "transactions \(first) to \(last) are sound; a later transaction is damaged."
    }
    guard unproved > 0 else {
      return looked + "transactions \(first) to \(last) are unaltered."
    }
    return looked
      + "transactions \(first) to \(last) are unaltered, except that"
      + " \(countText(Int(unproved), noun: "transaction")) with erased values or deleted changes"
      + " can't be verified."
  }
}
