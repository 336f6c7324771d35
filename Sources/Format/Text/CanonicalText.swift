/// The text of a canonical JSON object or list, which can be split without decoding it.
///
/// The text must be canonical: the code recognizes only strings and nesting, and checks nothing
/// else.
package struct CanonicalText {
  private let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = Array(bytes) }

  /// The properties of an object: each key with quotes and colon, and the text of its value.
  package var members: [(key: [UInt8], value: [UInt8])] {
    var result: [(key: [UInt8], value: [UInt8])] = []
    forEachPart(after: UInt8(ascii: "{")) { part in
      let colon = endOfString(in: part, from: 1) + 1
      guard colon < part.count else { return }
      result.append((Array(part[...colon]), Array(part[(colon + 1)...])))
    }
    return result
  }

  package var elements: [[UInt8]] {
    var result: [[UInt8]] = []
    forEachPart(after: UInt8(ascii: "[")) { result.append(Array($0)) }
    return result
  }

  /// The text of the value under a key of the object; nil if the object does not have the key.
  package func value(of name: String) -> [UInt8]? {
    let key = memberKey(name)
    return members.first { $0.key == key }?.value
  }

  private func forEachPart(after opening: UInt8, _ body: (UnsafeRawBufferPointer) -> Void) {
    guard bytes.first == opening else { return }
    bytes.withUnsafeBytes { text in
      var start = 1
      while start < text.count {
        let end = endOfValue(in: text, from: start)
        guard end > start, end < text.count else { return }
        body(UnsafeRawBufferPointer(rebasing: text[start..<end]))
        start = end + 1
      }
    }
  }
}

/// Calls the closure with the properties of a canonical object, without copying them: each key with
/// quotes and colon, and the text of its value.
package func forEachMember(
  of object: UnsafeRawBufferPointer,
  _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Void
) rethrows {
  var start = 1
  while start < object.count {
    let colon = endOfString(in: object, from: start + 1) + 1
    guard colon < object.count else { return }
    let end = endOfValue(in: object, from: colon + 1)
    guard end > colon + 1, end < object.count else { return }
    try body(
      UnsafeRawBufferPointer(rebasing: object[start...colon]),
      UnsafeRawBufferPointer(rebasing: object[colon + 1..<end])
    )
    start = end + 1
  }
}

/// The text of the value with the given key; nil if the object does not have the key.
package func memberValue(
  of key: [UInt8],
  in object: UnsafeRawBufferPointer
) -> UnsafeRawBufferPointer? {
  var start = 1
  while start < object.count {
    let end = endOfValue(in: object, from: start)
    guard end > start, end < object.count else { return nil }
    if end - start > key.count,
      UnsafeRawBufferPointer(rebasing: object[start..<start + key.count]).elementsEqual(key)
    {
      return UnsafeRawBufferPointer(rebasing: object[start + key.count..<end])
    }
    start = end + 1
  }
  return nil
}

/// A name as a JSON key, with quotes and a colon.
package func memberKey(_ name: String) -> [UInt8] {
  var key: [UInt8] = []
  appendJSONString(name, to: &key)
  return key + [UInt8(ascii: ":")]
}

/// The name in a JSON key; nil if the text is not a key.
package func memberName(_ key: [UInt8]) -> String? {
  key.dropLast().withUnsafeBytes { parseJSONString($0) }
}
