import Format

/// A value in a history: canonical JSON, or a note if JSON can't represent the value.
package struct PropertyValue: Hashable, Sendable {
  /// The canonical JSON; null if ``special`` or ``large`` describes the value.
  package var json: [UInt8]
  /// The name of a special value, such as `nan` or `erased`.
  package var special: String?
  /// The SHA-256 and the size of a value that is too large for a line.
  package var large: [UInt8]?
  /// Whether the JSON is a text that begins with SQLite's storage class, such as `integer:7` in
  /// adopted files.
  package var isSpelled = false

  package init(json: [UInt8], special: String? = nil, large: [UInt8]? = nil) {
    self.json = json
    self.special = special
    self.large = large
  }

  package var isErased: Bool { special == SpecialValue.erasedName }

  /// Whether the history of the origin does not have the value.
  package var isUnknown: Bool { special == SpecialValue.unknownName }

  /// The text of a string, without quotes and escapes; nil if the value is not a string.
  package var text: String? { json.withUnsafeBytes { parseJSONString($0) } }

  /// The targets of a relationship; empty for an attribute.
  package var links: [Link] {
    switch json.first {
    case UInt8(ascii: "{"): return Link(json).map { [$0] } ?? []
    case UInt8(ascii: "["): return CanonicalText(json).elements.compactMap { Link($0) }
    default: return []
    }
  }

  package struct Link: Hashable, Sendable {
    package var entity: String
    package var id: Int64

    init?(_ json: [UInt8]) {
      let parts = CanonicalText(json).members
      guard parts.map({ memberName($0.key) }) == ["entity", "id"],
        let entity = parts[0].value.withUnsafeBytes({ parseJSONString($0) }),
        let id = parts[1].value.withUnsafeBytes({ parseJSONString($0) }).flatMap({ Int64($0) })
      else { return nil }
      self.entity = entity
      self.id = id
    }
  }
}
