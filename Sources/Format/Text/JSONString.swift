// In a canonical JSON string, only `"`, `\` and bytes below 0x20 are escaped. The short form of an
// escape is used if there is one, and otherwise \u00xx in lower case.

/// Appends UTF-8 text as a JSON string, with quotes.
///
/// The bytes must be valid UTF-8, because they are copied unchanged.
package func appendJSONString(_ text: UnsafeRawBufferPointer, to buffer: inout [UInt8]) {
  buffer.append(0x22)
  appendJSONContent(text, to: &buffer)
  buffer.append(0x22)
}

/// Appends UTF-8 text as the content of a JSON string.
func appendJSONContent(_ text: UnsafeRawBufferPointer, to buffer: inout [UInt8]) {
  var start = 0
  while true {
    let next = indexOfEscape(in: text, from: start)
    if next > start {
      buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start..<next]))
    }
    guard next < text.count else { break }
    appendEscape(of: text[next], to: &buffer)
    start = next + 1
  }
}

/// Appends a string as a JSON string, with quotes.
package func appendJSONString(_ text: String, to buffer: inout [UInt8]) {
  var text = text
  text.withUTF8 { appendJSONString(UnsafeRawBufferPointer($0), to: &buffer) }
}

/// Reads a canonical JSON string with its quotes.
///
/// Returns nil for any other text: other escapes, raw control characters, or invalid UTF-8.
package func parseJSONString(_ bytes: UnsafeRawBufferPointer) -> String? {
  guard bytes.count >= 2, bytes[0] == 0x22, bytes[bytes.count - 1] == 0x22 else { return nil }
  let inner = UnsafeRawBufferPointer(rebasing: bytes[1..<bytes.count - 1])
  if indexOfEscape(in: inner, from: 0) == inner.count {
    return String(validating: inner, as: UTF8.self)
  }
  return withUnsafeTemporaryAllocation(byteCount: inner.count, alignment: 1) { room in
    unescapeCanonical(inner, in: room).flatMap { String(validating: $0, as: UTF8.self) }
  }
}

/// The index of the first byte that must be escaped in a JSON string; the count if there is no such
/// byte.
@inline(__always)
func indexOfEscape(in text: UnsafeRawBufferPointer, from start: Int) -> Int {
  let ones: UInt64 = 0x0101_0101_0101_0101
  let highBits: UInt64 = 0x8080_8080_8080_8080
  var index = start
  // Eight bytes are checked at once. The subtraction borrows into the high bit of a byte that is
  // too small. A borrow may also set the high bits of later bytes, so only the first of these bits
  // is reliable.
  while index + 8 <= text.count {
    let word = UInt64(
      littleEndian: text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
    )
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5c)
    let control = (word &- (ones &* 0x20)) & ~word
    let found =
      (control | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)) & highBits
    if found != 0 { return index + found.trailingZeroBitCount / 8 }
    index += 8
  }
  while index < text.count {
    let byte = text[index]
    if byte < 0x20 || byte == 0x22 || byte == 0x5c { return index }
    index += 1
  }
  return index
}

/// Whether a text between quotes has only canonical escapes.
func hasCanonicalEscapes(_ inner: UnsafeRawBufferPointer) -> Bool {
  var index = indexOfEscape(in: inner, from: 0)
  while index < inner.count {
    guard inner[index] == 0x5c, index + 1 < inner.count else { return false }
    switch inner[index + 1] {
    case 0x22, 0x5c, UInt8(ascii: "b"), UInt8(ascii: "t"), UInt8(ascii: "n"), UInt8(ascii: "f"),
      UInt8(ascii: "r"):
      index += 2
    case UInt8(ascii: "u"):
      guard controlCharacter(inner, at: index + 2) != nil else { return false }
      index += 6
    default: return false
    }
    index = indexOfEscape(in: inner, from: index)
  }
  return true
}

private func appendEscape(of byte: UInt8, to buffer: inout [UInt8]) {
  buffer.append(0x5c)
  switch byte {
  case 0x22, 0x5c: buffer.append(byte)
  case 0x08: buffer.append(UInt8(ascii: "b"))
  case 0x09: buffer.append(UInt8(ascii: "t"))
  case 0x0a: buffer.append(UInt8(ascii: "n"))
  case 0x0c: buffer.append(UInt8(ascii: "f"))
  case 0x0d: buffer.append(UInt8(ascii: "r"))
  default:
    buffer.append(contentsOf: "u00".utf8)
    buffer.append(hexDigit(byte >> 4))
    buffer.append(hexDigit(byte & 15))
  }
}

/// Replaces the escapes of a text between quotes; nil if an escape is not canonical.
///
/// The memory must have room for as many bytes as the text has.
package func unescapeCanonical(
  _ inner: UnsafeRawBufferPointer,
  in room: UnsafeMutableRawBufferPointer
) -> UnsafeRawBufferPointer? {
  var count = 0
  var index = 0
  while index < inner.count {
    let next = indexOfEscape(in: inner, from: index)
    UnsafeMutableRawBufferPointer(rebasing: room[count...])
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: inner[index..<next]))
    count += next - index
    guard next < inner.count else { break }
    guard inner[next] == 0x5c, next + 1 < inner.count else { return nil }
    index = next + 2
    switch inner[next + 1] {
    case 0x22: room[count] = 0x22
    case 0x5c: room[count] = 0x5c
    case UInt8(ascii: "b"): room[count] = 0x08
    case UInt8(ascii: "t"): room[count] = 0x09
    case UInt8(ascii: "n"): room[count] = 0x0a
    case UInt8(ascii: "f"): room[count] = 0x0c
    case UInt8(ascii: "r"): room[count] = 0x0d
    case UInt8(ascii: "u"):
      guard let control = controlCharacter(inner, at: index) else { return nil }
      room[count] = control
      index += 4
    default: return nil
    }
    count += 1
  }
  return UnsafeRawBufferPointer(rebasing: room[..<count])
}

/// The control character whose canonical escape has these four digits; nil if there is none.
private func controlCharacter(_ inner: UnsafeRawBufferPointer, at index: Int) -> UInt8? {
  guard index + 4 <= inner.count, inner[index] == 0x30, inner[index + 1] == 0x30,
    let high = hexValue(inner[index + 2]), let low = hexValue(inner[index + 3])
  else { return nil }
  let byte = high << 4 | low
  switch byte {
  case 0x08, 0x09, 0x0a, 0x0c, 0x0d: return nil
  case 0..<0x20: return byte
  default: return nil
  }
}

func hexDigit(_ value: UInt8) -> UInt8 {
  value < 10 ? 0x30 + value : 0x57 + value
}

/// The value of a lower-case hexadecimal digit.
func hexValue(_ digit: UInt8) -> UInt8? {
  switch digit {
  case 0x30...0x39: digit - 0x30
  case 0x61...0x66: digit - 0x57
  default: nil
  }
}
