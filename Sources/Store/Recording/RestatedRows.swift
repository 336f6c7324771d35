import Format

/// What remains of lines with erased values, by transaction.
struct RestatedRows {
  /// The maximum number of lines that one transaction restates.
  ///
  /// More lines would make the closing line of the transaction too long, so further transactions
  /// restate them.
  ///
  /// Tests set a lower maximum.
  @TaskLocal static var most = 50_000

  private var transactions:
    [Int64: (transaction: Transaction, digest: Digest, lines: [RestatedLine])] =
      [:]
  /// The number of lines that were added.
  private(set) var count = 0

  mutating func add(_ line: RestatedLine, of transaction: Transaction, digest: Digest) {
    count += 1
    transactions[transaction.id, default: (transaction, digest, [])].lines.append(line)
  }

  /// The restatements in ascending order.
  func restatements(lineage: Int64) -> [Restatement] {
    transactions.sorted { $0.key < $1.key }.map { id, one in
      Restatement(
        lineage: lineage,
        transaction: id,
        operation: one.transaction.operation,
        digest: one.digest,
        lines: one.lines.sorted { $0.sequence < $1.sequence }
      )
    }
  }
}
