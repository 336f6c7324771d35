import Format
import FoundationEssentials

extension LogHeader {
  /// Reads a header from a line without its line break.
  ///
  /// A line is refused if it differs from the line that ``line()`` writes.
  ///
  /// In every version of the format, the kind, the version and the requirements are at fixed
  /// places. A program can therefore name the unknown features of a newer log.
  package init(line: UnsafeRawBufferPointer, path: String) throws {
    var text = LineParts(line)
    // The search can't find the second text inside a JSON string, because its quotes would be
    // escaped there.
    guard text.has(#"{"kind":"header","#), text.skip(to: #""meta":{"format":"#),
      text.has(#""meta":{"format":"#)
    else { throw notAHeader(path, line: 1) }
    guard let format = parseJSONString(text.quoted()) else { throw notAHeader(path, line: 1) }
    guard format == Self.format else {
      throw LogError(.newerFormat, path, line: 1) {
        "The log \(path) has the format \(inQuotes(abbreviated(format))); this program reads"
          + " \(inQuotes(Self.format))."
      }
    }
    guard text.has(#","features":"#), let features = parseJSONString(text.quoted()) else {
      throw notAHeader(path, line: 1)
    }
    guard features.isEmpty || features == Self.unknownValues else {
      throw LogError(.newerFormat, path, line: 1) {
        "The log \(path) uses features that this program does not know: \(abbreviated(features))."
      }
    }
    do {
      try self.init(&text)
      try checkSpelling(line)
    } catch let refusal as Refusal {
      throw LogError(.damaged, path, line: 1) {
        "The first line of the log \(path) was damaged or altered: \(refusal.message)."
      }
    } catch let error as StoreError {
      throw LogError(.damaged, path, line: 1) {
        "The schema in the first line of the log \(path) can't be used. \(error.message)"
      }
    }
  }

  /// Throws unless the line has the bytes that the writer gives a header with the same facts.
  private func checkSpelling(_ line: UnsafeRawBufferPointer) throws {
    try self.line().withUnsafeBytes { written in
      let right = UnsafeRawBufferPointer(rebasing: written.dropLast())
      guard !isSame(line, right) else { return }
      var text = LineParts(line)
      let digest = SHA256.digest(of: Array(try schema.json().utf8)).description
      if text.skip(to: #""meta":{"format":"#), text.skip(to: #","schema":"#),
        text.has(#","schema":""#), !text.upToQuote().elementsEqual(digest.utf8)
      {
        throw Refusal(message: "its schema does not have the digest that it names")
      }
      let place = zip(line, right).lazy.prefix { $0 == $1 }.count
      func part(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes[max(0, place - 20)...].prefix(50), as: UTF8.self)
      }
      throw Refusal(message: "at byte \(place + 1) it has '\(part(line))', not '\(part(right))'")
    }
  }

  /// Reads the other keys of the header.
  private init(_ text: inout LineParts) throws {
    try text.expect(#","store":"#)
    let store = try text.string()
    // The identifier is later used as the name of a folder, so it must be a UUID.
    guard UUID(uuidString: store) != nil else {
      throw Refusal(message: "the identifier of the store is not a UUID")
    }
    try text.expect(#","lineage":"#)
    let lineage = try text.integer()
    try text.expect(#","first":"#)
    let first = try text.integer()
    try text.expect(#","previous":"#)
    // The numbers must be lower than the maximum of their type, because the caller adds one to
    // them.
    guard LogName.ids.contains(first), lineage >= 0, lineage < LogName.ids.upperBound else {
      throw Refusal(message: "the lineage or the first transaction has an impossible number")
    }
    guard let previous = Digest(hexadecimal: try text.string()) else {
      throw Refusal(message: "the digest before the first transaction is not a SHA-256")
    }
    try text.expect(#","schema":"#)
    _ = text.quoted()
    try text.expect(#","definition":"#)
    let definition = text.quoted()
    guard definition.count <= 2 * Self.longestDefinition else {
      throw Refusal(message: "the definition of the schema is longer than the limit")
    }
    guard let json = parseJSONString(definition) else { throw Refusal.text }
    try text.expect(#","partial":"#)
    self.init(
      store: store,
      lineage: lineage,
      first: first,
      previous: previous,
      schema: try Self.schema(json),
      partial: try text.string()
    )
  }

  private static func schema(_ json: String) throws -> StoreSchema {
    do {
      return try StoreSchema(json: Data(json.utf8))
    } catch let error as DecodingError {
      let path: [String] =
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
          .keyNotFound(_, let context), .dataCorrupted(let context):
          context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
        @unknown default: []
        }
      let place = path.isEmpty ? "" : " at '\(path.joined(separator: "."))'"
      throw Refusal(message: "the definition of the schema does not have the required form\(place)")
    }
  }

  static func mayBegin(with bytes: some Collection<UInt8>) -> Bool {
    let opening = Array(#"{"kind":"header","#.utf8)
    return bytes.prefix(opening.count).elementsEqual(opening.prefix(bytes.count))
  }
}
