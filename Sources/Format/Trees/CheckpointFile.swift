/// A file with the checkpoint of a tree: a signed note, or the text of the checkpoint without
/// signatures.
package struct CheckpointFile: Hashable, Sendable {
  package let checkpoint: Checkpoint
  /// The signed note; nil if nobody has signed the checkpoint.
  package private(set) var note: SignedNote?

  /// Creates a file with a checkpoint that nobody has signed.
  package init(_ checkpoint: Checkpoint) { self.checkpoint = checkpoint }

  /// Reads a checkpoint from the bytes of a file.
  package init(_ bytes: [UInt8]) throws(NoteError) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .malformed("the checkpoint is not UTF-8")
    }
    if text.contains("\n\n") {
      let note = try SignedNote(bytes)
      self.note = note
      checkpoint = try Checkpoint(text: note.text)
    } else {
      checkpoint = try Checkpoint(text: text)
    }
  }

  /// The bytes of the file.
  package var text: String { note?.description ?? checkpoint.text }

  /// Signs the checkpoint with a private key, under the name of the tree, and returns the public
  /// key.
  ///
  /// Signatures by other keys are kept.
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

  /// The known keys that have signed the checkpoint.
  ///
  /// - Throws: ``NoteError`` if no known key has signed the checkpoint, or if the signature of a
  ///   known key is wrong.
  package func signers(among keys: [NoteKey]) throws(NoteError) -> [NoteKey] {
    guard let note else { throw .unsigned }
    return try note.signers(among: keys)
  }

  /// The body of the request “add-checkpoint”, which asks a witness to sign the checkpoint
  /// (c2sp.org/tlog-witness).
  ///
  /// The hashes prove that the tree begins with the tree of the given size, for which the witness
  /// has signed a checkpoint before.
  package func witnessRequest(after size: Int64, proof: [Digest]) -> String {
    (["old \(size)"] + proof.map { encoded($0.bytes) } + ["", text]).joined(separator: "\n")
  }
}
