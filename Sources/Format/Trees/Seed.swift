/// The 16 bytes from which the salts of a subtree's leaves are derived.
///
/// The seeds of a node's children are derived from the seed of the node, and do not reveal it. The
/// seed of a leaf is the salt of a line.
package struct Seed: Hashable, Sendable {
  package static let byteCount = 16

  // The two words are big-endian.
  let first: UInt64
  let second: UInt64

  fileprivate init(_ first: UInt64, _ second: UInt64) {
    self.first = first
    self.second = second
  }

  /// Creates a seed that nobody can guess.
  package static func random() -> Seed {
    Seed(.random(in: .min ... .max), .random(in: .min ... .max))
  }

  /// Creates a seed from 16 bytes; nil for another number of bytes.
  package init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.byteCount else { return nil }
    self.init(
      UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    )
  }

  /// Creates a seed from 16 bytes; nil for another number of bytes.
  package init?(bytes: [UInt8]) {
    guard let seed = bytes.withUnsafeBytes({ Seed(bytes: $0) }) else { return nil }
    self = seed
  }

  /// Reads base64 of 16 bytes; nil for any other text.
  init?(base64 text: UnsafeRawBufferPointer) {
    guard text.count == 24 else { return nil }
    let seed = withUnsafeTemporaryAllocation(byteCount: 18, alignment: 8) { room in
      decodeBase64(text, in: room).flatMap { Seed(bytes: $0) }
    }
    guard let seed else { return nil }
    self = seed
  }

  /// Creates a seed from random bytes.
  ///
  /// Exactly 16 bytes are the seed itself; any other number of bytes is hashed.
  package init(random bytes: [UInt8]) {
    self = Seed(bytes: bytes) ?? SHA256.digest(of: bytes).seed
  }

  /// The 16 bytes of the seed.
  package var bytes: [UInt8] {
    [first, second].flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
  }

  var children: (left: Seed, right: Seed) {
    let words = MessageKind.seed.digest(self).words
    return (Seed(words[0], words[1]), Seed(words[2], words[3]))
  }

  /// The salt that replaces this salt after values of the line were erased.
  package var restated: Seed {
    MessageKind.restatedSalt.digest(self).seed
  }
}

extension Digest {
  /// The first 16 bytes of the digest, as a seed.
  fileprivate var seed: Seed { Seed(words[0], words[1]) }
}

/// A subtree of a transaction's tree of seeds: the leaves of the subtree, and the seed of its root.
package struct SeededRange: Hashable, Sendable {
  package let leaves: Range<Int64>
  /// The seed of the subtree's root.
  package let seed: Seed

  package init(_ leaves: Range<Int64>, _ seed: Seed) {
    self.leaves = leaves
    self.seed = seed
  }

  package func salt(of leaf: Int64) -> Seed {
    var range = self
    while range.leaves.count > 1 {
      let (left, right) = range.children
      range = left.leaves.contains(leaf) ? left : right
    }
    return range.seed
  }

  /// The two halves of a subtree, which must have more than one leaf.
  fileprivate var children: (left: SeededRange, right: SeededRange) {
    let (left, right) = (leaves.children, seed.children)
    return (SeededRange(left.left, right.left), SeededRange(left.right, right.right))
  }
}

/// The salts of a subtree's leaves, from left to right.
package struct Salts: Sequence, IteratorProtocol, Sendable {
  private var waiting: [SeededRange]

  package init(_ range: SeededRange) { waiting = range.leaves.isEmpty ? [] : [range] }

  package mutating func next() -> Seed? {
    guard var range = waiting.popLast() else { return nil }
    while range.leaves.count > 1 {
      let (left, right) = range.children
      waiting.append(right)
      range = left
    }
    return range.seed
  }
}

/// Computes the smallest set of seeds that gives the salts of all leaves except the hidden leaves,
/// from left to right.
///
/// Hidden leaves are read one by one, and at most a few dozen seeds are in memory.
package struct SeedCover<Hidden: IteratorProtocol<Int64>>: Sequence, IteratorProtocol {
  private var waiting: [SeededRange]
  private var hidden: Hidden
  private var nextHidden: Int64?

  /// Covers all leaves of some subtrees except the hidden leaves.
  ///
  /// The subtrees and the hidden leaves must be in ascending order.
  package init(_ ranges: [SeededRange], hiding hidden: Hidden) {
    waiting = ranges.reversed()
    self.hidden = hidden
    nextHidden = self.hidden.next()
  }

  mutating func append(_ range: SeededRange) { waiting.insert(range, at: 0) }

  /// The next subtree with a seed; nil after the last subtree.
  package mutating func next() -> SeededRange? {
    while let range = waiting.popLast() {
      while let index = nextHidden, index < range.leaves.lowerBound { nextHidden = hidden.next() }
      guard let index = nextHidden, range.leaves.contains(index) else { return range }
      guard range.leaves.count > 1 else { continue }
      let (left, right) = range.children
      waiting += [right, left]
    }
    return nil
  }
}
