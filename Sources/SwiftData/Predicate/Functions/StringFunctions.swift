import SQLite

/// Functions of strings with the same results as in Swift, and with a fast path for ASCII.
///
/// In ASCII each byte is a character, except that CR LF is one character. So text with a CR uses
/// the slow path.
enum StringFunctions {
  static func count(_ arguments: FunctionArguments) -> Int {
    arguments.withBytes(at: 0) { bytes in
      isSimple(bytes) ? bytes.count : string(bytes).count
    }
  }

  static func contains(_ arguments: FunctionArguments) -> Bool {
    arguments.withBytes(at: 0) { text in
      arguments.withBytes(at: 1) { part in
        if isSimple(text) && isSimple(part) { return contains(text, part) }
        return containsCharacters(string(text), string(part))
      }
    }
  }

  static func starts(_ arguments: FunctionArguments) -> Bool {
    arguments.withBytes(at: 0) { text in
      arguments.withBytes(at: 1) { prefix in
        if isSimple(text) && isSimple(prefix) {
          return text.count >= prefix.count
            && UnsafeRawBufferPointer(rebasing: text[..<prefix.count]).elementsEqual(prefix)
        }
        return string(text).starts(with: string(prefix))
      }
    }
  }

  /// Whether the first argument contains the second argument; case and accents are ignored.
  static func localizedContains(_ arguments: FunctionArguments) -> Bool {
    arguments.withBytes(at: 0) { text in
      arguments.withBytes(at: 1) { part in
        if isPrintable(text) && isPrintable(part) && LocalizedOrder.foldsAsASCII {
          return containsFolded(text, part)
        }
        return string(text).localizedStandardContains(string(part))
      }
    }
  }

  static func string(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  /// Whether the text is ASCII without a CR.
  static func isSimple(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var all: UInt8 = 0
    var hasReturn = false
    for byte in bytes {
      all |= byte
      hasReturn = hasReturn || byte == 0x0d
    }
    return all < 0x80 && !hasReturn
  }

  static func isPrintable(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7f }
  }

  private static func contains(
    _ text: UnsafeRawBufferPointer,
    _ part: UnsafeRawBufferPointer
  ) -> Bool {
    guard let first = part.first else { return true }
    guard part.count <= text.count else { return false }
    for start in 0...(text.count - part.count) where text[start] == first {
      var index = 1
      while index < part.count, text[start + index] == part[index] { index += 1 }
      if index == part.count { return true }
    }
    return false
  }

  private static func containsFolded(
    _ text: UnsafeRawBufferPointer,
    _ part: UnsafeRawBufferPointer
  ) -> Bool {
    guard !part.isEmpty, part.count <= text.count else { return false }
    for start in 0...(text.count - part.count) {
      var index = 0
      while index < part.count, folded(text[start + index]) == folded(part[index]) { index += 1 }
      if index == part.count { return true }
    }
    return false
  }

  private static func folded(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
  }

  /// Searches for whole characters, as `contains` does in Swift; Foundation's search gives other
  /// results.
  private static func containsCharacters<Text: Collection, Part: Collection>(
    _ text: Text,
    _ part: Part
  ) -> Bool where Text.Element == Part.Element, Text.Element: Equatable {
    text.contains(part)
  }
}

final class PatternCache {
  private var known: [String: Regex<AnyRegexOutput>] = [:]

  func matches(_ text: String, pattern: String) throws -> Bool {
    let regex = try known[pattern] ?? Regex(pattern)
    known[pattern] = regex
    return text.contains(regex)
  }
}
