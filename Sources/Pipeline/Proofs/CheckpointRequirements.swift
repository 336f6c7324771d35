import ChangeLog
import Format

/// The name and the signatures that a checkpoint must have.
package struct CheckpointRequirements: Sendable {
  /// A file with public keys, one of which must have signed the checkpoint; nil for any signer.
  ///
  /// The file can also have keys of witnesses.
  package var keys: String?
  /// Files with the keys of witnesses.
  package var witnesses: [String] = []
  /// The number of given witnesses that must have signed the checkpoint; nil for all of them.
  package var quorum: Int?
  /// The name of the tree; nil for any name.
  package var origin: String?

  package init(keys: String? = nil, witnesses: [String] = [], origin: String? = nil) {
    self.keys = keys
    self.witnesses = witnesses
    self.origin = origin
  }

  /// Checks the name and the signatures of a checkpoint, and returns the names of the given keys
  /// that have signed it, and the given witnesses that have signed it.
  ///
  /// - Throws: ``LogError`` if the checkpoint does not meet a requirement, or if a signature by one
  ///   of the given keys is wrong.
  package func check(
    _ file: CheckpointFile,
    path: String
  ) throws -> (signers: [String], witnesses: [Witness]) {
    let name = file.checkpoint.origin
    if let origin, origin != name {
      throw LogError(.refuted, path) {
        "The checkpoint in \(path) belongs to the tree \(inQuotes(abbreviated(name))) instead of"
          + " \(inQuotes(abbreviated(origin))). One key can sign the trees of several stores."
          + "\nAsk for the checkpoint or the proof of the other tree."
      }
    }
    let known = try keys.map { try readKeys($0, name: name) } ?? []
    let observers = try known.filter(\.isWitness) + witnesses.flatMap { try readWitnesses($0) }
    // A key that is given twice, or under two names, is one witness.
    let count = Set(observers.map(\.bytes)).count
    let quorum = quorum ?? count
    guard quorum <= count else {
      throw LogError(.inputOutput, path) {
        "\(quorum) witnesses must have signed \(path), but only \(count) different keys of"
          + " witnesses are given.\nGive more keys with --witness, or a smaller --quorum."
      }
    }
    let (signers, found) = try readingNote(path) { () throws(NoteError) in
      (
        keys == nil ? [] : try file.signers(among: known),
        try file.note?.witnesses(among: observers) ?? []
      )
    }
    let signed = Set(found.map(\.key.bytes)).count
    guard signed >= quorum else {
      throw LogError(.refuted, path) {
        "\(quorum) of the given witnesses must have signed the checkpoint in \(path), but only"
          + " \(signed) did.\nAsk for the checkpoint with the signatures of more witnesses."
      }
    }
    let cosigners = found.map {
      Witness(name: $0.key.name, time: timeText(seconds: Int($0.time), microseconds: 0))
    }
    return (signers.map(\.name), cosigners)
  }
}

/// A witness that has signed a checkpoint.
package struct Witness: Codable, Hashable, Sendable {
  /// The name of its key.
  package let name: String
  /// The time that it has signed: RFC 3339 in UTC.
  package let time: String
}

/// Throws unless one of the keys in a file has signed a note.
///
/// A key from a PEM file has no name, so its signature may have any name.
///
/// - Throws: ``LogError`` if none of the keys has signed the note, or if a signature of one of the
///   keys is wrong.
package func checkSigners(of note: SignedNote, path: String, keys: String) throws {
  let known = try Set(note.signatures.map(\.name)).flatMap { try readKeys(keys, name: $0) }
  _ = try readingNote(path) { () throws(NoteError) in try note.signers(among: known) }
}

/// Reads public keys from a file, at least one of which is not the key of a witness.
///
/// The file contains vkey lines, which include names, or one PEM key. The PEM key gets the name of
/// the tree.
private func readKeys(_ path: String, name: String) throws -> [NoteKey] {
  let text = try readKey(path)
  return try readingNote(path) { () throws(NoteError) in
    guard text.contains("-----BEGIN") else {
      let keys = try readVerifiers(text)
      guard keys.contains(where: { !$0.isWitness }) else {
        throw .malformed("it does not have the key of a signer")
      }
      return keys
    }
    let key = try ed25519Key(pem: text)
    return [
      try NoteKey(name: name, bytes: key.isPrivate ? ed25519PublicKey(of: key.bytes) : key.bytes)
    ]
  }
}

/// Reads the keys of witnesses from a file of vkey lines.
///
/// A key of another kind is refused. If it was ignored, fewer witnesses than given would be required.
private func readWitnesses(_ path: String) throws -> [NoteKey] {
  let text = try readKey(path)
  return try readingNote(path) { () throws(NoteError) in
    let keys = try readVerifiers(text)
    guard !keys.isEmpty, keys.allSatisfy(\.isWitness) else {
      throw .malformed("it must have only keys of witnesses, as vkey lines of kind 4")
    }
    return keys
  }
}

private func readVerifiers(_ text: String) throws(NoteError) -> [NoteKey] {
  var keys: [NoteKey] = []
  for line in text.split(whereSeparator: \.isNewline) {
    keys.append(try NoteKey(verifier: String(line)))
  }
  return keys
}

/// Reads an Ed25519 private key from a PEM file.
package func readPrivateKey(_ path: String) throws -> [UInt8] {
  let text = try readKey(path)
  return try readingNote(path) { () throws(NoteError) in
    let key = try ed25519Key(pem: text)
    guard key.isPrivate else { throw .malformed("it has a public key, which can't sign") }
    return key.bytes
  }
}

private func readKey(_ path: String) throws -> String {
  String(decoding: try read(path), as: UTF8.self)
}
