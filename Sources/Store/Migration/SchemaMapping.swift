import Changes

/// What of an old schema each part of a new one comes from.
struct SchemaMapping: Sendable {
  let from: StoreSchema
  let to: StoreSchema
  let oldLayouts: [EntityLayout]
  let newLayouts: [EntityLayout]
  /// For each new entity the index of the old one whose rows it takes over.
  let sources: [EntityIndex?]
  /// Whether the rows of removed entities are gone already, as a replayed history deleted them.
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

  /// The old entities that no new one takes over.
  var removed: [EntityIndex] { oldLayouts.map(\.index).filter { !sources.contains($0) } }

  /// The new entity that takes over the rows of an old one.
  func successor(of old: EntityIndex) -> EntityIndex? {
    sources.firstIndex(of: old).map { EntityIndex($0) }
  }

  /// The old entity that a new one comes from.
  func oldEntity(_ new: EntityIndex) -> Entity? { sources[new].map { from.entities[$0] } }

  /// The old attribute whose values an attribute takes over.
  func source(of attribute: Attribute, in entity: EntityIndex) -> Attribute? {
    guard let old = oldEntity(entity) else { return nil }
    return origin(
      of: attribute,
      in: old.attributes,
      besides: to.entities[entity].attributes
    )
  }

  /// The old relationship whose links a relationship takes over.
  func source(of relationship: Relationship, in entity: EntityIndex) -> Relationship? {
    guard let old = oldEntity(entity) else { return nil }
    return origin(
      of: relationship,
      in: old.relationships,
      besides: to.entities[entity].relationships
    )
  }
}

/// What may have had another name in the schema version before.
protocol Renamable {
  var name: String { get }
  var originalName: String? { get }
}

extension Entity: Renamable {}
extension Attribute: Renamable {}
extension Relationship: Renamable {}

/// The old part that a new one comes from: by its original name, if that tells anything, else by
/// its name.
///
/// An original name stays in the model after the migration that it was for. So it counts only when
/// there is something old of that name, which no other new part has a better claim to.
private func origin<Part: Renamable>(
  of new: Part,
  in old: [Part],
  besides all: [Part]
) -> Part? {
  let namesake = old.first { $0.name == new.name }
  guard let original = new.originalName, original != new.name else {
    // Another part may take the old one away from its namesake only by a chain of renames.
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
