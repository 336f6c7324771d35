import Format

/// Where an old store contains the links of a relationship, as pairs of an owner and a target.
struct LinkSource: Hashable, Sendable {
  /// The quoted name of the table with the links.
  var table: String
  /// The quoted name of the column with the owners' ids.
  var source: String
  /// The quoted name of the column with the targets' ids.
  var target: String
  /// The SQL conditions of the rows that are links.
  var conditions: [String]

  /// The links as the inverse relationship has them, with owners and targets exchanged.
  var reversed: LinkSource {
    LinkSource(table: table, source: target, target: source, conditions: conditions)
  }

  var pairs: String {
    let filter = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
    return "SELECT \(source) AS \"source\", \(target) AS \"target\" FROM \(table)\(filter)"
  }
}

extension SchemaMapping {
  /// The place of a new relationship's links in the old store; nil if the old store has no such
  /// links.
  ///
  /// The new relationship can be the inverse of an old relationship.
  func links(of relationship: Relationship, in entity: EntityIndex) -> LinkSource? {
    guard let origin = linkOrigin(of: relationship, in: entity) else { return nil }
    let links = linkSource(of: origin.relationship, in: origin.entity)
    return origin.isReversed ? links?.reversed : links
  }

  /// The old relationship from which a new relationship gets its links.
  ///
  /// `isReversed` is whether the old relationship becomes the inverse of the new one.
  func linkOrigin(
    of relationship: Relationship,
    in entity: EntityIndex
  ) -> (relationship: Relationship, entity: EntityIndex, isReversed: Bool)? {
    if let owner = sources[entity], let old = source(of: relationship, in: entity) {
      return (old, owner, false)
    }
    guard let inverseName = relationship.inverse,
      let destination = to.index(of: relationship.destination),
      let owner = sources[destination],
      let inverse = to.entities[destination].relationships.first(where: {
        $0.name == inverseName
      }),
      let old = source(of: inverse, in: destination)
    else { return nil }
    return (old, owner, true)
  }

  /// The SQL condition that a column refers to a row of a removed entity of a family; nil unless
  /// the family shares a table and loses an entity.
  ///
  /// A link to a removed object becomes null. Any other link to a missing object prevents the
  /// migration.
  func isLost(_ column: String, of family: EntityLayout) -> String? {
    let names = family.family.filter { removed.contains($0) }.map { from.entities[$0].name }
    guard !names.isEmpty, family.sharesTable else { return nil }
    if areRemovalsDone { return "\(column) NOT IN (SELECT \"id\" FROM \(family.table))" }
    return "\(column) IN (SELECT \"id\" FROM \(family.table)"
      + " WHERE \"_entity\" IN (\(names.map { literal($0) }.joined(separator: ", "))))"
  }

  private func linkSource(of old: Relationship, in entity: EntityIndex) -> LinkSource? {
    let owner = oldLayouts[entity]
    guard let destination = oldLayouts.first(where: { $0.entity.name == old.destination }) else {
      return nil
    }
    var result: LinkSource
    switch old.storage {
    case .column(let column):
      result = LinkSource(
        table: owner.table,
        source: "\"id\"",
        target: quoted(column),
        conditions: ["\(quoted(column)) IS NOT NULL"] + (owner.condition.map { [$0] } ?? [])
      )
    case .inverseColumn(let column):
      result = LinkSource(
        table: destination.table,
        source: quoted(column),
        target: "\"id\"",
        conditions: ["\(quoted(column)) IS NOT NULL"] + (destination.condition.map { [$0] } ?? [])
      )
    case .joinTable(let table, let source, let target):
      result = LinkSource(
        table: quoted(table),
        source: quoted(source),
        target: quoted(target),
        conditions: []
      )
    }
    for (column, family) in [(result.source, owner), (result.target, destination)] {
      if let isLost = isLost(column, of: family) { result.conditions.append("NOT (\(isLost))") }
    }
    return result
  }
}
