/// The description of a line's leaf, which is in the line before `op`.
///
/// A line without a description of its leaf gets its salt from the seed of an earlier line.
package enum LineLeaf: Hashable, Sendable {
  /// A seed from which the salts of `lines` lines are derived: the salts of this line and of the
  /// lines after it.
  case seed(lines: Int64, Seed)
  /// The earlier values of the line were changed or removed.
  ///
  /// The leaf contains the digest of the earlier values.
  ///
  /// If the values were erased, the line also contains the restated salt, with which the remaining
  /// values are hashed.
  case hidden(values: Digest, salt: Seed?)

  /// Reads a text that ``append(to:)`` wrote; nil for any other text.
  package init?(_ text: UnsafeRawBufferPointer) {
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(rebasing: text[range])
    }
    func has(_ expected: StaticString, at start: Int) -> Bool {
      let bytes = UnsafeRawBufferPointer(
        start: expected.utf8Start,
        count: expected.utf8CodeUnitCount
      )
      return text.count >= start + bytes.count
        && part(start..<start + bytes.count).elementsEqual(bytes)
    }
    func seed(from start: Int) -> Seed? {
      start < text.count ? Seed(base64: part(start..<text.count - 1)) : nil
    }
    guard text.last == 0x22 else { return nil }
    if has(#""seed":""#, at: 0) {
      guard let colon = text[8...].firstIndex(of: 0x3a), let lines = parseInteger(part(8..<colon)),
        let seed = seed(from: colon + 1)
      else { return nil }
      self = .seed(lines: lines, seed)
    } else if has(#""values":""#, at: 0), text.count >= 75,
      let values = Digest(hexadecimal: part(10..<74))
    {
      guard text.count > 75 else {
        self = .hidden(values: values, salt: nil)
        return
      }
      guard has(#"","salt":""#, at: 74), let salt = seed(from: 84) else { return nil }
      self = .hidden(values: values, salt: salt)
    } else {
      return nil
    }
  }

  /// Appends the description of the leaf, with commas between its keys.
  package func append(to buffer: inout [UInt8]) {
    func append(_ seed: Seed) {
      seed.bytes.withUnsafeBytes { appendBase64($0, to: &buffer) }
    }
    switch self {
    case .seed(let lines, let seed):
      buffer += #""seed":""#.utf8
      appendInteger(lines, to: &buffer)
      buffer.append(0x3a)
      append(seed)
    case .hidden(let values, let salt):
      buffer += #""values":""#.utf8
      values.appendHexadecimal(to: &buffer)
      if let salt {
        buffer += #"","salt":""#.utf8
        append(salt)
      }
    }
    buffer.append(0x22)
  }
}
