import Format

/// A value of a property list with everything in it.
package indirect enum PropertyValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case real(Double)
  /// Seconds since 2001.
  case date(Double)
  case data([UInt8])
  case text(String)
  case array([PropertyValue])
  case dictionary([String: PropertyValue])

  package subscript(key: String) -> PropertyValue? {
    guard case .dictionary(let members) = self else { return nil }
    return members[key]
  }

  package var text: String? { if case .text(let text) = self { text } else { nil } }
  package var data: [UInt8]? { if case .data(let data) = self { data } else { nil } }

  package var integer: Int64? {
    switch self {
    case .integer(let integer): integer
    case .bool(let isTrue): isTrue ? 1 : 0
    default: nil
    }
  }
}

extension PropertyList {
  /// The most memory that a tree takes, roughly, in bytes.
  private static let treeLimit = 64 << 20
  private static let deepest = 64

  /// All entries as one tree, in which an entry that is used twice occurs twice.
  ///
  /// References to the objects of a keyed archive are integers here.
  package func tree() throws(StoreError) -> PropertyValue {
    var room = Self.treeLimit
    return try tree(top, depth: 0, room: &room)
  }

  private func tree(
    _ index: Int,
    depth: Int,
    room: inout Int
  ) throws(StoreError) -> PropertyValue {
    // A cycle is a tree without an end, and ends here too.
    guard depth < Self.deepest else { throw damaged(name, "its entries contain each other") }
    let node = try node(index)
    // Estimated: an element of an array, or a member of a dictionary.
    room -= 128
    switch node {
    case .data(let range), .ascii(let range), .utf16(let range): room -= 2 * range.count
    default: break
    }
    guard room >= 0 else { throw tooLarge(name) }
    switch node {
    case .null: return .null
    case .bool(let isTrue): return .bool(isTrue)
    case .integer(let integer): return .integer(integer)
    case .real(let real): return .real(real)
    case .date(let date): return .date(date)
    case .data(let range): return .data(Array(bytes[range]))
    case .ascii, .utf16: return .text(text(node) ?? "")
    case .object(let number): return .integer(Int64(number))
    case .array(let elements):
      var result: [PropertyValue] = []
      for position in 0..<elements.count {
        result.append(try tree(entry(position, of: elements), depth: depth + 1, room: &room))
      }
      return .array(result)
    case .dictionary(let keys, let values):
      var result: [String: PropertyValue] = [:]
      for position in 0..<keys.count {
        let key = try tree(entry(position, of: keys), depth: depth + 1, room: &room)
        guard let key = key.text else { throw damaged(name, "a key is not a text") }
        result[key] = try tree(entry(position, of: values), depth: depth + 1, room: &room)
      }
      return .dictionary(result)
    }
  }
}
