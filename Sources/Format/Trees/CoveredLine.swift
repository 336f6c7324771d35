import Glibc

/// A line of a transaction, split into the parts that the line's leaf covers.
///
/// Strings in the line can't contain the separators of the parts, because the quotes in strings are
/// escaped.
package struct CoveredLine: Sendable {
  /// The bytes of the line, without its line feed.
  package let line: [UInt8]
  /// The bytes before the known bytes: kind, ids, time, author, seed, and the digest of hidden values.
  package let prefix: Range<Int>
  /// The bytes that stay known if the values are hidden.
  package let known: Range<Int>
  /// The bytes of the values.
  package let values: Range<Int>
  /// The digest of the values if the values are hidden; otherwise nil.
  package private(set) var valuesDigest: Digest?

  /// The texts with which the bytes of the values can begin.
  private static let valueKeys: [StaticString] = [
    #","before":"#, #","after":"#, #","special":"#, #","large":"#,
  ]

  package init(_ line: [UInt8]) throws(ProofError) {
    self.line = line
    guard let operation = firstRange(of: #","op":"#, in: line), line.last == UInt8(ascii: "}")
    else {
      throw ProofError("A line of the transaction does not have the form of a line in a log.")
    }
    prefix = 0..<operation.lowerBound
    let end = firstRange(of: Self.valueKeys, in: line, after: operation.upperBound)
    known = operation.lowerBound + 1..<(end?.lowerBound ?? line.count - 1)
    values = known.upperBound..<line.count - 1
    if let digits = member(#","values":""#) {
      valuesDigest = Digest(hexadecimal: String(decoding: digits, as: UTF8.self))
    }
  }

  /// The text of the value that a key has in the prefix; nil if the prefix does not have the key.
  private func member(_ key: StaticString) -> ArraySlice<UInt8>? {
    guard let start = firstRange(of: key, in: line, before: prefix.upperBound) else { return nil }
    return line[start.upperBound..<prefix.upperBound].prefix { $0 != UInt8(ascii: "\"") }
  }

  /// The seed in the line, and the number of lines whose salts are derived from this seed.
  package var seed: (lines: Int64, seed: Seed)? {
    guard let parts = member(#","seed":""#)?.split(separator: UInt8(ascii: ":")), parts.count == 2,
      let lines = Int64(String(decoding: parts[0], as: UTF8.self)),
      let seed = decoded(String(decoding: parts[1], as: UTF8.self)).flatMap({ Seed(bytes: $0) })
    else { return nil }
    return (lines, seed)
  }

  /// The leaf hash of the line.
  ///
  /// The salt of the line is needed unless the values are hidden.
  package func leaf(salt: Seed?) -> Digest? {
    line.withUnsafeBytes { bytes in
      guard
        let values = valuesDigest
          ?? salt.map({
            Format.valuesDigest(UnsafeRawBufferPointer(rebasing: bytes[values]), salt: $0)
          })
      else { return nil }
      return lineHash(UnsafeRawBufferPointer(rebasing: bytes[known]), values: values)
    }
  }

  /// The line as a proof shows it: without the seed, and without the parts that its leaf does not
  /// cover.
  package var shown: [UInt8] {
    var text = Array(line[prefix])
    for key in [#","seed":""#, #","salt":""#] as [StaticString] {
      guard let start = firstRange(of: key, in: text) else { continue }
      let end = text[start.upperBound...].firstIndex(of: UInt8(ascii: "\"")) ?? text.count - 1
      text.removeSubrange(start.lowerBound...end)
    }
    text.append(UInt8(ascii: ","))
    text += line[known]
    if valuesDigest == nil { text += line[values] }
    return text + [UInt8(ascii: "}")]
  }
}

/// The first position of a text, which must begin with a comma.
func firstRange(of text: StaticString, in bytes: [UInt8], before end: Int? = nil) -> Range<Int>? {
  firstRange(of: CollectionOfOne(text), in: bytes, before: end)
}

/// The first position of any of these texts, each of which must begin with a comma.
private func firstRange(
  of texts: some Collection<StaticString>,
  in bytes: [UInt8],
  after start: Int = 0,
  before end: Int? = nil
) -> Range<Int>? {
  bytes.withUnsafeBytes { bytes in
    guard let base = bytes.baseAddress else { return nil }
    var place = start
    let count = end ?? bytes.count
    while let found = memchr(base + place, Int32(UInt8(ascii: ",")), count - place) {
      place = UnsafeRawPointer(found) - base
      for text in texts
      where text.utf8CodeUnitCount <= count - place
        && memcmp(base + place, text.utf8Start, text.utf8CodeUnitCount) == 0
      {
        return place..<place + text.utf8CodeUnitCount
      }
      place += 1
    }
    return nil
  }
}
