/// The table of pairs for a many-to-many relationship.
package struct JoinTable: Sendable {
  package let name: String
  /// The entity that has the relationship after which the table is named.
  ///
  /// History records each link once, as a change of the owner's object.
  package let owner: EntityIndex
  /// The index of the relationship in the owner's ``Entity/relationships``.
  package let relationship: Int
  package let destination: EntityIndex
  /// The column with the id of the owner.
  package let firstColumn: String
  /// The column with the id of the destination.
  package let secondColumn: String
  /// The quoted name of the owner's table.
  package let firstTable: String
  /// The quoted name of the destination's table.
  package let secondTable: String

  package func logName(_ layouts: [EntityLayout]) -> String {
    let name = layouts[owner].entity.relationships[relationship].name
    return layouts[owner].linkNames[name] ?? name
  }
}

/// The join tables, sorted by name.
///
/// The owner of a join table is the entity whose name is alphabetically first.
package func joinTables(among layouts: [EntityLayout]) -> [JoinTable] {
  var result: [String: JoinTable] = [:]
  let places = Dictionary(
    layouts.map { ($0.entity.name, $0) },
    uniquingKeysWith: { first, _ in first }
  )
  // Entities are sorted by name, so the owner is found first. Inherited relationships are skipped.
  // Otherwise an entity that is sorted before its parent could become the owner instead of the
  // parent.
  for layout in layouts {
    let parent = layout.ancestors.first.map { layouts[$0].entity }
    let inherited = Set((parent?.relationships ?? []).lazy.map(\.name))
    let positions = layout.entity.relationships.indices.sorted {
      layout.entity.relationships[$0].name < layout.entity.relationships[$1].name
    }
    for position in positions {
      let relationship = layout.entity.relationships[position]
      guard case .joinTable(let name, let source, let target) = relationship.storage,
        result[name] == nil,
        !inherited.contains(relationship.name),
        let destination = places[relationship.destination]
      else { continue }
      result[name] = JoinTable(
        name: name,
        owner: layout.index,
        relationship: position,
        destination: destination.index,
        firstColumn: source,
        secondColumn: target,
        firstTable: layout.table,
        secondTable: destination.table
      )
    }
  }
  return result.values.sorted { $0.name < $1.name }
}
