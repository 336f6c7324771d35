/// The table of pairs for a many-to-many relationship.
package struct JoinTable: Sendable {
  package let name: String
  /// The entity with the relationship that the table is named for.
  ///
  /// History records the links as changes of its objects, so that each link is recorded once.
  package let owner: EntityIndex
  /// The index of that relationship in the owner's ``Entity/relationships``.
  package let relationship: Int
  /// The entity on the other side.
  package let destination: EntityIndex
  /// The column with the owner's id.
  package let firstColumn: String
  /// The column with the other id.
  package let secondColumn: String
  /// The owner's table, quoted.
  package let firstTable: String
  /// The destination's table, quoted.
  package let secondTable: String

  /// The name of the links in history and logs.
  package func logName(_ layouts: [EntityLayout]) -> String {
    let name = layouts[owner].entity.relationships[relationship].name
    return layouts[owner].linkNames[name] ?? name
  }
}

/// The join tables, each from its alphabetically first side, sorted by name.
package func joinTables(among layouts: [EntityLayout]) -> [JoinTable] {
  var result: [String: JoinTable] = [:]
  // Entities are sorted by name, so the first side is found first. A parent may follow its heirs,
  // so inherited relationships are skipped.
  for layout in layouts {
    let parent = layout.ancestors.first.map { layouts[$0].entity }
    let positions = layout.entity.relationships.indices.sorted {
      layout.entity.relationships[$0].name < layout.entity.relationships[$1].name
    }
    for position in positions {
      let relationship = layout.entity.relationships[position]
      guard case .joinTable(let name, let source, let target) = relationship.storage,
        result[name] == nil,
        parent?.relationships.contains(where: { $0.name == relationship.name }) != true,
        let destination = layouts.first(where: { $0.entity.name == relationship.destination })
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
