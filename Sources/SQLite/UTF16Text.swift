// Texts of a database in UTF-16.
//
// SQLite's own conversion replaces U+FFFE, U+FFFF and unpaired surrogates, so texts are converted
// here. In UTF-8, an unpaired surrogate has three bytes, as if it were a character (WTF-8).

/// Converts a text in UTF-16, in the byte order of this machine, to UTF-8.
func utf8(ofUTF16 bytes: UnsafeRawBufferPointer) -> [UInt8] {
  var result: [UInt8] = []
  result.reserveCapacity(bytes.count)
  var units = (0..<bytes.count / 2).lazy
    .map { bytes.loadUnaligned(fromByteOffset: 2 * $0, as: UInt16.self) }[...]
  while let unit = units.popFirst() {
    var number = UInt32(unit)
    if UTF16.isLeadSurrogate(unit), let next = units.first, UTF16.isTrailSurrogate(next) {
      units.removeFirst()
      number = 0x10000 + (number & 0x3ff) << 10 + UInt32(next) & 0x3ff
    }
    append(number, to: &result)
  }
  return result
}

private func append(_ number: UInt32, to bytes: inout [UInt8]) {
  func next(_ shift: UInt32) -> UInt8 { UInt8(0x80 | number >> shift & 0x3f) }
  switch number {
  case ..<0x80: bytes.append(UInt8(number))
  case ..<0x800: bytes += [UInt8(0xc0 | number >> 6), next(0)]
  case ..<0x10000: bytes += [UInt8(0xe0 | number >> 12), next(6), next(0)]
  default: bytes += [UInt8(0xf0 | number >> 18), next(12), next(6), next(0)]
  }
}

/// Converts a text in UTF-8, in which unpaired surrogates can have three bytes, to UTF-16; nil for
/// other bytes.
package func utf16(ofUTF8 bytes: UnsafeRawBufferPointer) -> [UInt16]? {
  var units: [UInt16] = []
  units.reserveCapacity(bytes.count)
  var rest = bytes[...]
  while true {
    let end = firstSurrogate(in: rest) ?? rest.endIndex
    guard let part = String(validating: rest[..<end], as: UTF8.self) else { return nil }
    units += part.utf16
    guard end < rest.endIndex else { return units }
    let unit = 0xd000 | UInt16(rest[end + 1] & 0x3f) << 6 | UInt16(rest[end + 2] & 0x3f)
    // Two surrogates that form a character have four bytes together, and not three each.
    if UTF16.isTrailSurrogate(unit), let last = units.last, UTF16.isLeadSurrogate(last) {
      return nil
    }
    units.append(unit)
    rest = rest[(end + 3)...]
  }
}

/// The index of the three bytes of a surrogate; nil if there is none.
private func firstSurrogate(in bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
  bytes.indices.first {
    bytes[$0] == 0xed && $0 + 2 < bytes.endIndex && bytes[$0 + 1] >= 0xa0
      && bytes[$0 + 1] <= 0xbf && bytes[$0 + 2] >= 0x80 && bytes[$0 + 2] <= 0xbf
  }
}
