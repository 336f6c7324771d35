import Format
import Store

// After batch deletions, delete rules also apply to objects that are not in memory.
extension PendingOverlay {
  /// Lists all rows that the store's delete rules will delete because of rows that are already
  /// listed.
  func loseWhatFollows(_ schema: StoreSchema) throws {
    for table in Set(schema.entities.map(\.table)) where gone(table) != nil {
      try run("DELETE FROM temp.\(name("gone", of: table)) WHERE follows")
    }
    // The loop runs once for each step of the longest chain of delete rules.
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for entity in schema.entities where gone(entity.table) != nil {
        for relationship in entity.relationships where relationship.deleteRule == .cascade {
          guard let destination = schema[relationship.destination] else { continue }
          try prepareLoss(of: destination.table)
          try run(
            "INSERT OR IGNORE INTO temp.\(name("gone", of: destination.table)) "
              + "SELECT found, 1 FROM (\(targets(of: relationship, entity: entity, destination: destination.table))) "
              + "WHERE found IS NOT NULL"
          )
          if connection.changes > 0 { isGrowing = true }
        }
      }
    }
  }

  private func targets(
    of relationship: StoredRelationship,
    entity: StoredEntity,
    destination: String
  ) -> String {
    let table = entity.table
    var owners = "SELECT id FROM temp.\(name("gone", of: table))"
    if entity.sharesTable {
      let isKind = "\"_entity\" = '\(entity.name)'"
      owners = "SELECT id FROM \(quoted(table)) WHERE \(isKind) AND id IN (\(owners))"
    }
    switch relationship.storage {
    case .column(let column):
      return "SELECT \(quoted(column)) AS found FROM \(quoted(table)) WHERE id IN (\(owners))"
    case .inverseColumn(let column):
      return
        "SELECT id AS found FROM \(source(destination)) WHERE \(quoted(column)) IN (\(owners))"
    case .joinTable(let join, let from, let to):
      return
        "SELECT \(quoted(to)) AS found FROM \(source(join)) WHERE \(quoted(from)) IN (\(owners))"
    }
  }
}
