import FoundationEssentials

private let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

/// For each byte, its value as a base64 digit; 255 for a byte that is not a digit.
private let digitValues: [UInt8] = {
  var values = [UInt8](repeating: 255, count: 256)
  for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
  return values
}()

/// Appends bytes in base64 with padding, without quotes or line breaks.
package func appendBase64(_ bytes: UnsafeRawBufferPointer, to buffer: inout [UInt8]) {
  // Each piece is small enough for scratch space on the stack.
  let pieceSize = 3 * 1024
  digits.withUnsafeBufferPointer { digits in
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: pieceSize / 3 * 4) { text in
      var start = 0
      while start < bytes.count {
        let end = min(start + pieceSize, bytes.count)
        let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        let count = encode(piece, with: digits, to: text)
        buffer.append(contentsOf: UnsafeBufferPointer(rebasing: text[..<count]))
        start = end
      }
    }
  }
}

/// Reads canonical base64: with padding, without blanks, and with zeros in unused bits.
package func parseBase64(_ text: UnsafeRawBufferPointer) -> Data? {
  guard let (count, _) = sizeOfBase64(text) else { return nil }
  var data = Data(count: count)
  return data.withUnsafeMutableBytes({ decodeBase64(text, in: $0) != nil }) ? data : nil
}

/// Decodes base64 into memory, which must be large enough.
func decodeBase64(
  _ text: UnsafeRawBufferPointer,
  in room: UnsafeMutableRawBufferPointer
) -> UnsafeRawBufferPointer? {
  guard let (count, padding) = sizeOfBase64(text) else { return nil }
  let isValid =
    text.isEmpty
    || digitValues.withUnsafeBufferPointer {
      decode(text, padding: padding, with: $0, to: room)
    }
  return isValid ? UnsafeRawBufferPointer(rebasing: room[..<count]) : nil
}

/// The number of decoded bytes, and the number of padding characters.
private func sizeOfBase64(_ text: UnsafeRawBufferPointer) -> (count: Int, padding: Int)? {
  guard text.count % 4 == 0 else { return nil }
  guard !text.isEmpty else { return (0, 0) }
  var padding = 0
  if text[text.count - 1] == 0x3d { padding = text[text.count - 2] == 0x3d ? 2 : 1 }
  return (text.count / 4 * 3 - padding, padding)
}

func isCanonicalBase64(_ text: UnsafeRawBufferPointer) -> Bool {
  guard text.count % 4 == 0 else { return false }
  // The last group may have padding, so the decoder checks it.
  let start = max(0, text.count - 4)
  return digitValues.withUnsafeBufferPointer { values in
    var seen: UInt8 = 0
    var index = 0
    while index < start {
      seen |= values[Int(text[index])]
      index += 1
    }
    return seen < 64
  } && parseBase64(UnsafeRawBufferPointer(rebasing: text[start...])) != nil
}

private func encode(
  _ bytes: UnsafeRawBufferPointer,
  with digits: UnsafeBufferPointer<UInt8>,
  to text: UnsafeMutableBufferPointer<UInt8>
) -> Int {
  var index = 0
  var count = 0
  while index + 3 <= bytes.count {
    let group = Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
    text[count] = digits[group >> 18]
    text[count + 1] = digits[group >> 12 & 63]
    text[count + 2] = digits[group >> 6 & 63]
    text[count + 3] = digits[group & 63]
    index += 3
    count += 4
  }
  let rest = bytes.count - index
  guard rest > 0 else { return count }
  let group = Int(bytes[index]) << 16 | (rest == 2 ? Int(bytes[index + 1]) << 8 : 0)
  text[count] = digits[group >> 18]
  text[count + 1] = digits[group >> 12 & 63]
  text[count + 2] = rest == 2 ? digits[group >> 6 & 63] : 0x3d
  text[count + 3] = 0x3d
  return count + 4
}

private func decode(
  _ text: UnsafeRawBufferPointer,
  padding: Int,
  with values: UnsafeBufferPointer<UInt8>,
  to bytes: UnsafeMutableRawBufferPointer
) -> Bool {
  // The value of a byte that is not a digit has its high bits set, and the union of all values
  // keeps these bits.
  var seen: UInt8 = 0
  var output = 0
  let groups = text.count / 4 - (padding > 0 ? 1 : 0)
  for index in 0..<groups {
    let first = values[Int(text[index * 4])]
    let second = values[Int(text[index * 4 + 1])]
    let third = values[Int(text[index * 4 + 2])]
    let fourth = values[Int(text[index * 4 + 3])]
    seen |= first | second | third | fourth
    bytes[output] = first << 2 | second >> 4
    bytes[output + 1] = second << 4 | third >> 2
    bytes[output + 2] = third << 6 | fourth
    output += 3
  }
  guard seen < 64 else { return false }
  guard padding > 0 else { return true }
  let first = values[Int(text[groups * 4])]
  let second = values[Int(text[groups * 4 + 1])]
  let third = padding == 1 ? values[Int(text[groups * 4 + 2])] : 0
  guard (first | second | third) < 64 else { return false }
  guard padding == 1 ? third & 3 == 0 : second & 15 == 0 else { return false }
  bytes[output] = first << 2 | second >> 4
  if padding == 1 { bytes[output + 1] = second << 4 | third >> 2 }
  return true
}
