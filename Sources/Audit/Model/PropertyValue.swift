import Changes
import Store

/// A value as history has it: canonical JSON, and beside it what JSON can't show.
package struct PropertyValue: Hashable, Sendable {
  /// The canonical text of the value; null where one of the others stands for it.
  package var json: [UInt8]
  /// The name of what the declared type's encoding can't show, such as `nan` or `erased`.
  package var special: String?
  /// What stands for a value that is too large for a line: its SHA-256 and its size.
  package var large: [UInt8]?

  package init(json: [UInt8], special: String? = nil, large: [UInt8]? = nil) {
    self.json = json
    self.special = special
    self.large = large
  }

  /// Whether the value was erased from history, so that nobody knows it.
  package var isErased: Bool { special == SpecialValue.erasedName }

  /// The text of a string, without quotes and escapes; nil for another value.
  package var text: String? { json.withUnsafeBytes { parseJSONString($0) } }

  /// The objects that a to-one relationship or a list of links leads to; empty for attributes.
  package var links: [Link] {
    switch json.first {
    case UInt8(ascii: "{"): return Link(json).map { [$0] } ?? []
    case UInt8(ascii: "["): return CanonicalText(json).elements.compactMap { Link($0) }
    default: return []
    }
  }

  /// One object that a relationship leads to.
  package struct Link: Hashable, Sendable {
    /// The name of the object's entity.
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
