/// Whether a text that has no note under `special` is certainly canonical for a type.
///
/// The check creates no values, so it takes a fraction of the time of
/// ``parseCanonical(_:special:as:)``. If the result is false, the text may be canonical or not, and
/// ``parseCanonical(_:special:as:)`` must decide.
func isPlainlyCanonical(_ text: UnsafeRawBufferPointer, as type: ValueType) -> Bool {
  guard let first = text.first else { return false }
  if first == UInt8(ascii: "n") { return isSame(text, "null") }
  switch type {
  case .bool:
    return first == UInt8(ascii: "t") ? isSame(text, "true") : isSame(text, "false")
  case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32:
    guard let number = parseInteger(text), let range = type.integers else { return false }
    return range.contains(number)
  case .float16, .float, .double:
    return parseShortDouble(text) != nil
  case .string, .url, .json, .uint64, .decimal, .date, .uuid, .data, .transformed, .any:
    guard text.count >= 2, first == 0x22, text[text.count - 1] == 0x22 else { return false }
    return isPlainlyCanonical(
      inner: UnsafeRawBufferPointer(rebasing: text[1..<text.count - 1]),
      type: type
    )
  }
}

private func isPlainlyCanonical(inner text: UnsafeRawBufferPointer, type: ValueType) -> Bool {
  switch type {
  case .string, .url, .json:
    hasCanonicalEscapes(text) && isValidUTF8(text)
  case .uint64: parseUnsignedInteger(text) != nil
  case .decimal: isCanonicalDecimal(text)
  case .date: parseDate(text) != nil
  case .uuid: isCanonicalUUID(text)
  case .data, .transformed: isCanonicalBase64(text)
  case .any:
    text.starts(with: "text:".utf8) && hasCanonicalEscapes(text) && isValidUTF8(text)
  default: false
  }
}

func isCanonicalUUID(_ text: UnsafeRawBufferPointer) -> Bool {
  guard text.count == 36 else { return false }
  for (index, byte) in text.enumerated() {
    switch index {
    case 8, 13, 18, 23: guard byte == 0x2d else { return false }
    default:
      guard (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) else { return false }
    }
  }
  return true
}
