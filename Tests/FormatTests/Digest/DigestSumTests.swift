import Format
import Testing

@Suite("Sums of digests")
struct DigestSumTests {
  private func digest(_ text: String) throws -> Digest {
    try #require(Digest(hexadecimal: String(repeating: "0", count: 64 - text.utf8.count) + text))
  }

  @Test("Digests are added and subtracted as integers of 256 bits, with carries.")
  func carries() throws {
    let all = try digest(String(repeating: "f", count: 64))
    for (left, right, sum) in [
      ("0", "0", "0"), ("1", "2", "3"), ("ffffffffffffffff", "1", "10000000000000000"),
      (
        "ffffffffffffffffffffffffffffffffffffffffffffffff", "2",
        "1000000000000000000000000000000000000000000000001"
      ),
      (
        "8000000000000000ffffffffffffffff", "80000000000000000000000000000001",
        "100000000000000010000000000000000"
      ),
    ] {
      let (left, right, sum) = (try digest(left), try digest(right), try digest(sum))
      #expect(left &+ right == sum && right &+ left == sum)
      #expect(sum &- right == left && sum &- left == right)
    }
    #expect(try all &+ digest("1") == .zero)
    #expect(try Digest.zero &- digest("1") == all)
    #expect(all &+ all == (try all &- digest("1")))
    #expect(Digest.zero.bytes.allSatisfy { $0 == 0 })
  }
}
