import Glibc
import SQLite

/// Functions of strings with the same results as in Swift, and with fast paths.
///
/// Swift compares characters by canonical equivalence. If a text is simple, the search for bytes has
/// the same result. If only the searched text is plain, bytes that are not found are certain.
enum StringFunctions {
  static func count(_ arguments: FunctionArguments) -> Int {
    arguments.withBytes(at: 0) { bytes in
      bytes.allSatisfy { $0 < 0x80 && $0 != 0x0d } ? bytes.count : string(bytes).count
    }
  }

  static func contains(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
    let isFound = containsBytes(text, part)
    if isFound ? isSimple(text) : isCertain(part, missingIn: text) { return isFound }
    return containsCharacters(string(text), string(part))
  }

  static func starts(_ text: UnsafeRawBufferPointer, _ prefix: UnsafeRawBufferPointer) -> Bool {
    let count = prefix.count
    let isFound = text.count >= count && isSame(text, prefix, count: count)
    // The character after the prefix can combine with the last character of the prefix.
    let beginning = UnsafeRawBufferPointer(rebasing: text.prefix(count + 1))
    if isFound ? isSimple(beginning) : isCertain(prefix, missingIn: text) { return isFound }
    return string(text).starts(with: string(prefix))
  }

  /// Whether a text contains another; case and accents are ignored.
  static func localizedContains(
    _ text: UnsafeRawBufferPointer,
    _ part: UnsafeRawBufferPointer
  ) -> Bool {
    if isPrintable(text) && isPrintable(part) && LocalizedOrder.foldsAsASCII {
      return containsFolded(text, part)
    }
    return string(text).localizedStandardContains(string(part))
  }

  static func string(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  static func isPrintable(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var isPrintable = true
    // Without an early exit, the compiler uses vectors.
    for byte in bytes { isPrintable = isPrintable && byte &- 0x20 < 0x5f }
    return isPrintable
  }

  /// Whether each scalar is a character that is equivalent only to itself among such characters.
  ///
  /// These are the scalars below U+0300, where combining characters begin, and those from U+4000 to
  /// U+9FFF, which are almost only Chinese characters. The first byte of a scalar shows its range. CR
  /// is excluded, because CR LF is one character.
  private static func isSimple(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var isSimple = true
    for byte in bytes {
      isSimple = isSimple && byte != 0x0d && (byte < 0xcc || byte &- 0xe4 < 6)
    }
    return isSimple
  }

  /// Whether a text contains no equivalent of another, of which it does not contain the bytes.
  private static func isCertain(
    _ part: UnsafeRawBufferPointer,
    missingIn text: UnsafeRawBufferPointer
  ) -> Bool {
    // Characters outside of ASCII are equivalent only to the ASCII characters K, ; and `.
    let isPlain = part.allSatisfy { $0 < 0x80 && $0 != 0x4b && $0 != 0x3b && $0 != 0x60 }
    return isPlain || isSimple(part) && isSimple(text)
  }

  private static func isSame(
    _ left: UnsafeRawBufferPointer,
    _ right: UnsafeRawBufferPointer,
    count: Int
  ) -> Bool {
    guard count > 0, let left = left.baseAddress, let right = right.baseAddress else { return true }
    return memcmp(left, right, count) == 0
  }

  private static func containsBytes(
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
    guard let first = part.first.map(folded), part.count <= text.count else { return false }
    for start in 0...(text.count - part.count) where folded(text[start]) == first {
      var index = 1
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
