import Foundation
import TestSupport
import Testing

@testable import Format

@Suite("SHA-256")
struct SHA256Tests {
  @Test("SHA-256 gives the digests of FIPS 180-4 and of NIST's test program.")
  func examples() {
    let long =
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
      + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"
    let expected: [(String, String)] = [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (long, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"),
      (
        String(repeating: "a", count: 1_000_000),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
    ]
    for (message, digest) in expected {
      #expect(SHA256.digest(of: Array(message.utf8)).description == digest)
    }
    // The shortest of NIST's short message vectors.
    #expect(
      SHA256.digest(of: [0xd3]).description
        == "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1"
    )
    #expect(
      SHA256.digest(of: [0x11, 0xaf]).description
        == "5ca7133fa735326081558ac312c620eeca9970d1e70a4b95533d956f072d1f98"
    )
  }

  @Test("Digests of messages of every length up to 300 bytes agree with another implementation.")
  func lengths() {
    var all = SHA256()
    for count in 0..<300 {
      let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + count) }
      all.update(SHA256.digest(of: message).bytes)
    }
    #expect(
      all.finish().description
        == "d5238871a46ac4a1a75ac3fb19d645b0b3b9e5f35f5f720e2b240d605c6b694e"
    )
  }

  @Test("The digest of a message does not depend on how it is cut into pieces.")
  func pieces() {
    var generator = SeededGenerator(for: "SHA-256")
    let message = (0..<1000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let whole = SHA256.digest(of: message)
    for first in 0...200 {
      var hash = SHA256()
      hash.update(Array(message[..<first]))
      var start = first
      while start < message.count {
        let end = min(start + Int.random(in: 0...150, using: &generator), message.count)
        hash.update(Array(message[start..<end]))
        start = end
      }
      #expect(hash.finish() == whole)
    }
  }

  @Test("The portable implementation gives the same digests, however a message is cut.")
  func plain() {
    var generator = SeededGenerator(for: "plain SHA-256")
    for count in Array(0...200) + [1000, 4096, 100_000] {
      let message = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      var hash = PlainSHA256()
      var start = 0
      while start < count {
        let end = min(start + Int.random(in: 1...150, using: &generator), count)
        message[start..<end].withUnsafeBytes { hash.update($0) }
        start = end
      }
      #expect(hash.finish() == SHA256.digest(of: message))
    }
    #expect(
      PlainSHA256().finish().description
        == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    )
  }

  @Test("A digest can be read before the end of a message, and more bytes may follow.")
  func finishTwice() {
    var hash = SHA256()
    hash.update(Array("ab".utf8))
    let early = hash.finish()
    #expect(hash.finish() == early)
    hash.update(Array("c".utf8))
    #expect(hash.finish() == SHA256.digest(of: Array("abc".utf8)))
  }

  @Test("A digest is read from its text and its bytes, and other texts are refused.")
  func texts() throws {
    let digest = SHA256.digest(of: Array("abc".utf8))
    #expect(Digest(hexadecimal: digest.description) == digest)
    #expect(digest.bytes.withUnsafeBytes { Digest(bytes: $0) } == digest)
    #expect(digest.bytes.count == 32)
    for text in ["", digest.description.uppercased(), digest.description + "0", "zz"] {
      #expect(Digest(hexadecimal: text) == nil)
    }
    #expect([UInt8](repeating: 0, count: 31).withUnsafeBytes { Digest(bytes: $0) } == nil)
  }
}
