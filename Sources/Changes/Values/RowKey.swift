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

/// The id of a row in its table.
///
/// Only code that binds or reads SQL, or writes or reads canonical text, uses its
/// ``integer``.
@usableFromInline
package struct ObjectID: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
  @usableFromInline package let integer: Int64

  @inlinable package init(_ integer: Int64) { self.integer = integer }
  @inlinable package init(integerLiteral integer: Int64) { self.integer = integer }
  @inlinable
  package static func == (one: Self, other: Self) -> Bool { one.integer == other.integer }
  @inlinable
  package static func < (one: Self, other: Self) -> Bool { one.integer < other.integer }
}

extension ObjectID: CustomStringConvertible {
  @usableFromInline package var description: String { String(integer) }
}
