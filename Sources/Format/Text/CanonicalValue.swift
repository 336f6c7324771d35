import FoundationEssentials

/// Appends a stored value as the canonical JSON of its declared type, and returns its note if the
/// text can't express the value.
///
/// Integers are numbers. Values of the types `uint64` and `decimal` are strings of digits. Real
/// numbers have a point or an exponent. Dates are RFC 3339 strings, bytes are base64 strings, and
/// values of all other types are strings. A value of type `any` is a string that begins with its
/// storage class.
///
/// Canonical JSON can't express NaN, the infinities, far dates, and values that a foreign writer
/// stored with a wrong type. For a far date the nearest date is written, and for the others null.
/// The exact value is returned as the note for `special`.
@discardableResult
package func appendCanonical(
  _ value: Value,
  as type: ValueType,
  to buffer: inout [UInt8]
) -> SpecialValue? {
  let form = type.form
  if case .spelled = form {
    appendSpelled(value, to: &buffer)
    return nil
  }
  let isShown: Bool
  switch value {
  case .null:
    appendNull(to: &buffer)
    return nil
  case .integer(let number): isShown = append(number, as: form, to: &buffer)
  case .real(let number): isShown = append(number, as: form, to: &buffer)
  case .text(var text):
    isShown = text.withUTF8 { append(UnsafeRawBufferPointer($0), as: form, to: &buffer) }
  case .brokenText:
    isShown = false
    appendNull(to: &buffer)
  case .blob(let data):
    isShown = form == .bytes
    if isShown {
      buffer.append(0x22)
      data.withUnsafeBytes { appendBase64($0, to: &buffer) }
      buffer.append(0x22)
    } else {
      appendNull(to: &buffer)
    }
  }
  return isShown ? nil : SpecialValue(value, as: type)
}

private func appendSpelled(_ value: Value, to buffer: inout [UInt8]) {
  switch value {
  case .null: appendNull(to: &buffer)
  case .real(let number) where number.isNaN: appendNull(to: &buffer)
  case .text(var text): text.withUTF8 { appendSpelled(valid: .init($0), to: &buffer) }
  case .integer, .real, .blob, .brokenText:
    // None of these spellings has a byte that JSON escapes.
    buffer.append(0x22)
    value.appendSpelling(to: &buffer)
    buffer.append(0x22)
  }
}

private func appendSpelled(valid text: UnsafeRawBufferPointer, to buffer: inout [UInt8]) {
  buffer += "\"text:".utf8
  appendJSONContent(text, to: &buffer)
  buffer.append(0x22)
}

/// Appends the bytes of a text as the canonical JSON of type `any`, without a copy of valid UTF-8.
package func appendCanonical(textBytes bytes: UnsafeRawBufferPointer, to buffer: inout [UInt8]) {
  guard isValidUTF8(bytes) else { return appendSpelled(.brokenText(Data(bytes)), to: &buffer) }
  appendSpelled(valid: bytes, to: &buffer)
}

private func append(_ number: Int64, as form: ValueForm, to buffer: inout [UInt8]) -> Bool {
  switch form {
  case .truth where number == 0 || number == 1:
    buffer.append(contentsOf: (number == 1 ? "true" : "false").utf8)
    return true
  case .unsigned where number >= 0:
    buffer.append(0x22)
    appendInteger(number, to: &buffer)
    buffer.append(0x22)
    return true
  case .integer(let range) where range.contains(number):
    appendInteger(number, to: &buffer)
    return true
  case .real:
    appendInteger(number, to: &buffer)
    return true
  case .date:
    // A whole second has the same text as an integer and as a real number, so the integer gets a
    // note under `special`.
    appendDateString(Double(number), to: &buffer)
    return false
  case .truth, .integer, .unsigned, .text, .exact, .bytes, .spelled:
    appendNull(to: &buffer)
    return false
  }
}

private func append(_ number: Double, as form: ValueForm, to buffer: inout [UInt8]) -> Bool {
  switch form {
  case .real:
    if appendDouble(number, to: &buffer) { return true }
    appendNull(to: &buffer)
    return false
  case .date:
    // RFC 3339 has no negative zero. Zero is the same instant.
    appendDateString(number == 0 ? 0 : number, to: &buffer)
    return datesShown.contains(number) && (number != 0 || number.sign == .plus)
  case .truth, .integer, .unsigned, .text, .exact, .bytes, .spelled:
    appendNull(to: &buffer)
    return false
  }
}

private func append(
  _ text: UnsafeRawBufferPointer,
  as form: ValueForm,
  to buffer: inout [UInt8]
) -> Bool {
  switch form {
  case .text:
    appendJSONString(text, to: &buffer)
    return true
  case .unsigned where isLargeUnsigned(text):
    buffer.append(0x22)
    buffer.append(contentsOf: text.drop { $0 == 0x30 })
    buffer.append(0x22)
    return true
  case .exact(let kind) where kind.isCanonical(text):
    buffer.append(0x22)
    buffer.append(contentsOf: text)
    buffer.append(0x22)
    return true
  case .truth, .integer, .unsigned, .real, .date, .exact, .bytes, .spelled:
    appendNull(to: &buffer)
    return false
  }
}

private func appendDateString(_ seconds: Double, to buffer: inout [UInt8]) {
  guard datesShown.contains(seconds) else { return appendNull(to: &buffer) }
  buffer.append(0x22)
  appendDate(secondsSinceReference: seconds, to: &buffer)
  buffer.append(0x22)
}

private func appendNull(to buffer: inout [UInt8]) {
  buffer.append(contentsOf: "null".utf8)
}

/// Whether a text is an integer above `Int64.max` in its stored form of twenty digits.
func isLargeUnsigned(_ text: UnsafeRawBufferPointer) -> Bool {
  guard text.count == 20, let number = digitsValue(text) else { return false }
  return number > UInt64(Int64.max)
}
