import Foundation
import TestSupport
import Testing

@testable import Format

@Suite("Bytes and UUIDs as text")
struct BytesTextTests {
  @Test("Base64 is what Foundation writes, for every length and across pieces, and is read back.")
  func base64() {
    var generator = SeededGenerator(for: "base64")
    for count in Array(0..<200) + [3071, 3072, 3073, 3074, 6144, 10_000] {
      let data = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
      let written = text { buffer in
        data.withUnsafeBytes { appendBase64($0, to: &buffer) }
      }
      #expect(written == data.base64EncodedString())
      #expect(bytes(written, parseBase64) == data)
    }
  }

  @Test("Every pair of bytes before the padding is read if it is canonical, and refused otherwise.")
  func base64Exhaustive() {
    for first in UInt8(0)...255 {
      for second in UInt8(0)...255 {
        let text = [first, second, 0x3d, 0x3d]
        let expected = Data(base64Encoded: Data(text))
        let strict = expected.flatMap { $0.base64EncodedData() == Data(text) ? $0 : nil }
        guard text.withUnsafeBytes({ parseBase64($0) }) == strict else {
          Issue.record("\(text)")
          return
        }
      }
    }
  }

  @Test(
    "Base64 in another form is refused.",
    arguments: [
      "A", "AA", "AAA", "AA=", "AA==AA==", "AB==", "AAB=", "A===", "====", "AAAA\n", "AA A",
      "AA-_", "AAAA=", "A=AA", "AA=A",
    ]
  )
  func refused(_ text: String) {
    #expect(bytes(text, parseBase64) == nil)
  }

  @Test("A UUID has one form, in upper case; other forms are refused.")
  func uuids() throws {
    func isRead(_ text: String) -> Bool {
      let value = Array("\"\(text)\"".utf8).withUnsafeBytes { try? parseCanonical($0, as: .uuid) }
      return value == .text(text)
    }
    for _ in 0..<1000 {
      let written = UUID().uuidString
      #expect(isRead(written))
      #expect(!isRead(written.lowercased()) || written == written.lowercased())
      #expect(!isRead(String(written.dropLast())))
      #expect(!isRead(written.replacing("-", with: "_")))
    }
  }
}
