/// Compares strings as Swift does: by the Unicode scalars of their canonical composition.
enum StringOrder {
  static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
    let count = min(left.count, right.count)
    var index = 0
    while index < count, left[index] == right[index] { index += 1 }
    if index == left.count && index == right.count { return 0 }
    if isASCII(left, from: index) && isASCII(right, from: index) {
      if index < count { return left[index] < right[index] ? -1 : 1 }
      return left.count < right.count ? -1 : 1
    }
    let first = StringFunctions.string(left)
    let second = StringFunctions.string(right)
    return first == second ? 0 : first < second ? -1 : 1
  }

  /// Whether the next character is ASCII; an ASCII character can't combine with the previous
  /// character.
  private static func isASCII(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Bool {
    var all: UInt8 = 0
    for index in start..<bytes.count { all |= bytes[index] }
    return all < 0x80
  }
}

/// The order of decimal numbers by value; NaN is first.
enum DecimalOrder {
  static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
    let first = value(left)
    let second = value(right)
    return first == second ? 0 : first < second ? -1 : 1
  }

  private static func value(_ bytes: UnsafeRawBufferPointer) -> Decimal {
    Decimal._load(.text(StringFunctions.string(bytes))) ?? .nan
  }
}
