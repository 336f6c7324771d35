package func appendInteger(_ value: Int64, to buffer: inout [UInt8]) {
  if value < 0 { buffer.append(0x2d) }
  appendInteger(value.magnitude, to: &buffer)
}

package func appendInteger(_ value: UInt64, to buffer: inout [UInt8]) {
  if value < 10 {
    buffer.append(0x30 + UInt8(truncatingIfNeeded: value))
    return
  }
  withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
    var rest = value
    var index = 20
    while rest != 0 {
      let quotient = rest / 10
      index -= 1
      digits[index] = 0x30 + UInt8(truncatingIfNeeded: rest &- quotient &* 10)
      rest = quotient
    }
    buffer.append(contentsOf: UnsafeBufferPointer(rebasing: digits[index..<20]))
  }
}

/// Appends the lowest `count` decimal digits of a number, with leading zeros.
func appendDigits(_ value: UInt64, count: Int, to buffer: inout [UInt8]) {
  withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { digits in
    var rest = value
    for index in stride(from: count - 1, through: 0, by: -1) {
      let quotient = rest / 10
      digits[index] = 0x30 + UInt8(truncatingIfNeeded: rest &- quotient &* 10)
      rest = quotient
    }
    buffer.append(contentsOf: UnsafeBufferPointer(digits))
  }
}

/// Reads a canonical signed integer: without a plus sign, without leading zeros, and not -0.
package func parseInteger(_ bytes: UnsafeRawBufferPointer) -> Int64? {
  guard bytes.first == 0x2d else {
    guard let magnitude = parseUnsignedInteger(bytes) else { return nil }
    return Int64(exactly: magnitude)
  }
  let digits = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
  guard let magnitude = parseUnsignedInteger(digits), magnitude != 0,
    magnitude <= Int64.min.magnitude
  else { return nil }
  return Int64(truncatingIfNeeded: 0 &- magnitude)
}

/// Reads a canonical unsigned integer: digits without leading zeros.
package func parseUnsignedInteger(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
  guard let first = bytes.first, bytes.count <= 20, first != 0x30 || bytes.count == 1 else {
    return nil
  }
  return digitsValue(bytes)
}

/// The value of some digits; nil if there is another character, or if there are too many digits.
func digitsValue(_ bytes: some Collection<UInt8>) -> UInt64? {
  var value: UInt64 = 0
  for byte in bytes {
    let digit = byte &- 0x30
    guard digit < 10 else { return nil }
    let (product, overflow) = value.multipliedReportingOverflow(by: 10)
    let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
    guard !overflow, !carry else { return nil }
    value = sum
  }
  return value
}
