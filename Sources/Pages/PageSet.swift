/// A set of pages of a database, with one bit for each page.
package struct PageSet: Sendable {
  private var words: [UInt64]

  /// Creates an empty set for pages up to a last one; other pages can't be inserted.
  package init(through last: UInt32) {
    words = [UInt64](repeating: 0, count: Int(last / 64) + 1)
  }

  package func contains(_ page: UInt32) -> Bool {
    let index = Int(page / 64)
    return index < words.count && words[index] >> UInt64(page % 64) & 1 == 1
  }

  package mutating func insert(_ page: UInt32) {
    let index = Int(page / 64)
    if index < words.count { words[index] |= 1 << UInt64(page % 64) }
  }

  package var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }
}
