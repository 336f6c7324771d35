/// Orders of strings as users expect them, with a fast path for printable ASCII.
///
/// ``standard(_:_:)`` has the order of `localizedStandardCompare`: it compares letters before case
/// and accents, and digits by the value of their number. ``localized(_:_:)`` has the order of
/// `localizedCompare`. Foundation compares all other strings, and every string if the language
/// orders ASCII in another way.
enum LocalizedOrder {
  static func standard(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
    if hasRootOrder, StringFunctions.isPrintable(left), StringFunctions.isPrintable(right),
      let order = quickStandard(left, right)
    {
      return order
    }
    let first = StringFunctions.string(left)
    return Int32(first.localizedStandardCompare(StringFunctions.string(right)).rawValue)
  }

  static func localized(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
    if hasRootOrder, StringFunctions.isPrintable(left), StringFunctions.isPrintable(right) {
      return quickLocalized(left, right)
    }
    let first = StringFunctions.string(left)
    return Int32(first.localizedCompare(StringFunctions.string(right)).rawValue)
  }

  /// Whether the current language orders ASCII like the root collation of Unicode.
  ///
  /// Some languages treat `ch` or `aa` as one letter, or order a letter in another way.
  private static let hasRootOrder: Bool = {
    let languages: Set<String> = ["en", "de", "fr", "it", "pt", "es", "nl", "ja", "ko", "zh"]
    return Locale.current.language.languageCode.map { languages.contains($0.identifier) } ?? false
  }()

  /// Whether a change of case turns ASCII into ASCII in the current language, unlike in Turkish.
  static var foldsAsASCII: Bool { hasRootOrder }

  /// The printable ASCII characters except capital letters, in the order of the root collation.
  private static let primary: [UInt8] = {
    let order = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"
    var weights = [UInt8](repeating: 0, count: 256)
    for (index, byte) in order.utf8.enumerated() {
      weights[Int(byte)] = UInt8(index + 1)
      if byte >= 0x61 && byte <= 0x7a { weights[Int(byte - 0x20)] = UInt8(index + 1) }
    }
    return weights
  }()

  static func quickLocalized(
    _ left: UnsafeRawBufferPointer,
    _ right: UnsafeRawBufferPointer
  ) -> Int32 {
    var byCase: Int32 = 0
    for index in 0..<min(left.count, right.count) where left[index] != right[index] {
      let order = difference(left[index], right[index], byCase: &byCase)
      if order != 0 { return order }
    }
    if left.count != right.count { return left.count < right.count ? -1 : 1 }
    return byCase
  }

  /// The order of two strings; nil if a number begins with zeros, because only Foundation can order
  /// such numbers.
  static func quickStandard(
    _ left: UnsafeRawBufferPointer,
    _ right: UnsafeRawBufferPointer
  ) -> Int32? {
    var byCase: Int32 = 0
    var first = 0
    var second = 0
    while first < left.count, second < right.count {
      if isDigit(left[first]), isDigit(right[second]) {
        if left[first] == 0x30 || right[second] == 0x30 { return nil }
        let firstEnd = endOfDigits(left, from: first)
        let secondEnd = endOfDigits(right, from: second)
        let digits = firstEnd - first
        if digits > 200 || secondEnd - second > 200 { return nil }
        if digits != secondEnd - second { return digits < secondEnd - second ? -1 : 1 }
        while first < firstEnd {
          if left[first] != right[second] { return left[first] < right[second] ? -1 : 1 }
          first += 1
          second += 1
        }
        continue
      }
      if left[first] != right[second] {
        let order = difference(left[first], right[second], byCase: &byCase)
        if order != 0 { return order }
      }
      first += 1
      second += 1
    }
    if first < left.count { return 1 }
    if second < right.count { return -1 }
    return byCase
  }

  /// The order of two different characters.
  ///
  /// If strings differ only in case, the first difference decides, and a small letter precedes a
  /// capital one.
  private static func difference(_ left: UInt8, _ right: UInt8, byCase: inout Int32) -> Int32 {
    let first = primary[Int(left)]
    let second = primary[Int(right)]
    if first != second { return first < second ? -1 : 1 }
    if byCase == 0 { byCase = left > right ? -1 : 1 }
    return 0
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  private static func endOfDigits(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var end = start
    while end < bytes.count, isDigit(bytes[end]) { end += 1 }
    return end
  }
}
