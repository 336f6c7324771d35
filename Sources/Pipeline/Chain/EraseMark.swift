import ChangeLog
import Changes
import FoundationEssentials

/// The file that marks an erasure that is not finished.
///
/// An erasure rewrites logs one after another. If it is interrupted, some logs still have the values.
/// Until the next run of the same erasure completes it, readers of the logs report the mark.
struct EraseMark: Codable, Equatable {
  var kind = "travelog-erasing"
  var version = 1
  var entity: String
  var id: ObjectID
  var attributes: [String]
  /// Whether the values are also erased from the store's history.
  var hasStore: Bool
  /// The large values whose files will be removed.
  var largeValues: [String]

  /// The command that completes the erasure.
  func command(_ logs: LogFolder) -> String {
    let names = attributes.map { " --attribute \($0)" }.joined()
    let store = hasStore ? " --store STORE" : ""
    return "travelog erase \(logs.path) --entity \(entity) --id \(inShell("\(id)"))\(names)\(store)"
  }

  /// Whether another mark is about the same values.
  func isSame(as other: EraseMark) -> Bool {
    var other = other
    other.largeValues = largeValues
    return self == other
  }

  /// Reads the mark of a store's logs; nil if there is none.
  static func read(_ logs: LogFolder, store: String) throws -> EraseMark? {
    let path = logs.erasing(store)
    guard let bytes = try readSmallFile(path, isOurs: true) else { return nil }
    do {
      return try JSONDecoder().decode(Self.self, from: Data(bytes))
    } catch {
      throw ChainFailure.unreadableMark("\(error)").at(path)
    }
  }

  /// Writes the mark durably.
  func write(_ logs: LogFolder, store: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try writeDurably(Array(encoder.encode(self)) + [0x0a], to: logs.erasing(store))
  }
}

/// A text as one word of a shell's command.
func inShell(_ text: String) -> String {
  let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
  return isPlain
    ? text
    : "'"
      + text.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: #"'\''"#) + "'"
}

extension LogFolder {
  /// The path of the mark.
  fileprivate func erasing(_ store: String) -> String { "\(storeFolder(store))/_erasing.json" }

  /// Throws if the logs of a store have an unfinished erasure.
  func checkErasing(_ store: String) throws {
    guard let mark = try EraseMark.read(self, store: store) else { return }
    throw ChainFailure.unfinishedErasure(
      store: store,
      folder: self.path,
      command: mark.command(self)
    ).at(erasing(store))
  }

  /// Removes the mark of a finished erasure.
  func removeMark(_ store: String) throws {
    try removeDurably(erasing(store))
  }
}
