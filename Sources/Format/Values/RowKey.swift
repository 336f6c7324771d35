/// The identity of a row: its entity, and its id in the entity's table.
package struct RowKey: Hashable, Comparable, Sendable {
  package let entity: EntityIndex
  package let id: ObjectID

  package init(entity: EntityIndex, id: ObjectID) {
    self.entity = entity
    self.id = id
  }

  package static func < (left: RowKey, right: RowKey) -> Bool {
    (left.entity, left.id) < (right.entity, right.id)
  }
}

/// The id of an object: an integer, or the name of a row of an adopted table.
///
/// In a store every id is an integer, which needs no memory and no reference counting. Only code
/// that reads or writes SQL or canonical text uses ``integer``.
@usableFromInline
package struct ObjectID: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
  /// The id as an integer; zero if the id is a name.
  @usableFromInline package let integer: Int64
  @usableFromInline let name: Name?

  /// The text of a name, which is an id that is not an integer.
  @usableFromInline
  final class Name: Sendable {
    let text: String

    init(_ text: String) { self.text = text }
  }

  @inlinable
  package init(_ integer: Int64) {
    self.integer = integer
    name = nil
  }

  @inlinable package init(integerLiteral integer: Int64) { self.init(integer) }

  package init(_ row: RowName) {
    let number = row.bytes.withUnsafeBytes { parseInteger($0) }
    integer = number ?? 0
    name = number == nil ? Name(row.description) : nil
  }

  /// The canonical text of a name; nil for an integer.
  package var text: String? { name?.text }

  @inlinable
  package static func == (one: Self, other: Self) -> Bool {
    one.integer == other.integer && (one.name === other.name || one.hasSameName(as: other))
  }

  @usableFromInline
  func hasSameName(as other: Self) -> Bool {
    guard let left = name, let right = other.name else { return false }
    return hasSameBytes(left.text, right.text)
  }

  @usableFromInline
  package func hash(into hasher: inout Hasher) {
    hasher.combine(integer)
    // Equal names have the same bytes, and a `String` with the same bytes has the same hash.
    if let name { hasher.combine(name.text) }
  }

  @inlinable
  package static func < (one: Self, other: Self) -> Bool {
    guard one.name == nil, other.name == nil else { return one.precedes(other) }
    return one.integer < other.integer
  }

  @usableFromInline
  func precedes(_ other: Self) -> Bool {
    description.utf8.lexicographicallyPrecedes(other.description.utf8)
  }
}

extension ObjectID: Codable {
  /// Reads an id: a number, or the text of a name.
  @usableFromInline
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let integer = try? container.decode(Int64.self) {
      self.init(integer)
      return
    }
    var text = try container.decode(String.self)
    guard let name = text.withUTF8({ RowName(canonical: UnsafeRawBufferPointer($0)) }) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "'\(text)' is not the text of a key"
      )
    }
    self.init(name)
  }

  @usableFromInline
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let text { try container.encode(text) } else { try container.encode(integer) }
  }
}

extension ObjectID: CustomStringConvertible {
  @usableFromInline package var description: String { text ?? String(integer) }
}
