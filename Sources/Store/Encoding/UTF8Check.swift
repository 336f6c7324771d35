/// True where the bytes are valid UTF-8.
func isValidUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
  var index = 0
  var high: UInt64 = 0
  while index + 8 <= bytes.count {
    high |= bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
    index += 8
  }
  while index < bytes.count {
    high |= UInt64(bytes[index])
    index += 1
  }
  // Most texts are ASCII, which needs no more than this.
  return high & 0x8080_8080_8080_8080 == 0 || String(validating: bytes, as: UTF8.self) != nil
}
