/// A JSON text that can't be made canonical.
package struct JSONTextError: Error, Hashable, CustomStringConvertible {
  package let reason: String
  /// The offset of the byte at which the error was found.
  package let offset: Int

  package var description: String { "invalid JSON at byte \(offset): \(reason)" }
}

/// The canonical form of a JSON text: keys sorted by their UTF-8 bytes, no blanks, only necessary
/// escapes, and unchanged numbers.
///
/// Two texts with the same keys, strings and numbers have the same canonical form. Duplicate keys
/// are refused.
///
/// - Parameters:
///   - text: The JSON text.
///   - levels: The number of levels above the text, if it is a part of another one.
/// - Returns: The canonical form.
/// - Throws: ``JSONTextError``.
package func canonicalJSON(
  _ text: some Sequence<UInt8>,
  below levels: Int = 0
) throws(JSONTextError) -> [UInt8] {
  let bytes = Array(text)
  var canonical: [UInt8] = []
  canonical.reserveCapacity(bytes.count)
  var reader = JSONTextReader(bytes: bytes)
  try reader.copyValue(to: &canonical, depth: levels)
  reader.skipBlanks()
  guard reader.index == bytes.count else { throw reader.error("text after the value") }
  return canonical
}

/// The maximum nesting of arrays and objects in canonical JSON.
///
/// Deeper nesting could overflow the stack.
package let jsonDepthLimit = 512

/// Parses JSON text and writes its canonical form.
private struct JSONTextReader {
  let bytes: [UInt8]
  var index = 0

  func error(_ reason: String) -> JSONTextError { JSONTextError(reason: reason, offset: index) }

  /// The byte at the index; zero at the end, because JSON text never contains zero.
  var current: UInt8 { index < bytes.count ? bytes[index] : 0 }

  mutating func skipBlanks() {
    while [0x20, 0x09, 0x0a, 0x0d].contains(current) { index += 1 }
  }

  mutating func copyValue(to output: inout [UInt8], depth: Int) throws(JSONTextError) {
    skipBlanks()
    switch current {
    case UInt8(ascii: "{") where depth >= jsonDepthLimit,
      UInt8(ascii: "[") where depth >= jsonDepthLimit:
      throw error("more than \(jsonDepthLimit) levels")
    case UInt8(ascii: "{"): try copyObject(to: &output, depth: depth)
    case UInt8(ascii: "["): try copyArray(to: &output, depth: depth)
    case 0x22:
      let text = try readString()
      text.withUnsafeBytes { appendJSONString($0, to: &output) }
    case UInt8(ascii: "t"): try copyWord("true", to: &output)
    case UInt8(ascii: "f"): try copyWord("false", to: &output)
    case UInt8(ascii: "n"): try copyWord("null", to: &output)
    default: try copyNumber(to: &output)
    }
  }

  private mutating func copyWord(
    _ word: StaticString,
    to output: inout [UInt8]
  ) throws(JSONTextError) {
    let expected = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    guard bytes[index...].starts(with: expected) else { throw error("no value begins like this") }
    output.append(contentsOf: expected)
    index += expected.count
  }

  private mutating func copyArray(
    to output: inout [UInt8],
    depth: Int
  ) throws(JSONTextError) {
    output.append(UInt8(ascii: "["))
    index += 1
    skipBlanks()
    if current == UInt8(ascii: "]") {
      index += 1
      output.append(UInt8(ascii: "]"))
      return
    }
    while true {
      try copyValue(to: &output, depth: depth + 1)
      skipBlanks()
      let separator = current
      guard separator == UInt8(ascii: ",") || separator == UInt8(ascii: "]") else {
        throw error("a comma or the end of the array was expected")
      }
      index += 1
      output.append(separator)
      if separator == UInt8(ascii: "]") { return }
    }
  }

  private mutating func copyObject(
    to output: inout [UInt8],
    depth: Int
  ) throws(JSONTextError) {
    var members: [(key: [UInt8], range: Range<Int>)] = []
    let start = output.count
    index += 1
    skipBlanks()
    while current != UInt8(ascii: "}") || !members.isEmpty {
      skipBlanks()
      guard current == 0x22 else { throw error("a key was expected") }
      let key = try readString()
      let memberStart = output.count
      key.withUnsafeBytes { appendJSONString($0, to: &output) }
      skipBlanks()
      guard current == UInt8(ascii: ":") else { throw error("a colon was expected") }
      index += 1
      output.append(UInt8(ascii: ":"))
      try copyValue(to: &output, depth: depth + 1)
      members.append((key, memberStart..<output.count))
      skipBlanks()
      guard current == UInt8(ascii: ",") else { break }
      index += 1
    }
    guard current == UInt8(ascii: "}") else {
      throw error("a comma or the end of the object was expected")
    }
    index += 1
    members.sort { $0.key.lexicographicallyPrecedes($1.key) }
    var object: [UInt8] = [UInt8(ascii: "{")]
    for (position, member) in members.enumerated() {
      if position > 0 {
        guard members[position - 1].key != member.key else {
          throw error("the key \(String(decoding: member.key, as: UTF8.self)) occurs twice")
        }
        object.append(UInt8(ascii: ","))
      }
      object += output[member.range]
    }
    object.append(UInt8(ascii: "}"))
    output.replaceSubrange(start..., with: object)
  }

  private mutating func copyNumber(to output: inout [UInt8]) throws(JSONTextError) {
    let start = index
    if current == UInt8(ascii: "-") { index += 1 }
    if current == UInt8(ascii: "0") {
      index += 1
    } else {
      try skipDigits()
    }
    if current == UInt8(ascii: ".") {
      index += 1
      try skipDigits()
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      index += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { index += 1 }
      try skipDigits()
    }
    output += bytes[start..<index]
  }

  private mutating func skipDigits() throws(JSONTextError) {
    let start = index
    while (0x30...0x39).contains(current) { index += 1 }
    guard index > start else { throw error(start == bytes.count ? "it ends" : "not a value") }
  }

  /// Reads the string that starts at the index, and removes quotes and escapes.
  private mutating func readString() throws(JSONTextError) -> [UInt8] {
    let opening = index
    var plain: [UInt8] = []
    index += 1
    while true {
      let next = bytes.withUnsafeBytes { indexOfEscape(in: $0, from: index) }
      plain += bytes[index..<next]
      index = next
      guard index < bytes.count else { throw error("the string has no end") }
      switch bytes[index] {
      case 0x22:
        index += 1
        guard String(validating: plain, as: UTF8.self) != nil else {
          index = opening
          throw error("the string is not UTF-8")
        }
        return plain
      case 0x5c: try readEscape(to: &plain)
      default: throw error("a control character in a string")
      }
    }
  }

  private mutating func readEscape(to plain: inout [UInt8]) throws(JSONTextError) {
    index += 1
    let letter = current
    switch letter {
    case 0x22, 0x5c, 0x2f: plain.append(letter)
    case UInt8(ascii: "b"): plain.append(0x08)
    case UInt8(ascii: "t"): plain.append(0x09)
    case UInt8(ascii: "n"): plain.append(0x0a)
    case UInt8(ascii: "f"): plain.append(0x0c)
    case UInt8(ascii: "r"): plain.append(0x0d)
    case UInt8(ascii: "u"):
      index += 1
      plain += try Array(String(readScalar()).utf8)
      return
    default: throw error("an escape that JSON doesn't have")
    }
    index += 1
  }

  /// Reads the digits after `\u`, and the second half of a surrogate pair if there is one.
  private mutating func readScalar() throws(JSONTextError) -> Unicode.Scalar {
    let unit = try readUnit()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard unit < 0xdc00, current == 0x5c, index + 1 < bytes.count,
      bytes[index + 1] == UInt8(ascii: "u")
    else { throw error("half of a surrogate pair") }
    index += 2
    let low = try readUnit()
    guard (0xdc00...0xdfff).contains(low),
      let scalar = Unicode.Scalar(
        0x10000 + (UInt32(unit) - 0xd800) << 10 + (UInt32(low) - 0xdc00)
      )
    else { throw error("half of a surrogate pair") }
    return scalar
  }

  private mutating func readUnit() throws(JSONTextError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      let digit = current
      let value: UInt8
      switch digit {
      case 0x30...0x39: value = digit - 0x30
      case 0x41...0x46: value = digit - 0x37
      case 0x61...0x66: value = digit - 0x57
      default: throw error("four hexadecimal digits were expected")
      }
      unit = unit << 4 | UInt16(value)
      index += 1
    }
    return unit
  }
}
