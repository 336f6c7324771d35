import TestSupport
import Testing

@testable import Format

/// The smallest cover of the visible leaves, found by visiting every subtree.
private func smallestCover(_ hidden: Set<Int64>, _ node: Range<Int64>) -> [Range<Int64>] {
  guard !node.allSatisfy({ !hidden.contains($0) }) else { return node.isEmpty ? [] : [node] }
  guard node.count > 1 else { return [] }
  return smallestCover(hidden, node.children.left) + smallestCover(hidden, node.children.right)
}

/// The salts that a log of some lines gives, or nil for hidden lines.
private func saltsOfLines(
  _ count: Int64,
  _ seeds: [SeededRange]
) throws(ProofError) -> [Seed?] {
  var lines = LineSalts(count: count)
  var result: [Seed?] = []
  for index in 0..<count {
    if let seed = seeds.first(where: { $0.leaves.lowerBound == index }) {
      result.append(try lines.next(seed.leaves.upperBound - index, seed.seed))
    } else if seeds.contains(where: { $0.leaves.contains(index) }) {
      result.append(try lines.next())
    } else {
      try lines.skip(1)
      result.append(nil)
    }
  }
  try lines.finish()
  return result
}

@Suite("Trees of seeds")
struct SeedTests {
  private let seed = Seed(bytes: Array(0..<16))

  @Test("A seed has the bytes that it was created from.")
  func bytes() throws {
    let seed = try #require(seed)
    #expect(seed.bytes == Array(0..<16))
    #expect(Seed(bytes: Array(0..<15)) == nil && Seed(bytes: Array(0..<17)) == nil)
  }

  @Test(
    "For each set of hidden leaves of up to 10, the cover is minimal and gives the other leaves."
  )
  func allSubsets() throws {
    let seed = try #require(seed)
    for count in Int64(0)...10 {
      let whole = SeededRange(0..<count, seed)
      let all = Array(Salts(whole))
      #expect(all.count == count && Set(all).count == count)
      for bits in 0..<(1 << count) {
        let hidden = (0..<count).filter { bits >> $0 & 1 == 1 }
        let cover = Array(SeedCover(count > 0 ? [whole] : [], hiding: hidden.makeIterator()))
        #expect(cover.map(\.leaves) == smallestCover(Set(hidden), 0..<count))
        let expected = (0..<count).map { hidden.contains($0) ? nil : all[Int($0)] }
        #expect(try saltsOfLines(count, cover) == expected)
        // Hiding leaves one after another gives the same cover.
        let again = hidden.reduce([whole]) { cover, index in
          Array(SeedCover(cover, hiding: CollectionOfOne(index).makeIterator()))
        }
        #expect(count == 0 || again == cover)
      }
    }
  }

  @Test("A cover that is not minimal, or contains a subtree that does not exist, is refused.")
  func otherCovers() throws {
    let seed = try #require(seed)
    for count in Int64(2)...33 {
      for hidden in 0..<count {
        let cover = Array(
          SeedCover([SeededRange(0..<count, seed)], hiding: CollectionOfOne(hidden).makeIterator())
        )
        for (place, range) in cover.enumerated() {
          guard range.leaves.count > 1 else { continue }
          let middle = range.leaves.children.left.upperBound
          let halves = [range.leaves.lowerBound..<middle, middle..<range.leaves.upperBound]
          var longer = cover
          longer.replaceSubrange(place...place, with: halves.map { SeededRange($0, seed) })
          #expect(throws: ProofError.self) { try saltsOfLines(count, longer) }
        }
        for leaves in -1...count + 1 where leaves < 0 || !(0..<leaves).isNode(ofLeaves: count) {
          var lines = LineSalts(count: count)
          #expect(throws: ProofError.self) { try lines.next(leaves, seed) }
        }
      }
    }
  }

  @Test("Lines without a salt, or with two, are refused.")
  func refusedLines() throws {
    let seed = try #require(seed)
    var lines = LineSalts(count: 4)
    #expect(throws: ProofError.self) { try lines.next() }
    #expect(throws: ProofError.self) { try lines.next(.max, seed) }
    #expect(throws: ProofError.self) { try lines.skip(5) }
    #expect(throws: ProofError.self) { try lines.skip(.min) }
    _ = try lines.next(2, seed)
    #expect(throws: ProofError.self) { try lines.next(1, seed) }
    #expect(throws: ProofError.self) { try lines.skip(1) }
    #expect(throws: ProofError.self) { try lines.finish() }
    _ = try lines.next()
    try lines.skip(2)
    try lines.finish()
    #expect(throws: ProofError.self) { try lines.skip(1) }
  }

  @Test("In large trees with random hidden leaves, the cover gives exactly the other salts.")
  func large() throws {
    var generator = SeededGenerator(for: "covers of large trees")
    for _ in 0..<trials(20, long: 500) {
      let count = Int64.random(in: 1...5000, using: &generator)
      let share = Double.random(in: 0...1, using: &generator)
      let seed = Seed(random: (0..<16).map { _ in .random(in: .min ... .max, using: &generator) })
      let whole = SeededRange(0..<count, seed)
      let hidden = (0..<count).filter { _ in Double.random(in: 0..<1, using: &generator) < share }
      let cover = Array(SeedCover([whole], hiding: hidden.makeIterator()))
      #expect(cover.map(\.leaves) == smallestCover(Set(hidden), 0..<count))
      let all = Array(Salts(whole))
      let shown = Set(0..<count).subtracting(hidden).sorted()
      #expect(cover.flatMap(\.leaves) == shown)
      #expect(cover.flatMap { Array(Salts($0)) } == shown.map { all[Int($0)] })
    }
  }
}
