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

  /// Makes a value.
  package init(json: [UInt8], special: String? = nil, large: [UInt8]? = nil) {
    self.json = json
    self.special = special
    self.large = large
  }

  /// True where the value was erased from history, so that nobody knows it.
  package var isErased: Bool { special == SpecialValue.erasedName }

  /// The text of a string, without quotes and escapes; nil for another value.
  package var text: String? { json.withUnsafeBytes { parseJSONString($0) } }

  /// The objects that a to-one relationship or a list of links leads to; empty for attributes.
  package var links: [Link] {
    switch json.first {
    case UInt8(ascii: "{"): return Link(json).map { [$0] } ?? []
    case UInt8(ascii: "["): return elements(of: json).compactMap { Link($0) }
    default: return []
    }
  }

  /// One object that a relationship leads to.
  package struct Link: Hashable, Sendable {
    /// The name of the object's entity.
    package var entity: String
    /// The object's id.
    package var id: Int64

    init?(_ json: [UInt8]) {
      var entity: String?
      var id: Int64?
      for member in members(of: json) {
        switch String(decoding: member.key, as: UTF8.self) {
        case #""entity":"#: entity = member.value.withUnsafeBytes { parseJSONString($0) }
        case #""id":"#:
          id = Int64(String(decoding: member.value.dropFirst().dropLast(), as: UTF8.self))
        default: return nil
        }
      }
      guard let entity, let id else { return nil }
      self.entity = entity
      self.id = id
    }
  }
}
