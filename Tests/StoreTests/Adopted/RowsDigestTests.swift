import Format
import Testing

@testable import Store

@Suite("The digest of all rows of a table")
struct RowsDigestTests {
  private func name(_ number: Int64) -> RowName { RowName(ObjectID(number)) }

  private func digest(_ rows: [(Int64, [Value])]) -> RowsDigest {
    var digest = RowsDigest()
    for (number, values) in rows { digest.add(name(number), values: values) }
    return digest
  }

  @Test("The digest does not depend on the order of the rows, and depends on every value and name.")
  func order() {
    let rows: [(Int64, [Value])] = (1...40).map { ($0, [.integer($0 * 7), .text("v\($0)")]) }
    let digest = digest(rows)
    #expect(digest.rows == 40)
    #expect(self.digest(rows.reversed()) == digest)
    for (index, row) in rows.enumerated() {
      var other = rows
      other[index].1[0] = .real(Double(row.0 * 7))
      #expect(self.digest(other) != digest)
      other = rows
      other[index].0 += 100
      #expect(self.digest(other) != digest)
    }
    let separated = self.digest([(1, [.text("a\tb"), .null])])
    #expect(separated != self.digest([(1, [.text("a"), .text("b"), .null])]))
  }

  @Test("A digest that every change of a row updates equals the digest of the last rows.")
  func changes() {
    var generator = SystemRandomNumberGenerator()
    var rows: [Int64: [Value]] = [:]
    var digest = RowsDigest()
    for step in 0..<500 {
      let number = Int64.random(in: 0..<30, using: &generator)
      if let old = rows.removeValue(forKey: number) { digest.remove(name(number), values: old) }
      guard Bool.random(using: &generator) else { continue }
      rows[number] = [.integer(Int64(step)), .blob(.init([UInt8(step % 256)])), .null]
      digest.add(name(number), values: rows[number] ?? [])
    }
    #expect(digest == self.digest(rows.map { ($0.key, $0.value) }))
    for (number, values) in rows { digest.remove(name(number), values: values) }
    #expect(digest == RowsDigest())
  }

  @Test("The text of a digest gives the same digest, and other texts give none.")
  func text() {
    for digest in [RowsDigest(), digest([(1, [.null]), (2, [.text("é")])])] {
      #expect(RowsDigest("\(digest)") == digest)
    }
    let zeros = String(repeating: "0", count: 64)
    for text in ["", "1", "1 \(zeros)0", "x \(zeros)", "1  \(zeros)", "1 \(zeros) "] {
      #expect(RowsDigest(text) == nil, "\(text)")
    }
  }
}
