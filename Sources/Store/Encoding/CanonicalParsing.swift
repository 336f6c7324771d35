import FoundationEssentials

/// Canonical JSON that the writer would not have written.
public struct CanonicalEncodingError: Error, Hashable, CustomStringConvertible {
  /// What happened, and what was expected.
  public let message: String

  /// The message.
  public var description: String { message }
}

/// Reads back what ``appendCanonical(_:as:to:)`` wrote, together with what it returned.
///
/// It is strict: for each pair of text and special value there is one stored value at most, and a
/// pair that the writer would not have made is refused.
public func parseCanonical(
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
  if bytes.elementsEqual("null".utf8) { return .null }
  guard let value = parse(bytes, as: type) else {
    throw refusal(of: bytes, special: nil, as: type)
  }
  return value
}

private func parse(_ bytes: UnsafeRawBufferPointer, as type: ValueType) -> Value? {
  switch type {
  case .bool:
    if bytes.elementsEqual("true".utf8) { return .integer(1) }
    return bytes.elementsEqual("false".utf8) ? .integer(0) : nil
  case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32:
    guard let number = parseInteger(bytes), type.integers?.contains(number) == true else {
      return nil
    }
    return .integer(number)
  case .float16, .float, .double:
    if let number = parseDouble(bytes) { return .real(number) }
    return parseInteger(bytes).map { .integer($0) }
  case .string, .url, .json:
    return parseJSONString(bytes).map { .text($0) }
  case .uint64, .decimal, .date, .uuid, .data, .transformed:
    return unquoted(bytes).flatMap { parseUnquoted($0, as: type) }
  }
}

/// Reads the types whose text never needs an escape.
private func parseUnquoted(_ text: UnsafeRawBufferPointer, as type: ValueType) -> Value? {
  switch type {
  case .uint64: return parseUnsignedInteger(text).map { storedUnsigned($0) }
  case .date: return parseDate(text).map { .real($0) }
  case .data, .transformed: return parseBase64(text).map { .blob($0) }
  case .decimal where isCanonicalDecimal(text), .uuid where isCanonicalUUID(text):
    return .text(String(decoding: text, as: UTF8.self))
  default: return nil
  }
}

/// The stored form of an unsigned number: twenty digits of text where an `Int64` has no room.
public func storedUnsigned(_ number: UInt64) -> Value {
  if let small = Int64(exactly: number) { return .integer(small) }
  var text: [UInt8] = []
  appendDigits(number, count: 20, to: &text)
  return .text(String(decoding: text, as: UTF8.self))
}

private func unquoted(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
  guard bytes.count >= 2, bytes[0] == 0x22, bytes[bytes.count - 1] == 0x22 else { return nil }
  return UnsafeRawBufferPointer(rebasing: bytes[1..<bytes.count - 1])
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
