/// The value of a property as canonical text, with its notes.
package struct EncodedValue: Hashable {
  package var json: [UInt8]
  /// The name of a special value, as a JSON string.
  package var special: [UInt8] = []
  /// The ``LargeReference`` of a large value, as a JSON object.
  package var large: [UInt8] = []

  package init(json: [UInt8]) { self.json = json }

  /// A value that is stored under its digest.
  package init(large reference: LargeReference) {
    self = .null
    large = reference.json
  }

  /// A value that has only a note, such as `erased`.
  package init(note: String) {
    self = .null
    appendJSONString(note, to: &special)
  }

  /// A large value of type `any`: a reference to its digest, and a text with only its storage
  /// class, such as `blob:`.
  package init(large reference: LargeReference, spelling value: Value) {
    switch value {
    case .blob: self = Self.largeForms[1]
    case .brokenText: self = Self.largeForms[2]
    default: self = Self.largeForms[0]
    }
    large = reference.json
  }

  /// The texts of large values of type `any`: text, blob, and text that is not UTF-8.
  static let largeForms = ["text:", "blob:", "text64:"].map {
    EncodedValue(json: Array("\"\($0)\"".utf8))
  }

  package static let null = EncodedValue(json: Array("null".utf8))

  package static let erased = EncodedValue(note: SpecialValue.erasedName)

  package static let unknown = EncodedValue(note: SpecialValue.unknownName)

  package static let missing = EncodedValue(note: SpecialValue.missingName)

  /// Whether the value is a list of links, which contains only ids.
  package var isLinks: Bool { json.first == UInt8(ascii: "[") }

  /// Whether nobody knows the value: it was erased, or the history of the origin does not have it.
  package var isUnknown: Bool { Self.unknownNotes.contains(special) }

  static let unknownNotes = [Self.erased.special, Self.unknown.special]

  /// Whether the file of a large value was missing when the change was written.
  package var isMissing: Bool { special == Self.missing.special }

  /// The name of the special value; nil if the value is not special.
  package var specialName: String? { special.withUnsafeBytes { parseJSONString($0) } }
}

/// The reference to a large value in a change: `{"sha256":"…","size":…}`.
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
