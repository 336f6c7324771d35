// A date is stored as seconds since 2001-01-01 UTC in a double, and written as RFC 3339 in UTC. The
// shortest decimal text of the double is split at its point. The whole seconds become the calendar
// part, and the digits after the point are copied. These digits are exactly enough to restore the
// double.

/// The instants that RFC 3339 can express, in seconds since 2001-01-01: the years 1 to 9999.
let datesShown: Range<Double> = -63_113_904_000..<252_423_993_600

/// Appends an instant as RFC 3339 text without quotes.
///
/// Returns false and appends nothing if RFC 3339 can't express the date: NaN, the infinities, years
/// outside 1 to 9999, and negative zero.
@discardableResult
package func appendDate(secondsSinceReference value: Double, to buffer: inout [UInt8]) -> Bool {
  guard datesShown.contains(value), value != 0 || value.sign == .plus else { return false }
  if value == value.rounded(.towardZero) {
    append(wholeSeconds: Int(value), fraction: 0, digits: 0, to: &buffer)
  } else if let short = ShortDecimal(sixDigits: value.magnitude) {
    let whole = Int(short.integer)
    append(
      wholeSeconds: value < 0 ? -whole - 1 : whole,
      fraction: value < 0
        ? UInt64(ShortDecimal.powers[short.scale]) - short.fraction : short.fraction,
      digits: short.scale,
      to: &buffer
    )
  } else {
    var fraction: [UInt8] = []
    var whole = splitDescription(of: value.magnitude, fraction: &fraction)
    if value < 0 {
      whole = -whole - 1
      complement(&fraction)
    }
    append(wholeSeconds: whole, fraction: 0, digits: 0, to: &buffer)
    buffer.append(0x2e)
    buffer.append(contentsOf: fraction)
  }
  buffer.append(0x5a)
  return true
}

/// Reads canonical RFC 3339 text without quotes.
package func parseDate(_ bytes: UnsafeRawBufferPointer) -> Double? {
  guard bytes.count >= 20, bytes[bytes.count - 1] == 0x5a, let whole = parseWholeSeconds(bytes)
  else { return nil }
  if bytes.count == 20 { return Double(whole) }
  guard bytes[19] == 0x2e, bytes.count >= 22 else { return nil }
  let digits = UnsafeRawBufferPointer(rebasing: bytes[20..<bytes.count - 1])
  if whole >= 0, digits[digits.count - 1] != 0x30,
    let short = ShortDecimal(integer: UInt64(whole), fraction: digits)
  {
    return short.double
  }
  var fraction = Array(digits)
  guard fraction.last != 0x30, fraction.allSatisfy({ (0x30...0x39).contains($0) }) else {
    return nil
  }
  let isNegative = whole < 0
  if isNegative { complement(&fraction) }
  let seconds = UInt64(isNegative ? -whole - 1 : whole)
  if let short = ShortDecimal(integer: seconds, fraction: fraction) {
    return isNegative ? -short.double : short.double
  }
  let text = "\(isNegative ? "-" : "")\(seconds)." + String(decoding: fraction, as: UTF8.self)
  guard let value = Double(text) else { return nil }
  var canonical: [UInt8] = []
  guard appendDate(secondsSinceReference: value, to: &canonical),
    canonical.elementsEqual(bytes)
  else { return nil }
  return value
}

/// The seconds from 1970 to a time in the text form that history uses, without the six digits after
/// the second; nil for any other text.
package func secondsSince1970(ofTime text: String) -> Int? {
  var text = text
  return text.withUTF8 { utf8 in
    let bytes = UnsafeRawBufferPointer(utf8)
    guard bytes.count == 27, bytes[19] == 0x2e, bytes[26] == 0x5a,
      bytes[20..<26].allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return parseWholeSeconds(bytes).map { $0 + 978_307_200 }
  }
}

/// Appends whole seconds, and up to six digits of a fraction.
///
/// This function is written for speed, because most rows contain dates.
private func append(
  wholeSeconds seconds: Int,
  fraction: UInt64,
  digits: Int,
  to buffer: inout [UInt8]
) {
  var day = seconds / 86_400
  var second = seconds % 86_400
  if second < 0 {
    second += 86_400
    day -= 1
  }
  let date = CivilDate(daysSinceReference: day)
  withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 26) { text in
    func put(_ value: Int, at index: Int) {
      text[index] = 0x30 + UInt8(truncatingIfNeeded: value / 10)
      text[index + 1] = 0x30 + UInt8(truncatingIfNeeded: value % 10)
    }
    put(date.year / 100, at: 0)
    put(date.year % 100, at: 2)
    put(date.month, at: 5)
    put(date.day, at: 8)
    put(second / 3600, at: 11)
    put(second / 60 % 60, at: 14)
    put(second % 60, at: 17)
    text[4] = 0x2d
    text[7] = 0x2d
    text[10] = 0x54
    text[13] = 0x3a
    text[16] = 0x3a
    var rest = fraction
    for index in stride(from: 19 + digits, to: 19, by: -1) {
      text[index] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    text[19] = 0x2e
    let count = digits == 0 ? 19 : 20 + digits
    buffer.append(contentsOf: UnsafeBufferPointer(rebasing: text[..<count]))
  }
}

private func parseWholeSeconds(_ bytes: UnsafeRawBufferPointer) -> Int? {
  guard bytes[4] == 0x2d, bytes[7] == 0x2d, bytes[10] == 0x54, bytes[13] == 0x3a,
    bytes[16] == 0x3a
  else { return nil }
  func pair(_ index: Int) -> Int? {
    let high = bytes[index] &- 0x30
    let low = bytes[index + 1] &- 0x30
    return high < 10 && low < 10 ? Int(high) * 10 + Int(low) : nil
  }
  guard let century = pair(0), let year = pair(2), let month = pair(5), let day = pair(8),
    let hour = pair(11), hour < 24, let minute = pair(14), minute < 60, let second = pair(17),
    second < 60, let date = CivilDate(year: century * 100 + year, month: month, day: day)
  else { return nil }
  return date.daysSinceReference * 86_400 + hour * 3600 + minute * 60 + second
}

/// Splits the shortest text of a positive number with a fraction.
///
/// `fraction` gets the digits after the point.
private func splitDescription(of value: Double, fraction: inout [UInt8]) -> Int {
  var whole = 0
  var exponent = 0
  var isFraction = false
  var isExponent = false
  for byte in value.description.utf8 {
    switch byte {
    case 0x2e: isFraction = true
    case 0x65: isExponent = true
    case 0x2d: continue
    default:
      if isExponent {
        exponent = exponent * 10 + Int(byte - 0x30)
      } else if isFraction {
        fraction.append(byte)
      } else {
        whole = whole * 10 + Int(byte - 0x30)
      }
    }
  }
  guard isExponent else { return whole }
  // Only numbers below 0.0001 have an exponent, and their text has the form `d.ddde-xx`.
  fraction.insert(0x30 + UInt8(whole), at: 0)
  fraction.insert(contentsOf: repeatElement(0x30, count: exponent - 1), at: 0)
  return 0
}

/// Replaces the digits of a fraction f by the digits of 1 - f.
///
/// The last digit of the fraction is never zero.
private func complement(_ fraction: inout [UInt8]) {
  let last = fraction.count - 1
  for index in 0..<last { fraction[index] = 0x69 - fraction[index] }
  fraction[last] = 0x6a - fraction[last]
}
