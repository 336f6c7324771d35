/// Compares strings as Swift does: by the Unicode scalars of their canonical composition.
enum StringOrder {
  static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
    let count = min(left.count, right.count)
    var index = 0
    while index < count, left[index] == right[index] { index += 1 }
    if index == left.count && index == right.count { return 0 }
    if isASCII(left, at: index) && isASCII(right, at: index) {
      if index < count { return left[index] < right[index] ? -1 : 1 }
      return left.count < right.count ? -1 : 1
    }
    let first = StringFunctions.string(left)
    let second = StringFunctions.string(right)
    return first == second ? 0 : first < second ? -1 : 1
  }

  /// Whether a character and the next one are ASCII; the first then combines with no other
  /// character, and decides the order.
  @inline(__always)
  private static func isASCII(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Bool {
    (index >= bytes.count || bytes[index] < 0x80)
      && (index + 1 >= bytes.count || bytes[index + 1] < 0x80)
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
