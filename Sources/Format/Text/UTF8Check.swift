func isValidUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
  var index = 0
  while index < bytes.count {
    // Most text is ASCII, which is checked eight bytes at once.
    while index + 8 <= bytes.count,
      bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
    {
      index += 8
    }
    guard index < bytes.count else { break }
    let length = lengthOfCharacter(bytes, at: index)
    guard length > 0 else { return false }
    index += length
  }
  return true
}

/// The number of bytes of the character at an index; zero if the character is invalid.
private func lengthOfCharacter(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
  func isNext(_ offset: Int, range: ClosedRange<UInt8>) -> Bool {
    index + offset < bytes.count && range.contains(bytes[index + offset])
  }
  // The ranges of the second byte exclude overlong forms, surrogates and numbers beyond Unicode.
  switch bytes[index] {
  case 0x00...0x7f: return 1
  case 0xc2...0xdf: return isNext(1, range: 0x80...0xbf) ? 2 : 0
  case 0xe0: return isNext(1, range: 0xa0...0xbf) && isNext(2, range: 0x80...0xbf) ? 3 : 0
  case 0xed: return isNext(1, range: 0x80...0x9f) && isNext(2, range: 0x80...0xbf) ? 3 : 0
  case 0xe1...0xef: return isNext(1, range: 0x80...0xbf) && isNext(2, range: 0x80...0xbf) ? 3 : 0
  case 0xf0...0xf4:
    let second: ClosedRange<UInt8> =
      bytes[index] == 0xf0 ? 0x90...0xbf : bytes[index] == 0xf4 ? 0x80...0x8f : 0x80...0xbf
    return isNext(1, range: second) && isNext(2, range: 0x80...0xbf)
      && isNext(3, range: 0x80...0xbf) ? 4 : 0
  default: return 0
  }
}
