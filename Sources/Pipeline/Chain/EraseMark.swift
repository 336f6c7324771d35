import ChangeLog
import Format
import FoundationEssentials

/// A file that says that an erasure has begun and is not finished.
///
/// An erasure rewrites logs one after another. If the erasure is interrupted, some logs still
/// contain the values. Readers of the logs report this file until the next run of the erasure is
/// complete.
struct EraseMark: Codable, Equatable {
  var kind = "travelog-erasing"
  var version = 1
  var entity: String
  var id: ObjectID
  var attributes: [String]
  /// Whether the values are erased from the store's history, and not only from logs.
  var hasStore: Bool
  /// The large values whose files will be removed.
  var largeValues: [String]

  func command(_ logs: LogFolder) -> String {
    let names = attributes.map { " --attribute \($0)" }.joined()
    let store = hasStore ? " --store STORE" : ""
    return "travelog erase \(logs.path) --entity \(entity) --id \(inShell("\(id)"))\(names)\(store)"
  }

  /// Whether two marks are equal, apart from their large values.
  func isSame(as other: EraseMark) -> Bool {
    var other = other
    other.largeValues = largeValues
    return self == other
  }

  /// Reads the mark beside the logs of a store; nil if the store has no unfinished erasure.
  static func read(_ logs: LogFolder, store: String) throws -> EraseMark? {
    let path = logs.erasing(store)
    guard let bytes = try readSmallFile(path) else { return nil }
    do {
      return try JSONDecoder().decode(Self.self, from: Data(bytes))
    } catch {
      throw LogError(.damaged, path) {
        "\(path), the record of an unfinished erasure, can't be read: \(abbreviated("\(error)"))."
          + "\nRestore the file from another copy."
      }
    }
  }

  /// Writes the mark durably.
  func write(_ logs: LogFolder, store: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try writeDurably(Array(encoder.encode(self)) + [0x0a], to: logs.erasing(store))
  }
}

/// Quotes a text as one word of a shell command.
func inShell(_ text: String) -> String {
  let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
  return isPlain
    ? text
    : "'"
      + text.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: #"'\''"#) + "'"
}

extension LogFolder {
  /// The path of the file that marks an unfinished erasure of a store.
  fileprivate func erasing(_ store: String) -> String { "\(storeFolder(store))/_erasing.json" }

  /// Throws if the logs of a store have an unfinished erasure.
  ///
  /// While another program has locked the folder, this program may be about to complete the erasure.
  func checkErasing(_ store: String) throws {
    guard try EraseMark.read(self, store: store) != nil else { return }
    if let holder = try FolderLock.otherHolder(of: self) {
      throw LogError(.locked, erasing(store)) {
        "An erasure in the logs of the store \(store) in \(path) is not finished, and another"
          + " program uses the folder\(holder.isEmpty ? "" : " (\(holder))")."
          + "\nTry again when the other program has ended."
      }
    }
    // The erasure may have been completed since the mark was read.
    guard let mark = try EraseMark.read(self, store: store) else { return }
    throw LogError(.unfinished, erasing(store)) {
      "An erasure in the logs of the store \(store) in \(path) is not finished."
        + "\nRun \(inQuotes(mark.command(self))) again."
    }
  }

  /// Removes the file that marked an erasure, after the erasure is finished.
  func removeMark(_ store: String) throws {
    try removeDurably(erasing(store))
  }
}
