import Changes

/// Many-to-many relationships, from either side.
extension Writer {
  /// Links two objects; nothing happens if they are linked already.
  package func link(_ entity: Int, relationship: String, source: Int64, target: Int64) throws {
    try setLink(entity, relationship, source, target, isLinked: true)
  }

  /// Takes the link between two objects away, if there is one.
  package func unlink(_ entity: Int, relationship: String, source: Int64, target: Int64) throws {
    try setLink(entity, relationship, source, target, isLinked: false)
  }

  private func setLink(
    _ entity: Int,
    _ relationship: String,
    _ source: Int64,
    _ target: Int64,
    isLinked: Bool
  ) throws {
    let end = try joinEnd(entity, relationship)
    let (owner, other) = end.isOwner ? (source, target) : (target, source)
    try setLink(end.join, owner, other, isLinked: isLinked)
  }

  /// Links two objects or takes their link away, unless it is so already.
  func setLink(_ join: Int, _ owner: Int64, _ other: Int64, isLinked: Bool) throws {
    let isChanged = try isLinked ? joins[join].add(owner, other) : joins[join].remove(owner, other)
    if isChanged { try recordLink(join, owner, other, isLinked: isLinked) }
  }

  func recordLink(_ join: Int, _ owner: Int64, _ other: Int64, isLinked: Bool) throws {
    let table = joins[join].table
    guard let entity = try entity(of: table.owner, id: owner) else {
      throw StoreError(ObjectFailure.missing(ObjectName(layouts[table.owner].entity.name, owner)))
    }
    let key = RowKey(entity: entity, id: owner)
    try recorder.link(key, join: join, target: other, isLinked: isLinked)
  }

  /// The entity that a row belongs to, which may inherit from the one asked for.
  func entity(of entity: Int, id: Int64) throws -> Int? {
    if !parked.isEmpty {
      for kind in layouts[entity].family where parked[RowKey(entity: kind, id: id)] != nil {
        return kind
      }
    }
    guard let name = try tables[entity].entityName(id: id) else { return nil }
    return indexes[name]
  }

  private func joinEnd(
    _ entity: Int,
    _ name: String
  ) throws -> (join: Int, isOwner: Bool) {
    let layout = layouts[entity]
    guard let relationship = layout.entity.relationships.first(where: { $0.name == name }),
      case .joinTable(let table, let source, _) = relationship.storage,
      let join = joins.firstIndex(where: { $0.table.name == table })
    else {
      throw StoreError(ObjectFailure.notManyToMany(property: "\(layout.entity.name).\(name)"))
    }
    return (join, joins[join].table.firstColumn == source)
  }
}
