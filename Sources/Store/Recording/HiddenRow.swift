import Format
import SQLite

/// Hides the values of single lines of a transaction.
///
/// One seed gives the salts of all lines of a transaction. When a line is hidden, this seed must be
/// removed. The other lines are then divided into subtrees, each with its own seed in its first
/// row. So an erasure costs hardly more in a large transaction than in a small one.
struct HiddenRow {
  private let connection: Connection
  private let transaction: Transaction

  init(_ connection: Connection, _ transaction: Transaction) {
    self.connection = connection
    self.transaction = transaction
  }

  /// Hides the values of a change.
  ///
  /// The result is the leaf, from which the line's digest can still be computed, and the restated
  /// salt.
  func hide(_ change: Change) throws -> (leaf: [UInt8], salt: Seed) {
    let range = try change.isHidden ? nil : range(around: change.sequence)
    let hidden = try hidden(change, in: range)
    if let range {
      for one in SeedCover([range], hiding: CollectionOfOne(change.sequence).makeIterator()) {
        try write(one)
      }
      if transaction.seed != nil { try mark() }
    }
    return hidden
  }

  /// The leaf and the restated salt of a change.
  ///
  /// `range` has the seed of the change; nil if the change is hidden already.
  private func hidden(
    _ change: Change,
    in range: SeededRange?
  ) throws -> (leaf: [UInt8], salt: Seed) {
    let secret: LineSecret
    if let range {
      secret = LineSecret(leaf: nil, salt: range.salt(of: change.sequence), values: nil)
    } else if case .hidden(let values, let salt) = LineLeaf(change.leaf) {
      secret = LineSecret(leaf: nil, salt: salt, values: values)
    } else {
      throw damaged()
    }
    guard let leaf = secret.erased(change), case .hidden(_, let salt?) = leaf else {
      throw damaged()
    }
    var text: [UInt8] = []
    leaf.append(to: &text)
    return (text, salt)
  }

  /// The largest subtree that contains a line and has a known seed.
  private func range(around index: Int64) throws -> SeededRange {
    let all = 0..<transaction.count
    if let seed = transaction.seed { return SeededRange(all, seed) }
    guard all.contains(index) else { throw damaged() }
    let reading = try connection.cached(
      "SELECT leaf FROM \(connection.tables.change) WHERE id = ?1 AND transaction_id = ?2"
    )
    for node in all.nodes(around: index) {
      try reading.bind(1, transaction.firstChange + node.lowerBound)
      try reading.bind(2, transaction.id)
      defer { reading.reset() }
      guard try reading.step() else { continue }
      if case .seed(node.upperBound - node.lowerBound, let seed) = LineLeaf(reading.bytes(at: 0)) {
        return SeededRange(node, seed)
      }
    }
    throw damaged()
  }

  private func write(_ range: SeededRange) throws {
    var text: [UInt8] = []
    LineLeaf.seed(lines: range.leaves.upperBound - range.leaves.lowerBound, range.seed)
      .append(to: &text)
    let writing = try connection.cached(
      "UPDATE \(connection.tables.change) SET leaf = ?2 WHERE id = ?1"
    )
    try writing.bind(1, transaction.firstChange + range.leaves.lowerBound)
    try text.withUnsafeBytes { try writing.bind(2, text: $0) }
    try writing.run()
  }

  private func mark() throws {
    try connection.run(
      "UPDATE \(connection.tables.transaction) SET state = 'erased', seed = X'' WHERE id = ?1",
      values: [.integer(transaction.id)]
    )
  }

  private func damaged() -> StoreError {
    damagedHistory("seeds of transaction \(transaction.id) are missing", at: connection.path)
  }
}
