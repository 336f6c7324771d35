/// The index of a part of a schema, such as an entity, in the array of all such parts.
///
/// An array with one element for each part has a subscript that takes this index.
@usableFromInline
package struct SchemaIndex<Part>: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
  @usableFromInline package let number: Int

  @inlinable package init(_ number: Int) { self.number = number }
  @inlinable package init(integerLiteral number: Int) { self.number = number }
  @inlinable package static func == (one: Self, other: Self) -> Bool { one.number == other.number }
  @inlinable package static func < (one: Self, other: Self) -> Bool { one.number < other.number }
  @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// The index of an entity in ``StoreSchema/entities``, and of its layout and its table.
package typealias EntityIndex = SchemaIndex<EntityLayout>
/// The index of a column in ``EntityLayout/columns``, and of its value in a row.
package typealias ColumnIndex = SchemaIndex<EntityLayout.Column>
/// The index of a join table in ``StoreSchema/joinTables(_:)``.
package typealias JoinIndex = SchemaIndex<JoinTable>

extension Array {
  @inlinable package subscript<Part>(index: SchemaIndex<Part>) -> Element {
    get { self[index.number] }
    _modify { yield &self[index.number] }
  }

  package func indexes<Part>(where condition: (Element) -> Bool) -> [SchemaIndex<Part>] {
    indices.filter { condition(self[$0]) }.map { SchemaIndex($0) }
  }
}
