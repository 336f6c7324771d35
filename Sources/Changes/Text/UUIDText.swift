import FoundationEssentials

/// Appends a UUID as 36 upper-case characters, without quotes.
package func appendUUID(_ uuid: UUID, to buffer: inout [UInt8]) {
  withUnsafeBytes(of: uuid.uuid) { bytes in
    for (index, byte) in bytes.enumerated() {
      if index == 4 || index == 6 || index == 8 || index == 10 { buffer.append(0x2d) }
      buffer.append(upperDigit(byte >> 4))
      buffer.append(upperDigit(byte & 15))
    }
  }
}

/// Tells whether text is a UUID in the one form that it is written in.
package func isCanonicalUUID(_ text: UnsafeRawBufferPointer) -> Bool {
  guard text.count == 36 else { return false }
  for (index, byte) in text.enumerated() {
    switch index {
    case 8, 13, 18, 23: guard byte == 0x2d else { return false }
    default:
      guard (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) else { return false }
    }
  }
  return true
}

/// Reads a UUID in the one form that it is written in.
package func parseUUID(_ text: UnsafeRawBufferPointer) -> UUID? {
  guard isCanonicalUUID(text) else { return nil }
  return UUID(uuidString: String(decoding: text, as: UTF8.self))
}

private func upperDigit(_ value: UInt8) -> UInt8 {
  value < 10 ? 0x30 + value : 0x37 + value
}
