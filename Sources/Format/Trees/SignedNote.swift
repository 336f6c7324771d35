/// A text with signatures of one or more keys, in the format c2sp.org/signed-note.
package struct SignedNote: Hashable, Sendable, CustomStringConvertible {
  /// A signature by a key of any kind.
  package struct Signature: Hashable, Sendable {
    package let name: String
    /// The number that distinguishes keys with the same name.
    package let keyID: UInt32
    package let bytes: [UInt8]
  }

  /// The maximum number of signatures in a note.
  private static let limit = 100
  private static let dash = "\u{2014} "

  /// The signed text, which ends with a line feed.
  package let text: String
  package private(set) var signatures: [Signature] = []

  package init(text: String) throws(NoteError) {
    guard text.hasSuffix("\n"), text.unicodeScalars.allSatisfy({ $0 == "\n" || $0.value >= 0x20 })
    else { throw .malformed("the text does not end with a line feed, or has control characters") }
    self.text = text
  }

  /// Reads a note.
  ///
  /// Signatures of unknown keys are not verified.
  package init(_ bytes: [UInt8]) throws(NoteError) {
    guard let note = String(validating: bytes, as: UTF8.self) else {
      throw .malformed("the note is not UTF-8")
    }
    let lines = note.split(separator: "\n", omittingEmptySubsequences: false)
    guard let blank = lines.dropLast().lastIndex(of: ""), blank > 0, lines.last == "",
      lines.count - blank - 2 <= Self.limit
    else { throw .malformed("the note has too many signatures, or no empty line before them") }
    try self.init(text: lines[..<blank].joined(separator: "\n") + "\n")
    for line in lines[(blank + 1)...].dropLast() {
      let parts = line.dropFirst(Self.dash.count).split(
        separator: " ",
        omittingEmptySubsequences: false
      )
      guard line.hasPrefix(Self.dash), parts.count == 2, isKeyName(parts[0]),
        let bytes = decoded(parts[1]), bytes.count > 4
      else { throw .malformed("the note has a line that is not a signature") }
      signatures.append(
        Signature(
          name: String(parts[0]),
          keyID: bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) },
          bytes: Array(bytes.dropFirst(4))
        )
      )
    }
    guard !signatures.isEmpty else { throw .malformed("the note has no signature") }
  }

  package var description: String {
    signatures.reduce(text + "\n") { note, one in
      let number = (0..<4).map { UInt8(truncatingIfNeeded: one.keyID >> UInt32(24 - 8 * $0)) }
      return note + "\(Self.dash)\(one.name) \(encoded(number + one.bytes))\n"
    }
  }

  package mutating func sign(_ name: String, privateKey: [UInt8]) throws(NoteError) {
    let key = try NoteKey(name: name, bytes: ed25519PublicKey(of: privateKey))
    let signature = try ed25519Signature(of: Array(text.utf8), by: privateKey)
    signatures.append(Signature(name: name, keyID: key.id, bytes: signature))
  }

  /// The known keys that have signed the note, except the keys of witnesses.
  ///
  /// - Throws: ``NoteError`` if no known key has signed the note, or if the signature of a known
  ///   key is wrong.
  package func signers(among keys: [NoteKey]) throws(NoteError) -> [NoteKey] {
    let found = try verified(keys.filter { !$0.isWitness }).map(\.key)
    guard !found.isEmpty else { throw .unsigned }
    return found
  }

  /// The known witnesses that have signed the note, and the times that they have signed, in seconds
  /// since 1970.
  ///
  /// - Throws: ``NoteError`` if the signature of a known witness is wrong.
  package func witnesses(
    among keys: [NoteKey]
  ) throws(NoteError) -> [(key: NoteKey, time: Int64)] {
    try verified(keys.filter(\.isWitness))
  }

  /// The given keys that have signed the note; the time is 0 for keys that do not sign a time.
  private func verified(_ keys: [NoteKey]) throws(NoteError) -> [(key: NoteKey, time: Int64)] {
    var found: [(key: NoteKey, time: Int64)] = []
    for one in signatures {
      for key in keys where key.name == one.name && key.id == one.keyID {
        var (signature, message, time) = (one.bytes, text, UInt64(0))
        if key.isWitness {
          time = signature.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
          signature.removeFirst(min(8, signature.count))
          message = "cosignature/v1\ntime \(time)\n\(text)"
        }
        guard let time = Int64(exactly: time),
          try isEd25519Signature(signature, of: Array(message.utf8), by: key.bytes)
        else { throw .wrongSignature(key.name) }
        if !found.contains(where: { $0.key == key }) { found.append((key, time)) }
      }
    }
    return found
  }
}
