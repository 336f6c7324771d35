import ChangeLog
import Format

extension CheckpointFile {
  /// Reads a checkpoint from the bytes of a file.
  init(reading bytes: [UInt8], _ path: String) throws(LogError) {
    self = try readingNote(path) { () throws(NoteError) in try CheckpointFile(bytes) }
  }

  /// Reads the checkpoint in the folder of a tree; nil if the folder contains no checkpoint.
  static func published(_ tree: String) throws -> CheckpointFile? {
    let path = "\(tree)/checkpoint"
    try checkIsNotSpecial(tree)
    return try readSmallFile(path, limit: 1 << 20).map { try CheckpointFile(reading: $0, path) }
  }
}

/// Calls a function; if it can't read, create or trust a note or a key in the file at a path,
/// throws the error about this file.
func readingNote<Result>(
  _ path: String,
  _ body: () throws(NoteError) -> Result
) throws(LogError) -> Result {
  do throws(NoteError) {
    return try body()
  } catch {
    switch error {
    case .malformed(let detail):
      throw LogError(.damaged, path) { "\(path) can't be read: \(detail)." }
    case .unsigned: throw unsigned(path)
    case .wrongSignature(let name):
      throw LogError(.refuted, path) {
        "The signature by \(abbreviated(name)) in \(path) does not match the text of the file."
      }
    case .noLibrary:
      throw LogError(.inputOutput, path) {
        "This machine does not have libcrypto, which is needed to sign and to verify."
          + "\nSign the text with “openssl pkeyutl -sign -rawin -inkey KEY -in checkpoint”, or"
          + " install libssl3."
      }
    }
  }
}

package func unsigned(_ path: String) -> LogError {
  LogError(.refuted, path) { "None of the given keys has signed \(path)." }
}

/// Throws if a tree does not extend the smaller tree that a checkpoint describes; returns the proof
/// that it does.
@discardableResult
func checkExtension(
  _ tiles: TiledTree,
  from old: TreeHead,
  to new: TreeHead
) throws -> [Digest] {
  do {
    let proof = try TiledTree(tiles.path, count: new.count).consistency(from: old.count)
    try checkConsistency(from: old, to: new, by: proof)
    return proof
  } catch is ProofError {
    throw LogError(.refuted, tiles.path) {
      "The tree in \(tiles.path), of size \(new.count), does not extend the checkpoint of size"
        + " \(old.count): history was altered, or the logs belong to another history."
        + "\nVerify the logs, and compare the logs with another copy."
    }
  }
}
