/// The reason why a note, a checkpoint or a key can't be read, created or trusted.
package enum NoteError: Error, Hashable, Sendable {
  /// The note, checkpoint or key has a wrong form. The text explains what is wrong.
  case malformed(String)
  /// No known key has signed the note.
  case unsigned
  /// The signature of the known key with this name does not match the text.
  case wrongSignature(String)
  /// The machine has no libcrypto, which is needed to sign and verify.
  case noLibrary
}

/// A public Ed25519 key with a name, which verifies the signatures of notes.
package struct NoteKey: Hashable, Sendable {
  package let name: String
  /// The 32 bytes of the public key.
  package let bytes: [UInt8]
  /// Whether the signer is a witness, which signs a time together with the text
  /// (c2sp.org/tlog-cosignature).
  package let isWitness: Bool

  /// The number in C2SP's list of kinds of signatures.
  private var kind: UInt8 { isWitness ? 4 : 1 }

  package init(name: String, bytes: [UInt8], isWitness: Bool = false) throws(NoteError) {
    guard isKeyName(name) else {
      throw .malformed("the name of a key is empty, or has a blank, a plus or a control character")
    }
    guard bytes.count == 32 else { throw .malformed("a key of Ed25519 has 32 bytes") }
    self.name = name
    self.bytes = bytes
    self.isWitness = isWitness
  }

  /// Reads a key in the form of a vkey line, such as `example.org/log+1c0a…+AW9…`.
  package init(verifier text: String) throws(NoteError) {
    let parts = text.split(separator: "+", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = decoded(parts[2]), bytes.first == 1 || bytes.first == 4
    else { throw .malformed("this is not a key of Ed25519 with its name and number") }
    try self.init(
      name: String(parts[0]),
      bytes: Array(bytes.dropFirst()),
      isWitness: bytes.first == 4
    )
    guard verifier == text else { throw .malformed("the key of \(name) has another number") }
  }

  /// The key in the form of a vkey line, which other C2SP programs can read.
  package var verifier: String {
    let digits = String(id, radix: 16)
    let number = String(repeating: "0", count: 8 - digits.count) + digits
    return "\(name)+\(number)+\(encoded([kind] + bytes))"
  }

  /// The number that distinguishes keys with the same name.
  package var id: UInt32 {
    let digest = SHA256.digest(of: Array(name.utf8) + [0x0a, kind] + bytes)
    return UInt32(digest.words[0] >> 32)
  }
}

/// Whether a text may be the name of a key.
func isKeyName(_ text: some StringProtocol) -> Bool {
  !text.isEmpty
    && !text.unicodeScalars.contains {
      $0.properties.isWhitespace || $0 == "+" || $0.value < 0x20
    }
}

/// Decodes canonical base64; nil for any other text.
func decoded(_ text: some StringProtocol) -> [UInt8]? {
  Array(text.utf8).withUnsafeBytes { parseBase64($0) }.map { Array($0) }
}

func encoded(_ bytes: [UInt8]) -> String {
  var text: [UInt8] = []
  bytes.withUnsafeBytes { appendBase64($0, to: &text) }
  return String(decoding: text, as: UTF8.self)
}

/// Reads the 32 bytes of an Ed25519 key in a PEM file, as `openssl genpkey -algorithm ed25519` and
/// `openssl pkey -pubout` write it.
package func ed25519Key(pem text: String) throws(NoteError) -> (bytes: [UInt8], isPrivate: Bool) {
  // In every file, the DER bytes before the key are the same (RFC 8410).
  let kinds: [(name: String, isPrivate: Bool, opening: [UInt8])] = [
    (
      "PRIVATE KEY", true,
      [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20]
    ),
    ("PUBLIC KEY", false, [0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0]),
  ]
  let lines = text.split(whereSeparator: \.isNewline)
  for kind in kinds {
    guard let first = lines.firstIndex(of: "-----BEGIN \(kind.name)-----"),
      let last = lines[first...].firstIndex(of: "-----END \(kind.name)-----"),
      let bytes = decoded(lines[(first + 1)..<last].joined()),
      bytes.count == kind.opening.count + 32, bytes.starts(with: kind.opening)
    else { continue }
    return (Array(bytes.suffix(32)), kind.isPrivate)
  }
  throw .malformed("this is not a PEM file with a key of Ed25519")
}
