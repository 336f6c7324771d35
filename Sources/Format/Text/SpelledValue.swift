import FoundationEssentials

// The columns of an adopted table have no declared Swift type, so the text of a value begins with
// its storage class: `integer:7`, `real:0.5`, `text:a`, `blob:` and base64, or `null`. Text that is
// not valid UTF-8 is `text64:` and base64. Each value has exactly one text.

extension Value {
  /// Appends a text in UTF-8 that has both the storage class and the value.
  ///
  /// Infinite numbers are `real:inf` and `real:-inf`. NaN is `null`, because SQLite stores NaN as
  /// NULL.
  package func appendSpelling(to buffer: inout [UInt8]) {
    switch self {
    case .null: buffer += "null".utf8
    case .integer(let number):
      buffer += Prefix.integer
      appendInteger(number, to: &buffer)
    case .real(let number) where number.isNaN: buffer += "null".utf8
    case .real(let number):
      buffer += Prefix.real
      if !appendDouble(number, to: &buffer) { buffer += (number < 0 ? "-inf" : "inf").utf8 }
    case .text(let text):
      buffer += Prefix.text
      buffer += text.utf8
    case .blob(let data):
      buffer += Prefix.blob
      data.withUnsafeBytes { appendBase64($0, to: &buffer) }
    case .brokenText(let data):
      buffer += Prefix.brokenText
      data.withUnsafeBytes { appendBase64($0, to: &buffer) }
    }
  }

  /// Reads a text that ``appendSpelling(to:)`` wrote; nil for any other bytes.
  package init?(spelling bytes: UnsafeRawBufferPointer) {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
      guard bytes.elementsEqual("null".utf8) else { return nil }
      self = .null
      return
    }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[(colon + 1)...])
    let value: Value?
    switch Array(bytes[...colon]) {
    case Prefix.integer: value = parseInteger(rest).map { .integer($0) }
    case Prefix.real: value = Self.number(rest).map { .real($0) }
    case Prefix.text: value = String(validating: rest, as: UTF8.self).map { .text($0) }
    case Prefix.blob: value = parseBase64(rest).map { .blob($0) }
    case Prefix.brokenText: value = Self.brokenText(rest)
    default: value = nil
    }
    guard let value else { return nil }
    self = value
  }

  private enum Prefix {
    static let integer = Array("integer:".utf8)
    static let real = Array("real:".utf8)
    static let text = Array("text:".utf8)
    static let blob = Array("blob:".utf8)
    static let brokenText = Array("text64:".utf8)
  }

  private static func number(_ bytes: UnsafeRawBufferPointer) -> Double? {
    if bytes.elementsEqual("inf".utf8) { return .infinity }
    if bytes.elementsEqual("-inf".utf8) { return -.infinity }
    return parseDouble(bytes)
  }

  /// Valid UTF-8 must be written with `text:`, so it is refused here.
  private static func brokenText(_ bytes: UnsafeRawBufferPointer) -> Value? {
    guard let data = parseBase64(bytes) else { return nil }
    let value = data.withUnsafeBytes { Value(text: $0) }
    guard case .brokenText = value else { return nil }
    return value
  }
}
