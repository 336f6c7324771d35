import Changes
import FoundationEssentials

extension LogHeader {
  /// Reads a line without its line break.
  ///
  /// A line that differs from the one that ``line()`` writes is refused.
  ///
  /// In every version of the format the kind, the version and the requirements have the same
  /// places, so a program can name the features that it does not know.
  package init(line: UnsafeRawBufferPointer, path: String) throws {
    func failure(_ reason: LogFailure) -> LogError { LogError(reason, path: path, line: 1) }
    var text = LineParts(line)
    // In a string the quotes of the second text would be escaped, so the search can't find it there.
    guard text.has(#"{"kind":"header","#), text.skip(to: #""meta":{"format":"#),
      text.has(#""meta":{"format":"#)
    else { throw failure(.notAHeader) }
    guard let format = parseJSONString(text.quoted()) else { throw failure(.notAHeader) }
    guard format == Self.format else { throw failure(.newerFormat(format, known: Self.format)) }
    guard text.has(#","features":"#), let features = parseJSONString(text.quoted()) else {
      throw failure(.notAHeader)
    }
    guard features.isEmpty else { throw failure(.unknownFeatures(features)) }
    do {
      try self.init(&text)
      let written = try self.line()
      let isAsWritten = written.withUnsafeBytes {
        isSame(line, UnsafeRawBufferPointer(rebasing: $0.dropLast()))
      }
      guard isAsWritten else { throw Refusal.text }
    } catch {
      throw failure(.alteredHeader)
    }
  }

  /// Reads the members that no other function reads.
  private init(_ text: inout LineParts) throws {
    try text.expect(#","store":"#)
    let store = try text.string()
    // The text is later used as the name of a folder.
    guard UUID(uuidString: store) != nil else { throw Refusal.text }
    try text.expect(#","lineage":"#)
    let lineage = try text.integer()
    try text.expect(#","first":"#)
    let first = try text.integer()
    try text.expect(#","previous":"#)
    // The caller adds one to these numbers, so they must not be the maximum.
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

  /// Whether bytes may be the start of a header.
  static func mayBegin(with bytes: some Collection<UInt8>) -> Bool {
    let opening = Array(#"{"kind":"header","#.utf8)
    return bytes.prefix(opening.count).elementsEqual(opening.prefix(bytes.count))
  }
}
