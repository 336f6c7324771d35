import FoundationEssentials

// The canonical text of a decimal number has plain digits, no exponent, no superfluous zeros, and
// no sign for zero. Equal numbers have the same text, whatever their exponents are.

/// The decimal with this canonical text; nil for any other text, and for numbers with more digits
/// than a `Decimal` has.
package func decimal(fromText text: String) -> Decimal? {
  var text = text
  let fits = text.withUTF8 { bytes in
    isCanonicalDecimal(UnsafeRawBufferPointer(bytes)) && fitsDecimal(bytes)
  }
  // Foundation silently rounds numbers that do not fit, so the size is checked first.
  return fits ? Decimal(string: text) : nil
}

/// Whether a text is `0` or a decimal without leading and trailing zeros.
package func isCanonicalDecimal(_ text: UnsafeRawBufferPointer) -> Bool {
  var index = text.first == 0x2d ? 1 : 0
  let start = index
  while index < text.count, text[index] &- 0x30 < 10 { index += 1 }
  guard index > start, text[start] != 0x30 || index == start + 1 else { return false }
  if index == text.count { return text[start] != 0x30 || start == 0 }
  guard text[index] == 0x2e, index + 1 < text.count, text[text.count - 1] != 0x30 else {
    return false
  }
  return text[(index + 1)...].allSatisfy { $0 &- 0x30 < 10 }
}

/// Whether a number has a mantissa of 128 bits with an exponent from -128 to 127.
private func fitsDecimal(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
  // A text of 38 characters is within both limits of `Decimal`.
  guard text.count > 38 else { return true }
  var mantissa: UInt128 = 0
  var exponent = 0
  var pendingZeros = 0
  var isFraction = false
  for byte in text {
    switch byte {
    case 0x2d: continue
    case 0x2e: isFraction = true
    case 0x30 where !isFraction:
      // Zeros before the point are digits of the mantissa if another digit follows. Otherwise they
      // are a part of the exponent.
      pendingZeros += mantissa == 0 ? 0 : 1
    default:
      if isFraction { exponent -= 1 }
      guard let scaled = multiply(mantissa, byPowerOfTen: pendingZeros + 1) else { return false }
      let (sum, overflow) = scaled.addingReportingOverflow(UInt128(byte - 0x30))
      guard !overflow else { return false }
      mantissa = sum
      pendingZeros = 0
    }
  }
  exponent += pendingZeros
  if exponent > 127 { return multiply(mantissa, byPowerOfTen: exponent - 127) != nil }
  return exponent >= -128
}

private func multiply(_ value: UInt128, byPowerOfTen power: Int) -> UInt128? {
  var result = value
  for _ in 0..<power {
    let (product, overflow) = result.multipliedReportingOverflow(by: 10)
    guard !overflow else { return nil }
    result = product
  }
  return result
}
