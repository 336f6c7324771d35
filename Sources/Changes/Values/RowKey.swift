/// Names one row: the index of its entity in the schema, and its id.
package struct RowKey: Hashable, Sendable {
  /// The index in ``StoreSchema/entities``.
  package let entity: Int
  /// The id in the entity's table.
  package let id: Int64

  /// Makes a key.
  package init(entity: Int, id: Int64) {
    self.entity = entity
    self.id = id
  }
}
