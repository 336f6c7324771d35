/// A property's value as canonical text, with what that can't show beside it.
package struct EncodedValue: Hashable {
  package var json: [UInt8]
  /// The name of a special value, as a JSON string.
  package var special: [UInt8] = []
  /// A ``LargeReference``, as a JSON object.
  package var large: [UInt8] = []

  package init(json: [UInt8]) { self.json = json }

  /// A value that is stored under its digest.
  package init(large reference: LargeReference) {
    self = .null
    large = reference.json
  }

  /// A value of which only a note is left, such as that it was erased.
  package init(note: String) {
    self = .null
    appendJSONString(note, to: &special)
  }

  package static let null = EncodedValue(json: Array("null".utf8))

  /// A value that is not known any more.
  package static let erased = EncodedValue(note: SpecialValue.erasedName)

  package static let missing = EncodedValue(note: SpecialValue.missingName)

  /// Whether the value is a list of links, which names objects and holds no value.
  package var isLinks: Bool { json.first == UInt8(ascii: "[") }

  /// Whether the file of a large value was gone when the change was written.
  package var isMissing: Bool { special == Self.missing.special }

  /// The name of the special value; nil if there is none.
  package var specialName: String? { special.withUnsafeBytes { parseJSONString($0) } }
}

/// What a change has in place of a large value: `{"sha256":"…","size":…}`.
package struct LargeReference: Hashable, Sendable {
  package let digest: String
  package let size: Int64

  package init(digest: String, size: Int64) {
    self.digest = digest
    self.size = size
  }

  package init?(_ json: [UInt8]) {
    let parts = CanonicalText(json).members
    guard parts.count == 2, let digest = parts[0].value.withUnsafeBytes({ parseJSONString($0) }),
      let size = parts[1].value.withUnsafeBytes({ parseInteger($0) })
    else { return nil }
    self.init(digest: digest, size: size)
  }

  package var json: [UInt8] { Array(#"{"sha256":"\#(digest)","size":\#(size)}"#.utf8) }
}
