/// The checkpoint of a tree as a file has it: a note, or its text alone before anybody has signed it.
package struct CheckpointFile: Hashable, Sendable {
  /// What it says.
  package let checkpoint: Checkpoint
  /// The signed note; nil if nobody has signed it.
  package private(set) var note: SignedNote?

  /// Makes a file that nobody has signed.
  package init(_ checkpoint: Checkpoint) { self.checkpoint = checkpoint }

  /// Reads the bytes of a file.
  package init(_ bytes: [UInt8]) throws(NoteError) {
    let text = String(decoding: bytes, as: UTF8.self)
    if text.contains("\n\n") {
      let note = try SignedNote(bytes)
      self.note = note
      checkpoint = try Checkpoint(text: note.text)
    } else {
      checkpoint = try Checkpoint(text: text)
    }
  }

  /// What the file has.
  package var text: String { note?.description ?? checkpoint.text }

  /// Adds a signature by a private key, in the name of the tree, and returns the public one; other
  /// signatures stay.
  @discardableResult
  package mutating func sign(_ privateKey: [UInt8]) throws(NoteError) -> NoteKey {
    let key = try NoteKey(name: checkpoint.origin, bytes: ed25519PublicKey(of: privateKey))
    var signed: SignedNote
    if let note { signed = note } else { signed = try SignedNote(text: checkpoint.text) }
    let isThere = signed.signatures.contains { $0.name == key.name && $0.keyID == key.id }
    if !isThere { try signed.sign(key.name, privateKey: privateKey) }
    note = signed
    return key
  }

  /// The keys that have signed it, of those that are known.
  ///
  /// - Throws: ``NoteError`` if none has, or if a signature is not the one of a known key.
  package func signers(among keys: [NoteKey]) throws(NoteError) -> [NoteKey] {
    guard let note else { throw .unsigned }
    return try note.signers(among: keys)
  }
}
