import Changes
import FoundationEssentials

extension LogHeader {
  /// Reads a line without its line break; a line that ``line()`` would not write is refused.
  ///
  /// Any version of the format has the kind, and the names of the version and of what it uses, where
  /// this one has them, so that a program can tell what it does not know.
  package init(line: UnsafeRawBufferPointer, path: String) throws {
    var text = LineParts(line)
    // In a string the quotes of the second text would be escaped, so that it stands nowhere else.
    guard text.has(#"{"kind":"header","#), text.skip(to: #""meta":{"format":"#),
      text.has(#""meta":{"format":"#)
    else { throw Self.notALog(path) }
    guard let format = parseJSONString(text.quoted()) else { throw Self.notALog(path) }
    guard format == Self.format else { throw Self.newer(format, path) }
    guard text.has(#","features":"#), let features = parseJSONString(text.quoted()) else {
      throw Self.notALog(path)
    }
    guard features.isEmpty else { throw Self.uses(features, path) }
    do {
      try self.init(&text)
      let written = try self.line()
      let isAsWritten = written.withUnsafeBytes {
        isSame(line, UnsafeRawBufferPointer(rebasing: $0.dropLast()))
      }
      guard isAsWritten else { throw Refusal.text }
    } catch {
      throw LogError(
        .damaged,
        "The first line of the log \(path) is not as it was written; copy the file again from where"
          + " it came from.",
        path: path,
        line: 1
      )
    }
  }

  /// Reads what no other part of the line gives.
  private init(_ text: inout LineParts) throws {
    try text.expect(#","store":"#)
    let store = try text.string()
    // It becomes the name of a folder.
    guard UUID(uuidString: store) != nil else { throw Refusal.text }
    try text.expect(#","lineage":"#)
    let lineage = try text.integer()
    try text.expect(#","first":"#)
    let first = try text.integer()
    try text.expect(#","previous":"#)
    // So that one more is a number too.
    guard LogName.ids.contains(first), lineage >= 0, lineage < LogName.ids.upperBound else {
      throw Refusal.text
    }
    guard let previous = Digest(hexadecimal: try text.string()) else { throw Refusal.text }
    try text.expect(#","schema":"#)
    _ = text.quoted()
    try text.expect(#","definition":"#)
    let definition = text.quoted()
    guard definition.count <= 2 * Self.longestDefinition else { throw Refusal.text }
    guard let json = parseJSONString(definition) else { throw Refusal.text }
    try text.expect(#","partial":"#)
    self.init(
      store: store,
      lineage: lineage,
      first: first,
      previous: previous,
      schema: try StoreSchema(json: Data(json.utf8)),
      partial: try text.string()
    )
  }

  /// Whether bytes may be the beginning of a header.
  static func mayBegin(with bytes: some Collection<UInt8>) -> Bool {
    let opening = Array(#"{"kind":"header","#.utf8)
    return bytes.prefix(opening.count).elementsEqual(opening.prefix(bytes.count))
  }

  static func notALog(_ path: String) -> LogError {
    LogError(
      .notALog,
      "The file \(path) is no change log: its first line is not the header of one.",
      path: path,
      line: 1
    )
  }

  private static func newer(_ format: String, _ path: String) -> LogError {
    LogError(
      .newerFormat,
      "The log \(path) has the format '\(format)', and this program reads '\(Self.format)'; use a"
        + " newer version of the program.",
      path: path,
      line: 1
    )
  }

  private static func uses(_ features: String, _ path: String) -> LogError {
    LogError(
      .newerFormat,
      "The log \(path) uses what this program does not know: \(features). Use a newer version of the"
        + " program.",
      path: path,
      line: 1
    )
  }
}
