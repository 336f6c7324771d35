import Testing

@testable import Format

@Suite("Signed notes")
struct SignedNoteTests {
  private let vector: TreeVectors.Note
  private let key: NoteKey

  init() throws {
    vector = try TreeVectors.read().note
    key = try NoteKey(verifier: vector.verifier)
  }

  private func note(_ text: String) throws -> SignedNote { try SignedNote(Array(text.utf8)) }

  @Test("A key is read from a line and from PEM files, and gives the same line.")
  func keys() throws {
    #expect(key.verifier == vector.verifier)
    #expect(key.name == vector.name && key.bytes == bytes(hexadecimal: vector.public))
    let secret = try ed25519Key(pem: vector.private_pem)
    #expect(secret.isPrivate && secret.bytes == bytes(hexadecimal: vector.private))
    let open = try ed25519Key(pem: vector.public_pem)
    #expect(!open.isPrivate && open.bytes == key.bytes)
    #expect(try ed25519PublicKey(of: secret.bytes) == key.bytes)
  }

  @Test("A signature is the one that RFC 8032 defines, and a note is read as it was written.")
  func signing() throws {
    let read = try note(vector.note)
    #expect(read.description == vector.note)
    #expect(try read.signers(among: [key]) == [key])
    var made = try SignedNote(text: read.text)
    try made.sign(vector.name, privateKey: bytes(hexadecimal: vector.private))
    #expect(made == read)
    let point = try Checkpoint(text: read.text)
    #expect(point.origin == "example.org/travelog")
    #expect(point.head == TreeHead(count: 7, root: MerkleTree(numberedLeaves(7)).root))
    #expect(point.text == read.text)
  }

  @Test("Signatures of unknown keys are ignored, and a wrong signature of a known key is refused.")
  func others() throws {
    var both = try note(vector.note)
    let other = [UInt8](repeating: 7, count: 32)
    try both.sign("other.example", privateKey: other)
    let second = try NoteKey(name: "other.example", bytes: ed25519PublicKey(of: other))
    #expect(try note(both.description) == both)
    #expect(try both.signers(among: [key]) == [key])
    #expect(try both.signers(among: [second, key]) == [key, second])
    #expect(throws: NoteError.unsigned) { try note(vector.note).signers(among: [second]) }
    let namesake = try NoteKey(name: key.name, bytes: second.bytes)
    #expect(throws: NoteError.unsigned) { try both.signers(among: [namesake]) }

    let altered = both.description.replacing("\n7\n", with: "\n8\n")
    #expect(throws: NoteError.wrongSignature(key.name)) {
      try note(altered).signers(among: [second, key].filter { $0 == key })
    }
    let lines = vector.note.split(separator: "\n", omittingEmptySubsequences: false)
    let signature = try #require(lines.dropLast().last?.split(separator: " ").last)
    var bytes = try #require(decoded(signature))
    for place in bytes.indices {
      bytes[place] ^= 1
      let text = vector.note.replacing(signature, with: encoded(bytes))
      let expected: NoteError = place < 4 ? .unsigned : .wrongSignature(key.name)
      #expect(throws: expected) { try note(text).signers(among: [key]) }
      bytes[place] ^= 1
    }
  }

  @Test("A malformed note is refused.")
  func malformedNotes() {
    let signature = "\u{2014} a AAAAAAAA\n"
    for text in [
      "", "\n", "\n\n", "a\n", "a\n\n", "\n\(signature)", "a\n\(signature)", "a\n\n\(signature)x",
      "a\n\n\(signature.dropLast())", "a\n\n- a AAAAAAAA\n", "a\n\n\u{2014} a AAAA\n",
      "a\n\n\u{2014} a  AAAAAAAA\n", "a\n\n\u{2014}  AAAAAAAA\n", "a\n\n\u{2014} a AAAAAAAB=\n",
      "a\n\n\u{2014} a+b AAAAAAAA\n", "a\n\n\u{2014} a\u{a0}b AAAAAAAA\n", "a\r\n\n\(signature)",
      "a\u{0}\n\n\(signature)", "a\n\n" + String(repeating: signature, count: 101),
    ] {
      #expect(throws: NoteError.self, "\(text)") { try note(text) }
    }
    #expect(throws: NoteError.self) { try SignedNote([0xff, 0x0a, 0x0a] + Array(signature.utf8)) }
    #expect(throws: NoteError.self) { try SignedNote(text: "a") }
    #expect(throws: Never.self) {
      try note("a\n\nb\n\n" + String(repeating: signature, count: 100))
    }
  }

  @Test("A malformed key or checkpoint is refused.")
  func malformedParts() throws {
    let parts = vector.verifier.split(separator: "+", maxSplits: 2)
    for text in [
      "", "a", "a+b", "+\(parts[1])+\(parts[2])", "a+\(parts[1])+\(parts[2])",
      "\(parts[0])+00000000+\(parts[2])", "\(parts[0])+\(parts[1].uppercased())+\(parts[2])",
      "\(parts[0])+\(parts[1])+\(parts[2])A", "\(parts[0])+\(parts[1])+\(parts[2].dropLast(4))",
      "\(parts[0])+\(parts[1])+Ag==",
    ] where text != vector.verifier {
      #expect(throws: NoteError.self, "\(text)") { try NoteKey(verifier: text) }
    }
    for text in ["", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n"] {
      #expect(throws: NoteError.self) { try ed25519Key(pem: text) }
    }
    #expect(throws: NoteError.self) {
      try ed25519Key(pem: vector.private_pem.replacing("MC4", with: "MC8"))
    }
    for count in [0, 31, 33] {
      let bytes = [UInt8](repeating: 7, count: count)
      #expect(throws: NoteError.self) { try ed25519PublicKey(of: bytes) }
    }
    let root = encoded(MerkleTree().root.bytes)
    for text in [
      "", "a\n0\n\(root)", "a\n0\n", "\n0\n\(root)\n", "a\n01\n\(root)\n", "a\n-1\n\(root)\n",
      "a\n+1\n\(root)\n", "a\n99999999999999999999\n\(root)\n", "a\n0\n\(root.dropLast(4))\n",
      "a\n0\n\(root)\n\n",
    ] {
      #expect(throws: NoteError.self, "\(text)") { try Checkpoint(text: text) }
    }
    #expect(try Checkpoint(text: "a\n0\n\(root)\nmore\n").text == "a\n0\n\(root)\n")
  }

  @Test("A checkpoint has an origin without control characters, and no negative number of leaves.")
  func origins() {
    let root = MerkleTree().root
    for (origin, count) in [("", 0), ("a\nb", 0), ("a\u{1f}", 0), ("a", -1)] as [(String, Int64)] {
      #expect(throws: NoteError.self) {
        try Checkpoint(origin: origin, head: TreeHead(count: count, root: root))
      }
    }
    #expect(throws: Never.self) {
      try Checkpoint(origin: " ", head: TreeHead(count: 0, root: root))
    }
  }
}
