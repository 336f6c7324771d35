/// A number that is very probably different for pages with different bytes.
///
/// It recognises pages that did not change since their digests were stored. It does not protect
/// against someone who constructs pages with equal digests. Stored digests depend on this function,
/// so it must not change.
package struct PageDigest: Hashable, Sendable {
  package let value: UInt64

  package init(value: UInt64) { self.value = value }

  /// Computes the digest of a page, whose size is a multiple of 32.
  package init(of page: UnsafeRawBufferPointer) {
    // Four lanes do not wait for each other.
    var (a, b, c, d) = (Self.seeds.0, Self.seeds.1, Self.seeds.2, Self.seeds.3)
    if let start = page.baseAddress {
      for offset in stride(from: 0, to: page.count & ~31, by: 32) {
        a = Self.step(a, start.uint64(at: offset))
        b = Self.step(b, start.uint64(at: offset + 8))
        c = Self.step(c, start.uint64(at: offset + 16))
        d = Self.step(d, start.uint64(at: offset + 24))
      }
    }
    value = [a, b, c, d].reduce(Self.mixed(UInt64(page.count))) {
      Self.mixed(Self.step($0, Self.mixed($1)))
    }
  }

  /// A digest of this digest and another one.
  package func following(_ other: PageDigest) -> PageDigest {
    PageDigest(value: Self.mixed(Self.step(value, Self.mixed(other.value))))
  }

  /// A digest of this digest and some bytes of any number.
  func following(_ bytes: UnsafeRawBufferPointer) -> PageDigest {
    let whole = bytes.count & ~31
    var result = following(PageDigest(of: UnsafeRawBufferPointer(rebasing: bytes[..<whole])))
    for byte in bytes[whole...] {
      result = PageDigest(value: Self.step(result.value, UInt64(byte)))
    }
    return result.following(PageDigest(value: UInt64(bytes.count)))
  }

  /// Odd factors with many ones, so that each bit of a product depends on all lower bits.
  private static let factors: (UInt64, UInt64) = (0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03)
  private static let seeds: (UInt64, UInt64, UInt64, UInt64) = (
    0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89
  )

  /// Adds a word to a lane.
  ///
  /// For a given lane or a given word this is a bijection, so a change of one word always changes
  /// its lane.
  @inline(__always)
  private static func step(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    // Without the first product, the change of a word's highest bit would change one bit of the lane,
    // and a bit of the next word could hide it.
    ((lane << 27 | lane >> 37) ^ (word &* factors.0)) &* factors.1
  }

  /// Spreads the high bits of a number, on which a product does not depend enough.
  private static func mixed(_ number: UInt64) -> UInt64 {
    let product = (number ^ number >> 32) &* factors.0
    return product ^ product >> 29
  }
}

extension DatabaseView {
  /// Calls the closure with each page and its digest, in the order of the pages.
  ///
  /// The page for locks is left out.
  package func forEachDigest(
    _ body: (UInt32, PageDigest) throws(PageError) -> Void
  ) throws(PageError) {
    guard pageCount > 0 else { return }
    let buffer = PageBuffer(layout)
    for page in 1...pageCount where page != layout.lockBytePage {
      try read(page, into: buffer)
      try body(page, PageDigest(of: buffer.bytes))
    }
  }
}
