extension [UInt8] {
  func uint32(at offset: Int) -> UInt32 {
    self[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}

/// Numbers of the file format are big-endian and not aligned. The caller checks the offsets.
extension UnsafeRawPointer {
  @inline(__always)
  func uint16(at offset: Int) -> Int {
    Int(UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
  }

  @inline(__always)
  func uint32(at offset: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  @inline(__always)
  func uint64(at offset: Int) -> UInt64 {
    UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Reads a variable-length integer before an end, and returns it with the offset of the next byte;
  /// the offset is −1 if the integer is not complete before the end.
  ///
  /// The upper bit of each byte says whether another byte follows. All eight bits of the ninth byte
  /// belong to the number, so that 64 bits fit.
  @inline(__always)
  func varint(at offset: Int, end: Int) -> (value: UInt64, next: Int) {
    guard offset < end else { return (0, -1) }
    let first = load(fromByteOffset: offset, as: UInt8.self)
    // Most numbers in a database are smaller than 128.
    if first < 0x80 { return (UInt64(first), offset + 1) }
    return longVarint(at: offset, end: end)
  }

  private func longVarint(at offset: Int, end: Int) -> (value: UInt64, next: Int) {
    var value: UInt64 = 0
    for place in offset..<min(offset + 8, end) {
      let byte = load(fromByteOffset: place, as: UInt8.self)
      value = value << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { return (value, place + 1) }
    }
    guard offset + 8 < end else { return (0, -1) }
    return (value << 8 | UInt64(load(fromByteOffset: offset + 8, as: UInt8.self)), offset + 9)
  }
}
