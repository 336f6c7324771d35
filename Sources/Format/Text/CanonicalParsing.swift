import FoundationEssentials

/// The error for a text that is not the canonical text of its value.
package struct CanonicalEncodingError: Error, Hashable, CustomStringConvertible {
  /// The text that was found, and the text that was expected.
  package let message: String

  package init(message: String) { self.message = message }

  package var description: String { message }
}

/// Reads the text and the note that ``appendCanonical(_:as:to:)`` wrote.
///
/// Parsing is strict: it refuses each pair of text and note that ``appendCanonical(_:as:to:)``
/// would not write.
package func parseCanonical(
  _ bytes: UnsafeRawBufferPointer,
  special: SpecialValue? = nil,
  as type: ValueType
) throws(CanonicalEncodingError) -> Value {
  if let special {
    let value = special.value
    var canonical: [UInt8] = []
    guard appendCanonical(value, as: type, to: &canonical) == special,
      canonical.elementsEqual(bytes)
    else { throw refusal(of: bytes, special: special, as: type) }
    return value
  }
  if isSame(bytes, "null") { return .null }
  guard let value = parse(bytes, as: type) else {
    throw refusal(of: bytes, special: nil, as: type)
  }
  return value
}

private func parse(_ bytes: UnsafeRawBufferPointer, as type: ValueType) -> Value? {
  withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 1) { room in
    parsePlain(bytes, as: type, in: room).map(Value.init)
  }
}

/// Reads a value that is not null and has no note under `special`; nil if the text is not
/// canonical.
///
/// If the bytes of the value are a part of the text, they are not copied. Otherwise they are
/// written into `room`, which must be as long as the text.
func parsePlain(
  _ bytes: UnsafeRawBufferPointer,
  as type: ValueType,
  in room: UnsafeMutableRawBufferPointer
) -> PlainValue? {
  let form = type.form
  switch form {
  case .truth:
    if isSame(bytes, "true") { return .integer(1) }
    return isSame(bytes, "false") ? .integer(0) : nil
  case .integer(let range):
    guard let number = parseInteger(bytes), range.contains(number) else { return nil }
    return .integer(number)
  case .real:
    if let number = parseDouble(bytes) { return .real(number) }
    return parseInteger(bytes).map { .integer($0) }
  case .unsigned, .date, .text, .exact, .bytes, .spelled:
    guard bytes.count >= 2, bytes[0] == 0x22, bytes[bytes.count - 1] == 0x22 else { return nil }
    let inner = UnsafeRawBufferPointer(rebasing: bytes[1..<bytes.count - 1])
    return parseQuoted(inner, as: form, in: room)
  }
}

/// Reads the text between quotes.
private func parseQuoted(
  _ text: UnsafeRawBufferPointer,
  as form: ValueForm,
  in room: UnsafeMutableRawBufferPointer
) -> PlainValue? {
  switch form {
  case .text:
    let hasEscapes = indexOfEscape(in: text, from: 0) < text.count
    guard let plain = hasEscapes ? unescapeCanonical(text, in: room) : text, isValidUTF8(plain)
    else { return nil }
    return .text(plain)
  case .spelled: return parseSpelled(text, in: room)
  case .unsigned: return parseUnsignedInteger(text).map { plainUnsigned($0, in: room) }
  case .date: return parseDate(text).map { .real($0) }
  case .bytes: return decodeBase64(text, in: room).map { .blob($0) }
  case .exact(let kind): return kind.isCanonical(text) ? .text(text) : nil
  case .truth, .integer, .real: return nil
  }
}

/// Reads a text such as `integer:7`, which begins with the storage class of the value.
///
/// A text without escapes is not copied.
private func parseSpelled(
  _ text: UnsafeRawBufferPointer,
  in room: UnsafeMutableRawBufferPointer
) -> PlainValue? {
  let hasEscapes = indexOfEscape(in: text, from: 0) < text.count
  guard let plain = hasEscapes ? unescapeCanonical(text, in: room) : text else { return nil }
  let prefix = "text:".utf8.count
  if plain.starts(with: "text:".utf8) {
    let rest = UnsafeRawBufferPointer(rebasing: plain[prefix...])
    return isValidUTF8(rest) ? .text(rest) : nil
  }
  switch Value(spelling: plain) {
  case .integer(let number): return .integer(number)
  case .real(let number): return .real(number)
  // Decoded bytes are shorter than their base64 text, so they fit into the room.
  case .blob(let data): return .blob(copied(data, to: room))
  case .brokenText(let data): return .text(copied(data, to: room))
  case .null, .text, nil: return nil
  }
}

private func copied(
  _ data: Data,
  to room: UnsafeMutableRawBufferPointer
) -> UnsafeRawBufferPointer {
  room.copyBytes(from: data)
  return UnsafeRawBufferPointer(rebasing: room[..<data.count])
}

private func plainUnsigned(
  _ number: UInt64,
  in room: UnsafeMutableRawBufferPointer
) -> PlainValue {
  guard case .text(let digits) = storedUnsigned(number) else {
    return .integer(Int64(truncatingIfNeeded: number))
  }
  // The room has space for the digits, because it is as long as the text with its quotes.
  room.copyBytes(from: digits.utf8)
  return .text(UnsafeRawBufferPointer(rebasing: room[..<digits.utf8.count]))
}

/// The stored form of an unsigned number.
///
/// A number above `Int64.max` is stored as a text of twenty digits.
package func storedUnsigned(_ number: UInt64) -> Value {
  if let small = Int64(exactly: number) { return .integer(small) }
  var text: [UInt8] = []
  appendDigits(number, count: 20, to: &text)
  return .text(String(decoding: text, as: UTF8.self))
}

private func refusal(
  of bytes: UnsafeRawBufferPointer,
  special: SpecialValue?,
  as type: ValueType
) -> CanonicalEncodingError {
  let shown = String(decoding: bytes.prefix(80), as: UTF8.self) + (bytes.count > 80 ? "…" : "")
  let together = special.map { " with the special value \($0.name.prefix(80))" } ?? ""
  return CanonicalEncodingError(
    message: "\(shown)\(together) is not the canonical form of a value of type \(type.rawValue);"
      + " the text was altered or written by another program"
  )
}
