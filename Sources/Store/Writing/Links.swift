import Format

/// Changes of many-to-many relationships, from either side.
extension Writer {
  /// Removes the link between two objects, if there is one.
  package func unlink(
    _ entity: EntityIndex,
    relationship: String,
    source: Int64,
    target: Int64
  ) throws {
    try link(entity, relationship: relationship, source: source, target: target, isLinked: false)
  }

  /// Links or unlinks two objects; does nothing if nothing would change.
  package func link(
    _ entity: EntityIndex,
    relationship: String,
    source: Int64,
    target: Int64,
    isLinked: Bool = true
  ) throws {
    let end = try joinEnd(of: relationship, in: entity)
    let (owner, other) = end.isOwner ? (source, target) : (target, source)
    try setLink(end.join, owner: owner, other: other, isLinked: isLinked)
  }

  /// Links or unlinks two objects; does nothing if nothing would change.
  func setLink(_ join: JoinIndex, owner: Int64, other: Int64, isLinked: Bool) throws {
    let isChanged =
      try isLinked
      ? joins[join].add(owner, target: other) : joins[join].remove(owner, target: other)
    if isChanged { try recordLink(join, owner: owner, other: other, isLinked: isLinked) }
  }

  func recordLink(_ join: JoinIndex, owner: Int64, other: Int64, isLinked: Bool) throws {
    let table = joins[join].table
    guard let entity = try entity(of: RowKey(entity: table.owner, id: ObjectID(owner))) else {
      throw StoreError(.missingObject) {
        "There is no \(layouts[table.owner].entity.name) with id \(owner)."
      }
    }
    let key = RowKey(entity: entity, id: ObjectID(owner))
    try recorder.link(key, join: join, target: other, isLinked: isLinked)
  }

  /// The entity of a row: the key's entity, or an entity that inherits from it; nil if there is no
  /// row.
  func entity(of key: RowKey) throws -> EntityIndex? {
    if !parked.isEmpty {
      for kind in layouts[key.entity].family where parked[RowKey(entity: kind, id: key.id)] != nil {
        return kind
      }
    }
    guard let name = try tables[key.entity].entityName(key.id) else { return nil }
    return indexes[name]
  }

  private func joinEnd(
    of name: String,
    in entity: EntityIndex
  ) throws -> (join: JoinIndex, isOwner: Bool) {
    let layout = layouts[entity]
    guard let relationship = layout.entity.relationships.first(where: { $0.name == name }),
      case .joinTable(let table, let source, _) = relationship.storage,
      let join = joins.firstIndex(where: { $0.table.name == table })
    else {
      throw StoreError(.misuse) {
        "\(layout.entity.name).\(name) is not a many-to-many relationship."
      }
    }
    return (JoinIndex(join), joins[join].table.firstColumn == source)
  }
}
