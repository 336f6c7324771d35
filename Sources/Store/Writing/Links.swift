/// Many-to-many relationships, from either side.
extension Writer {
  /// Links two objects; linked already, they get the new position.
  public func link(
    _ entity: Int,
    relationship: String,
    source: Int64,
    target: Int64,
    position: Int64? = nil
  ) throws {
    let end = try joinEnd(entity, relationship)
    let (owner, other) = end.isOwner ? (source, target) : (target, source)
    let statements = joins[end.join]
    let before = try statements.link(owner, other)
    let now = ChangeDraft.Link(position: position)
    guard before != now else { return }
    try statements.set(owner, other, now)
    try recordLink(end.join, owner, other, before, now)
  }

  /// Takes the link between two objects away, if there is one.
  public func unlink(
    _ entity: Int,
    relationship: String,
    source: Int64,
    target: Int64
  ) throws {
    let end = try joinEnd(entity, relationship)
    let (owner, other) = end.isOwner ? (source, target) : (target, source)
    guard let before = try joins[end.join].link(owner, other) else { return }
    try joins[end.join].remove(owner, other)
    try recordLink(end.join, owner, other, before, nil)
  }

  func recordLink(
    _ join: Int,
    _ owner: Int64,
    _ other: Int64,
    _ before: ChangeDraft.Link?,
    _ now: ChangeDraft.Link?
  ) throws {
    let table = joins[join].table
    guard let entity = try entity(of: table.owner, id: owner) else {
      let name = layouts[table.owner].entity.name
      throw StoreError(
        .missingObject,
        "There is no \(name) with id \(owner) to link; insert it first.",
        entity: name
      )
    }
    try recorder.link(
      RowKey(entity: entity, id: owner),
      join: join,
      target: other,
      before: before,
      now: now
    )
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
      throw StoreError(
        .misuse,
        "\(layout.entity.name).\(name) is no many-to-many relationship, so it has no links of its"
          + " own; set the column instead.",
        entity: layout.entity.name
      )
    }
    return (join, joins[join].table.firstColumn == source)
  }
}
