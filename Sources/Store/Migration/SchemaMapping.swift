import Format

/// The old entity or property that each entity or property of a new schema continues.
struct SchemaMapping: Sendable {
  let from: StoreSchema
  let to: StoreSchema
  let oldLayouts: [EntityLayout]
  let newLayouts: [EntityLayout]
  /// For each new entity, the old entity whose rows it gets; nil if it gets no rows.
  let sources: [EntityIndex?]
  /// Whether the replay of history has already deleted the rows of removed entities.
  let areRemovalsDone: Bool

  init(from: StoreSchema, to: StoreSchema, areRemovalsDone: Bool = false) throws {
    self.from = from
    self.to = to
    self.areRemovalsDone = areRemovalsDone
    oldLayouts = try from.layouts()
    newLayouts = try to.layouts()
    sources = to.entities.map { entity in
      origin(of: entity, in: from.entities, besides: to.entities)
        .flatMap { from.index(of: $0.name) }
    }
  }

  var removed: [EntityIndex] { oldLayouts.map(\.index).filter { !sources.contains($0) } }

  /// The new entity that takes over the rows of an old entity.
  func successor(of old: EntityIndex) -> EntityIndex? {
    sources.firstIndex(of: old).map { EntityIndex($0) }
  }

  func oldEntity(_ new: EntityIndex) -> Entity? { sources[new].map { from.entities[$0] } }

  /// The old attribute whose values a new attribute takes over.
  func source(of attribute: Attribute, in entity: EntityIndex) -> Attribute? {
    guard let old = oldEntity(entity) else { return nil }
    return origin(
      of: attribute,
      in: old.attributes,
      besides: to.entities[entity].attributes
    )
  }

  /// The old relationship whose links a new relationship takes over.
  func source(of relationship: Relationship, in entity: EntityIndex) -> Relationship? {
    guard let old = oldEntity(entity) else { return nil }
    return origin(
      of: relationship,
      in: old.relationships,
      besides: to.entities[entity].relationships
    )
  }
}

/// An entity or property that may have had another name in an earlier schema.
protocol Renamable {
  var name: String { get }
  var originalName: String? { get }
}

extension Entity: Renamable {}
extension Attribute: Renamable {}
extension Relationship: Renamable {}

/// The old entity or property that a new one continues, found by the original name of the new one,
/// or else by its name.
///
/// An original name remains in the model after the migration. So the original name is used only if
/// the old schema has it, and if no other entity or property of the new schema has a better claim.
private func origin<Part: Renamable>(
  of new: Part,
  in old: [Part],
  besides all: [Part]
) -> Part? {
  let namesake = old.first { $0.name == new.name }
  guard let original = new.originalName, original != new.name else {
    // Without an original name, an entity or property continues the old one with its name.
    return namesake
  }
  if let namesake, namesake.originalName == original { return namesake }
  let isKept = all.contains {
    $0.name == original && ($0.originalName == nil || $0.originalName == original)
  }
  if !isKept, let renamed = old.first(where: { $0.name == original }) { return renamed }
  let isTaken = all.contains { $0.name != new.name && $0.originalName == new.name }
  return isTaken ? nil : namesake
}
