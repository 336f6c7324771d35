import Testing

@testable import Format

@Suite("Keyed digests")
struct KeyedDigestTests {
  /// Test cases 1, 2, 3 and 6 of RFC 4231.
  private static let cases: [(key: [UInt8], text: [UInt8], digest: String)] = [
    (
      [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
    ),
    (
      [UInt8](repeating: 0xaa, count: 131),
      Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ]

  @Test("Keyed digests are those of RFC 4231.", arguments: cases.indices)
  func vectors(_ index: Int) {
    let one = Self.cases[index]
    #expect(keyedDigest(of: one.text, key: one.key).description == one.digest)
  }
}
