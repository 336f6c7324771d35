/// Whether a text that has no note under `special` is certainly canonical for a type.
///
/// The check creates no values, so it takes a fraction of the time of
/// ``parseCanonical(_:special:as:)``. If the result is false, the text may be canonical or not, and
/// ``parseCanonical(_:special:as:)`` must decide.
func isPlainlyCanonical(_ text: UnsafeRawBufferPointer, as type: ValueType) -> Bool {
  guard let first = text.first else { return false }
  if first == UInt8(ascii: "n") { return isSame(text, "null") }
  let form = type.form
  switch form {
  case .truth:
    return first == UInt8(ascii: "t") ? isSame(text, "true") : isSame(text, "false")
  case .integer(let range):
    return parseInteger(text).map(range.contains) ?? false
  case .real:
    return parseShortDouble(text) != nil
  case .unsigned, .date, .text, .exact, .bytes, .spelled:
    guard text.count >= 2, first == 0x22, text[text.count - 1] == 0x22 else { return false }
    return isPlainlyCanonical(
      inner: UnsafeRawBufferPointer(rebasing: text[1..<text.count - 1]),
      form: form
    )
  }
}

private func isPlainlyCanonical(inner text: UnsafeRawBufferPointer, form: ValueForm) -> Bool {
  switch form {
  case .text: hasCanonicalEscapes(text) && isValidUTF8(text)
  case .unsigned: parseUnsignedInteger(text) != nil
  case .exact(let kind): kind.isCanonical(text)
  case .date: parseDate(text) != nil
  case .bytes: isCanonicalBase64(text)
  case .spelled:
    text.starts(with: "text:".utf8) && hasCanonicalEscapes(text) && isValidUTF8(text)
  case .truth, .integer, .real: false
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
