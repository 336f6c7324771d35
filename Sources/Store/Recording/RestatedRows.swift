import Changes

/// What remains of lines that were erased, by their transactions.
struct RestatedRows {
  /// The maximum number of lines that one transaction restates.
  ///
  /// More would make its closing line too long.
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

  /// The restatements in ascending order; none if there are too many lines, whose records are then beside
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
