import Format

/// The relationships whose links a migration moved, and where their links are in each schema.
///
/// A migration moves links from a column to a table of links, or to the other side of the
/// relationship. It can also remove links together with their objects. No change in history lists
/// such links.
struct MovedLinks {
  /// A to-one relationship with a column, or a many-to-many relationship of the owner of its links.
  ///
  /// The holder of a link is the object whose changes contain the link.
  fileprivate struct Place: Hashable {
    /// The topmost entity that has the relationship.
    let entity: EntityIndex
    let relationship: String
    /// Whether the links are in a table of links, and not in a column.
    let isList: Bool
  }

  /// Where the links of a relationship are in the present schema.
  struct Move: Hashable {
    /// The number of the present relationship.
    let place: Int
    /// Whether the holder of the link is the target of the present link.
    let isReversed: Bool
  }

  /// The moved links of the objects of an entity.
  struct Holder {
    struct Links {
      let isList: Bool
      let moves: [Move]
    }

    /// The links in the changes of the objects, by JSON key.
    fileprivate(set) var links: [[UInt8]: Links] = [:]
    /// The links that refer to the objects.
    fileprivate(set) var incoming: [Move] = []
  }

  /// A relationship of a later schema that has the links of an earlier relationship.
  private struct Path: Hashable {
    let place: Place
    let isReversed: Bool
    /// Whether the links have been in the same column or table of links all the time.
    let isPlain: Bool
  }

  /// For each schema, the holders by the name of their entity.
  private let holders: [[[UInt8]: Holder]]

  /// Follows the relationships through the schemas, which are ordered from the oldest to the newest.
  init(_ schemas: [StoreSchema]) throws {
    let layouts = try schemas.map { try $0.layouts() }
    guard let present = layouts.last else {
      holders = []
      return
    }
    var paths: [Place: [Path]] = [:]
    for place in places(in: present) {
      paths[place] = [Path(place: place, isReversed: false, isPlain: true)]
    }
    var all = [paths]
    var moved: Set<Place> = []
    for (old, new) in zip(schemas, schemas.dropFirst()).reversed() {
      let mapping = try SchemaMapping(from: old, to: new)
      var earlier: [Place: [Path]] = [:]
      for (place, ends) in paths {
        if mapping.mayLoseLinks(at: place) { moved.formUnion(ends.map(\.place)) }
        for (origin, isReversed) in mapping.origins(of: place) {
          for end in ends {
            let path = Path(
              place: end.place,
              isReversed: isReversed != end.isReversed,
              isPlain: end.isPlain && !isReversed && origin.isList == place.isList
            )
            if earlier[origin]?.contains(path) != true { earlier[origin, default: []].append(path) }
            if !path.isPlain { moved.insert(path.place) }
          }
        }
      }
      paths = earlier
      all.insert(earlier, at: 0)
    }
    let numbers = Dictionary(uniqueKeysWithValues: zip(moved, 0...))
    holders = zip(layouts, all).map { layouts, paths in
      Self.holders(layouts, paths: paths, numbers: numbers)
    }
  }

  private static func holders(
    _ layouts: [EntityLayout],
    paths: [Place: [Path]],
    numbers: [Place: Int]
  ) -> [[UInt8]: Holder] {
    var result: [[UInt8]: Holder] = [:]
    let joins = joinTables(among: layouts)
    for (place, ends) in paths {
      let moves = ends.compactMap { end in
        numbers[end.place].map { Move(place: $0, isReversed: end.isReversed) }
      }
      guard !moves.isEmpty else { continue }
      for index in layouts[place.entity].family {
        let layout = layouts[index]
        guard let name = layout.logName(of: place, joins: joins, layouts: layouts) else { continue }
        result[Array(layout.entity.name.utf8), default: Holder()].links[memberKey(name)] =
          Holder.Links(isList: place.isList, moves: moves)
      }
      let relationship = layouts[place.entity].entity.relationships.first {
        $0.name == place.relationship
      }
      let destination = layouts.first { $0.entity.name == relationship?.destination }
      for index in destination?.family ?? [] {
        result[Array(layouts[index].entity.name.utf8), default: Holder()].incoming += moves
      }
    }
    return result
  }

  /// The holder of an entity in a schema; nil if the entity's objects have no moved links.
  func holder(_ entity: some Collection<UInt8>, schema: Int) -> Holder? {
    // An adopted file has no relationships, so it has no lists.
    guard holders.indices.contains(schema), !holders[schema].isEmpty else { return nil }
    return holders[schema][Array(entity)]
  }

  /// The numbers of the relationships of an entity in the present schema, by JSON key.
  func present(_ entity: String) -> [[UInt8]: Int] {
    holders.last?[Array(entity.utf8)]?.links.compactMapValues { $0.moves.first?.place } ?? [:]
  }
}

private func places(in layouts: [EntityLayout]) -> Set<MovedLinks.Place> {
  var result: Set<MovedLinks.Place> = []
  for layout in layouts {
    for column in layout.columns where column.destination != nil {
      result.insert(column.property.place(of: layout, layouts: layouts))
    }
  }
  for join in joinTables(among: layouts) { result.insert(join.place(layouts)) }
  return result
}

extension String {
  /// The place of the to-one relationship with this name.
  fileprivate func place(
    of layout: EntityLayout,
    layouts: [EntityLayout]
  ) -> MovedLinks.Place {
    let top = layout.ancestors.last { layouts[$0].column(of: self) != nil }
    return MovedLinks.Place(entity: top ?? layout.index, relationship: self, isList: false)
  }
}

extension JoinTable {
  fileprivate func place(_ layouts: [EntityLayout]) -> MovedLinks.Place {
    let name = layouts[owner].entity.relationships[relationship].name
    return MovedLinks.Place(entity: owner, relationship: name, isList: true)
  }
}

extension EntityLayout {
  /// The name of a relationship in the changes of this entity's objects.
  fileprivate func logName(
    of place: MovedLinks.Place,
    joins: [JoinTable],
    layouts: [EntityLayout]
  ) -> String? {
    guard place.isList else {
      return column(of: place.relationship).map { columns[$0].logName }
    }
    return joins.first { $0.place(layouts) == place }?.logName(layouts)
  }
}

extension SchemaMapping {
  /// Whether links disappear because a migration removes their objects, or begin with a new entity.
  fileprivate func mayLoseLinks(at place: MovedLinks.Place) -> Bool {
    guard place.isList,
      let join = joinTables(among: newLayouts).first(where: {
        $0.place(newLayouts) == place
      })
    else { return false }
    return [join.owner, join.destination].contains { index in
      guard let source = sources[index] else { return true }
      return isLost("", of: oldLayouts[source]) != nil
    }
  }

  /// The old relationships from which a new relationship gets its links.
  ///
  /// `isReversed` is whether the holder of the old links is the target of the new links.
  fileprivate func origins(
    of place: MovedLinks.Place
  ) -> [(place: MovedLinks.Place, isReversed: Bool)] {
    var result: [(place: MovedLinks.Place, isReversed: Bool)] = []
    // Columns are filled for each entity. A table of links is filled only for its owner.
    for index in place.isList ? [place.entity] : newLayouts[place.entity].family {
      let relationship = to.entities[index].relationships.first { $0.name == place.relationship }
      guard let relationship, let origin = linkOrigin(of: relationship, in: index),
        let (old, isReversed) = holder(of: origin.relationship, in: origin.entity)
      else { continue }
      let found = (place: old, isReversed: isReversed != origin.isReversed)
      if !result.contains(where: { $0 == found }) { result.append(found) }
    }
    return result
  }

  /// The place of an old relationship's links, and whether the relationship is not the one of their
  /// holder.
  private func holder(
    of relationship: Relationship,
    in entity: EntityIndex
  ) -> (MovedLinks.Place, isReversed: Bool)? {
    switch relationship.storage {
    case .column:
      return (relationship.name.place(of: oldLayouts[entity], layouts: oldLayouts), false)
    case .inverseColumn(let column):
      guard
        let destination = oldLayouts.first(where: { $0.entity.name == relationship.destination }),
        let inverse = destination.columns.first(where: { $0.name == column })
      else { return nil }
      return (inverse.property.place(of: destination, layouts: oldLayouts), true)
    case .joinTable(let name, let source, _):
      guard let join = joinTables(among: oldLayouts).first(where: { $0.name == name }) else {
        return nil
      }
      return (join.place(oldLayouts), source != join.firstColumn)
    }
  }
}
