import FoundationEssentials

/// A stored value that the encoding of its declared type can't express.
///
/// In a log, the value is null or the nearest value that can be expressed, and `special` has the
/// ``name`` of the exact value.
package enum SpecialValue: Hashable, Sendable {
  /// Not a number, which is stored as the text `NaN`.
  case nan
  /// Positive infinity, which is greater than all numbers.
  case infinity
  /// Negative infinity, which is less than all numbers.
  case negativeInfinity
  /// Any other value, such as a date in the year 12000 or a value that a foreign writer wrote.
  case stored(Value)

  init(_ value: Value, as type: ValueType) {
    switch value {
    case .real(let number) where number.isNaN: self = .nan
    case .real(.infinity): self = .infinity
    case .real(-.infinity): self = .negativeInfinity
    case .text("NaN") where type.form.hasNaN: self = .nan
    default: self = .stored(value)
    }
  }

  /// The note under `special` for an erased value.
  package static let erasedName = "erased"

  /// The note under `special` for a value that the history of the origin does not have.
  package static let unknownName = "unknown"

  /// The note under `special` for a value that a filter left out.
  package static let redactedName = "redacted"

  /// The text under `special` that precedes the keyed digest of a value in a filtered log.
  package static let hashPrefix = "hash:"

  /// Whether a note can only be in filtered logs.
  package static func isRedacted(_ name: String) -> Bool {
    name == redactedName
      || name.hasPrefix(hashPrefix)
        && Digest(hexadecimal: String(name.dropFirst(hashPrefix.count))) != nil
  }

  /// The note under `special` for a large value whose file was missing, but whose digest is known.
  package static let missingName = "missing"

  private static let brokenTextPrefix = "text64:"

  package var value: Value {
    switch self {
    case .nan: .text("NaN")
    case .infinity: .real(.infinity)
    case .negativeInfinity: .real(-.infinity)
    case .stored(let value): value
    }
  }

  /// The text of the exact value under `special`.
  ///
  /// The text of a special value is one of these: `nan`, `inf`, `-inf`, a number (real if it has a
  /// point or an exponent, otherwise an integer), `text:` and the text, `blob:` and base64, or
  /// `text64:` and base64 for text that is not UTF-8.
  package var name: String {
    var name: [UInt8] = []
    switch self {
    case .nan: return "nan"
    case .infinity: return "inf"
    case .negativeInfinity: return "-inf"
    case .stored(.null): return "null"
    case .stored(.integer(let number)): appendInteger(number, to: &name)
    case .stored(.real(let number)): appendDouble(number, to: &name)
    case .stored(.text(let text)): return "text:" + text
    case .stored(.blob(let data)):
      name += "blob:".utf8
      data.withUnsafeBytes { appendBase64($0, to: &name) }
    case .stored(.brokenText(let data)):
      name += Self.brokenTextPrefix.utf8
      data.withUnsafeBytes { appendBase64($0, to: &name) }
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// Reads a text that ``name`` returned; nil for any other text.
  package init?(name: String) {
    switch name {
    case "nan": self = .nan
    case "inf": self = .infinity
    case "-inf": self = .negativeInfinity
    default:
      guard let value = Self.storedValue(name: name) else { return nil }
      self = .stored(value)
    }
  }

  private static func storedValue(name: String) -> Value? {
    // The code compares bytes, because a colon with a combining accent is not the same character as
    // a colon.
    let rest = name.utf8.dropFirst(5)
    if name.utf8.starts(with: "text:".utf8) { return .text(String(Substring(rest))) }
    if name.utf8.starts(with: "blob:".utf8) {
      return Array(rest).withUnsafeBytes { parseBase64($0) }.map { .blob($0) }
    }
    if name.utf8.starts(with: brokenTextPrefix.utf8) {
      let bytes = Array(name.utf8.dropFirst(brokenTextPrefix.utf8.count))
        .withUnsafeBytes { parseBase64($0) }
      // Valid UTF-8 must be written with `text:`, so it is refused here.
      return bytes.flatMap { $0.withUnsafeBytes(isValidUTF8) ? nil : .brokenText($0) }
    }
    return Array(name.utf8).withUnsafeBytes { bytes in
      if let number = parseInteger(bytes) { return .integer(number) }
      return parseDouble(bytes).map { .real($0) }
    }
  }
}
