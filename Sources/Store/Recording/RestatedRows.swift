import Changes

/// What remains of lines with erased values, by transaction.
struct RestatedRows {
  /// The maximum number of lines that one transaction restates.
  ///
  /// More lines would make the closing line of the transaction too long.
  static let most = 100_000

  private var transactions:
    [Int64: (transaction: Transaction, digest: Digest, lines: [RestatedLine])] =
      [:]
  /// The number of lines that were added.
  private(set) var count = 0
  private let isBounded: Bool

  init(isBounded: Bool = true) { self.isBounded = isBounded }

  mutating func add(_ line: RestatedLine, of transaction: Transaction, digest: Digest) {
    count += 1
    guard !isBounded || count <= Self.most else { return transactions.removeAll() }
    transactions[transaction.id, default: (transaction, digest, [])].lines.append(line)
  }

  /// The restatements in ascending order.
  ///
  /// If there are more than ``most`` lines, the list is empty. These lines are then recorded beside
  /// the logs.
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
