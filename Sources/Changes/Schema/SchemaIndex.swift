/// The index of a part of a schema in the array that has all of its kind, such as all entities.
///
/// Every array that has one element for each of them has a subscript for it.
@usableFromInline
package struct SchemaIndex<Part>: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
  @usableFromInline package let number: Int

  @inlinable package init(_ number: Int) { self.number = number }
  @inlinable package init(integerLiteral number: Int) { self.number = number }
  @inlinable package static func == (one: Self, other: Self) -> Bool { one.number == other.number }
  @inlinable package static func < (one: Self, other: Self) -> Bool { one.number < other.number }
  @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// The index of an entity in ``StoreSchema/entities``, which is the order of layouts and tables too.
package typealias EntityIndex = SchemaIndex<EntityLayout>
/// The index of a column in ``EntityLayout/columns``, which is the order of a row's values too.
package typealias ColumnIndex = SchemaIndex<EntityLayout.Column>
/// The index of a join table in ``StoreSchema/joinTables(_:)``.
package typealias JoinIndex = SchemaIndex<JoinTable>

extension Array {
  @inlinable package subscript<Part>(index: SchemaIndex<Part>) -> Element {
    get { self[index.number] }
    _modify { yield &self[index.number] }
  }

  /// The indexes of the elements that meet a condition.
  package func indexes<Part>(where condition: (Element) -> Bool) -> [SchemaIndex<Part>] {
    indices.filter { condition(self[$0]) }.map { SchemaIndex($0) }
  }
}
