import Format
import Glibc

/// The reason why a line is wrong, in words.
struct Refusal: Error {
  let message: String

  static let text = Refusal(message: "a text is missing or does not have the required form")
  static let empty = Refusal(message: "a key of the line has no value")
  static let kind = Refusal(message: "the line does not belong to a transaction")
}

/// A line that is parsed from its beginning to its end.
struct LineParts {
  let line: UnsafeRawBufferPointer
  private(set) var position: Int

  init(_ line: UnsafeRawBufferPointer, from position: Int = 0) {
    self.line = line
    self.position = position
  }

  mutating func move(to position: Int) { self.position = position }

  var isAtEnd: Bool { position == line.count }

  /// Whether a text comes next; the position does not change.
  func isNext(_ text: StaticString) -> Bool {
    var parts = self
    return parts.has(text)
  }

  mutating func has(_ text: StaticString) -> Bool {
    has(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func has(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let start = text.baseAddress, let base = line.baseAddress,
      text.count <= line.count - position, memcmp(base + position, start, text.count) == 0
    else { return false }
    position += text.count
    return true
  }

  /// Moves the position to the next occurrence of a text; if there is none, returns false and keeps
  /// the position.
  mutating func skip(to text: StaticString) -> Bool {
    var parts = self
    guard let base = line.baseAddress else { return false }
    while let found = memchr(
      base + parts.position,
      Int32(text.utf8Start[0]),
      line.count - parts.position
    ) {
      parts.position = UnsafeRawPointer(found) - base
      let start = parts.position
      if parts.has(text) {
        position = start
        return true
      }
      parts.position += 1
    }
    return false
  }

  mutating func expect(_ text: StaticString) throws(Refusal) {
    guard has(text) else {
      let shown = String(decoding: line[position...].prefix(40), as: UTF8.self)
      throw Refusal(message: "the line should continue with '\(text)' before '\(shown)'")
    }
  }

  mutating func integer() throws(Refusal) -> Int64 {
    var end = position
    while end < line.count, line[end] == 0x2d || line[end] &- 0x30 < 10 { end += 1 }
    guard let number = parseInteger(UnsafeRawBufferPointer(rebasing: line[position..<end])) else {
      throw Refusal(message: "a number is missing or does not have the required form")
    }
    position = end
    return number
  }

  /// Reads a quoted text, and returns its bytes with the quotes and escapes.
  mutating func quoted() -> UnsafeRawBufferPointer {
    var end = position
    if end < line.count, line[end] == 0x22 {
      end = min(endOfString(in: line, from: end + 1) + 1, line.count)
    }
    defer { position = end }
    return UnsafeRawBufferPointer(rebasing: line[position..<end])
  }

  mutating func string() throws(Refusal) -> String {
    guard let text = parseJSONString(quoted()) else { throw Refusal.text }
    return text
  }

  /// Reads the bytes before a text; if the line does not contain the text, reads the line to its
  /// end.
  mutating func upTo(_ text: StaticString) -> UnsafeRawBufferPointer {
    let start = position
    if !skip(to: text) { position = line.count }
    return UnsafeRawBufferPointer(rebasing: line[start..<position])
  }

  /// The position at which the keys of the values begin; the end if the line has no values.
  func beginningOfValues(upTo end: Int) -> Int {
    var parts = self
    while let base = line.baseAddress, parts.position < end,
      let comma = memchr(base + parts.position, 0x2c, end - parts.position)
    {
      parts.position = UnsafeRawPointer(comma) - base
      let start = parts.position
      if parts.has(#","before":"#) || parts.has(#","after":"#) || parts.has(#","special":"#)
        || parts.has(#","large":"#)
      {
        return start
      }
      parts.position += 1
    }
    return end
  }

  func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: line[range])
  }

  /// Reads the bytes before the next quote.
  mutating func upToQuote() -> UnsafeRawBufferPointer {
    let start = position
    while position < line.count, line[position] != 0x22 { position += 1 }
    return UnsafeRawBufferPointer(rebasing: line[start..<position])
  }

  /// Reads a name up to its closing quote; the opening quote must already be read.
  mutating func word() throws(Refusal) -> String {
    let word = String(decoding: upToQuote(), as: UTF8.self)
    try expect(#"""#)
    return word
  }

  /// Reads the value of a key if this key is next; otherwise returns no bytes.
  mutating func value(_ key: StaticString) -> UnsafeRawBufferPointer {
    guard has(key) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let start = position
    position = endOfValue(in: line, from: start)
    return UnsafeRawBufferPointer(rebasing: line[start..<position])
  }
}
