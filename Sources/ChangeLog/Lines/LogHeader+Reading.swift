import Changes
import FoundationEssentials

extension LogHeader {
  /// Reads a header from a line without its line break.
  ///
  /// A line is refused if it differs from the line that ``line()`` writes.
  ///
  /// In every version of the format, the kind, the version and the requirements are at fixed
  /// places. A program can therefore name the unknown features of a newer log.
  package init(line: UnsafeRawBufferPointer, path: String) throws {
    func failure(_ reason: LogFailure) -> LogError { LogError(reason, path: path, line: 1) }
    var text = LineParts(line)
    // The search can't find the second text inside a JSON string, because its quotes would be
    // escaped there.
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

  /// Reads the other keys of the header.
  private init(_ text: inout LineParts) throws {
    try text.expect(#","store":"#)
    let store = try text.string()
    // The identifier is later used as the name of a folder, so it must be a UUID.
    guard UUID(uuidString: store) != nil else { throw Refusal.text }
    try text.expect(#","lineage":"#)
    let lineage = try text.integer()
    try text.expect(#","first":"#)
    let first = try text.integer()
    try text.expect(#","previous":"#)
    // The numbers must be lower than the maximum of their type, because the caller adds one to
    // them.
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

  /// Whether a header can begin with the given bytes.
  static func mayBegin(with bytes: some Collection<UInt8>) -> Bool {
    let opening = Array(#"{"kind":"header","#.utf8)
    return bytes.prefix(opening.count).elementsEqual(opening.prefix(bytes.count))
  }
}
