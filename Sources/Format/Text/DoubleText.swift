// A double is written as the shortest decimal number that is read as the same double. If several
// decimal numbers have this length, the nearest one is written. Numbers from 0.0001 up to 2^53 are
// written with at least one digit after the point. All other numbers have the form `d.ddde±xx`,
// with no point after a single digit, and with at least two digits of exponent. The point or the
// exponent distinguishes a real number from an integer.

/// Appends a finite double as a JSON number.
///
/// For an infinite double or NaN, the function returns false and appends nothing.
@discardableResult
package func appendDouble(_ value: Double, to buffer: inout [UInt8]) -> Bool {
  guard value.isFinite else { return false }
  let magnitude = value.magnitude
  if magnitude >= 0.0001 || magnitude == 0, let short = ShortDecimal(sixDigits: magnitude) {
    if value.sign == .minus { buffer.append(0x2d) }
    appendInteger(short.integer, to: &buffer)
    buffer.append(0x2e)
    appendDigits(short.fraction, count: max(short.scale, 1), to: &buffer)
    return true
  }
  var text = value.description
  text.withUTF8 { buffer.append(contentsOf: $0) }
  return true
}

/// Reads a double in the canonical form.
package func parseDouble(_ bytes: UnsafeRawBufferPointer) -> Double? {
  if let short = parseShortDouble(bytes) { return short }
  // Swift accepts texts that JSON does not have, such as hexadecimal numbers, "inf" and "1.". The
  // comparison with the canonical text refuses them.
  guard bytes.count <= 32, let text = String(validating: bytes, as: UTF8.self),
    let value = Double(text)
  else { return nil }
  var canonical: [UInt8] = []
  guard appendDouble(value, to: &canonical), canonical.elementsEqual(bytes) else { return nil }
  return value
}

/// Reads `-ddd.ddd` of at most fifteen digits, which needs no comparison with the canonical text.
func parseShortDouble(_ bytes: UnsafeRawBufferPointer) -> Double? {
  let start = bytes.first == 0x2d ? 1 : 0
  guard let point = bytes.firstIndex(of: 0x2e), point > start, point + 1 < bytes.count,
    let integer = parseUnsignedInteger(UnsafeRawBufferPointer(rebasing: bytes[start..<point]))
  else { return nil }
  let fraction = bytes[(point + 1)...]
  guard fraction.count == 1 || fraction.last != 0x30,
    let short = ShortDecimal(integer: integer, fraction: fraction)
  else { return nil }
  let magnitude = short.double
  guard magnitude >= 0.0001 || magnitude == 0 else { return nil }
  return start == 1 ? -magnitude : magnitude
}
