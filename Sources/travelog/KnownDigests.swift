import ChangeLog
import CommandLineKit
import Format
import FoundationEssentials
import Pipeline

extension CommandLineKit.ValueType where Value == Digest {
  /// A digest as a SHA-256 in hexadecimal digits.
  static let digest = CommandLineKit.ValueType(
    placeholder: "DIGEST",
    forms: "64 hexadecimal digits"
  ) {
    Digest(hexadecimal: $0.lowercased())
  }
}

extension CommandLineKit.ValueType where Value == TrustedPosition {
  /// A transaction with its digest.
  static let position = CommandLineKit.ValueType(
    placeholder: "TXN:DIGEST",
    forms: "a transaction and its digest such as 412:5f2c…"
  ) {
    TrustedPosition($0)
  }
}

extension TrustedPosition {
  /// Reads a position such as `412:5f2c…`; nil if the text has another form.
  fileprivate init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let id = Int64(parts[0]), id >= 0,
      let digest = Digest(hexadecimal: parts[1].lowercased())
    else { return nil }
    self.init(transaction: id, digest: digest)
  }
}

/// Reads the values of --head; each value is a digest, a checkpoint, or a file with digests.
///
/// A line of a file with digests begins with a digest, or is a line that `verify --json` wrote. If
/// the file is a signed note, the lines of the note's text are read. If public keys are given, each
/// file must be a note that one of these keys has signed.
///
/// The answers of `verify --json` about filtered logs have digests that other logs need not contain.
/// A command that does not read filtered logs leaves them out.
func trustedHeads(
  _ texts: [String],
  requiring required: CheckpointRequirements,
  includesFiltered: Bool = false
) throws -> (digests: [Digest], checkpoints: [Checkpoint]) {
  var hasFile = false
  var checkpoints: [Checkpoint] = []
  let digests = try texts.flatMap { text -> [Digest] in
    if let digest = Digest(hexadecimal: text.lowercased()) { return [digest] }
    guard let bytes = try readSmallFile(text, isNamed: true) else {
      throw CommandError(.missing) {
        "There is no file \(text)."
          + "\nGive 64 hexadecimal digits, or a file with one digest in each line."
      }
    }
    hasFile = true
    if let file = try? CheckpointFile(bytes) {
      _ = try required.check(file, path: text)
      guard !file.checkpoint.origin.hasPrefix(originOfAllStores) else {
        throw CommandError(.usage) {
          "\(text) is a checkpoint over the trees of all stores, which no log contains."
            + "\nGive it as --since. As --head, give a checkpoint of one store."
        }
      }
      checkpoints.append(file.checkpoint)
      return []
    }
    // A file that is neither a checkpoint nor a note is read as a list of digests.
    let note = try? SignedNote(bytes)
    if let keys = required.keys {
      guard let note else { throw unsigned(text) }
      try checkSigners(of: note, path: text, keys: keys)
    }
    let lines = (note?.text ?? String(decoding: bytes, as: UTF8.self)).split(separator: "\n")
    var digests: [Digest] = []
    for (index, line) in lines.enumerated() {
      if let answer = answer(inLine: line) {
        if answer.filter == nil || includesFiltered { digests.append(answer.to.digest) }
      } else if let digest = Digest(hexadecimal: line.prefix { $0 != " " }.lowercased()) {
        digests.append(digest)
      } else if note == nil {
        throw notADigest(text, line: index + 1)
      }
    }
    guard !digests.isEmpty else { throw notADigest(text, line: 1) }
    return digests
  }
  guard hasFile || required.keys == nil else {
    throw CommandError(.usage) {
      "--key has no effect without --proof, --since, or a signed file as --head.\nLeave out --key."
    }
  }
  guard checkpoints.isEmpty, let flag = required.flagOfCheckpoint else {
    return (digests, checkpoints)
  }
  throw CommandError(.usage) {
    "\(flag) is about a checkpoint, and the command line does not name a checkpoint."
      + "\nGive --proof or --since, or a checkpoint as --head, or leave out \(flag)."
  }
}

private func notADigest(_ path: String, line: Int) -> CommandError {
  CommandError(.unreadable) {
    "Line \(line) of \(path) is neither a digest nor a line that “travelog verify --json” wrote."
      + "\nGive 64 hexadecimal digits, or a file with one digest in each line."
  }
}

/// What a line of `verify --json` says; nil for another line.
private func answer(inLine line: Substring) -> HeadAnswer? {
  guard line.hasPrefix("{") else { return nil }
  // If the line can't be decoded, `verify` did not write it, so it has no digest.
  return try? JSONDecoder().decode(HeadAnswer.self, from: Data(line.utf8))
}

private struct HeadAnswer: Decodable {
  let to: HistoryPoint
  let filter: String?
}
