import Changes

/// The old parts from which the parts of a new schema are made.
struct SchemaMapping: Sendable {
  let from: StoreSchema
  let to: StoreSchema
  let oldLayouts: [EntityLayout]
  let newLayouts: [EntityLayout]
  /// The old entity whose rows each new entity receives; nil if there is none.
  let sources: [EntityIndex?]
  /// Whether replayed history has deleted the rows of removed entities already.
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

  /// The new entity that takes over an old one's rows.
  func successor(of old: EntityIndex) -> EntityIndex? {
    sources.firstIndex(of: old).map { EntityIndex($0) }
  }

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

/// A part of a schema that can have had another name.
protocol Renamable {
  var name: String { get }
  var originalName: String? { get }
}

extension Entity: Renamable {}
extension Attribute: Renamable {}
extension Relationship: Renamable {}

/// The old part that a new one is made from, by its original name or else its name.
///
/// An original name remains in the model after its migration. So it counts only if an old part has
/// that name, and no other new part has a better claim to it.
private func origin<Part: Renamable>(
  of new: Part,
  in old: [Part],
  besides all: [Part]
) -> Part? {
  let namesake = old.first { $0.name == new.name }
  guard let original = new.originalName, original != new.name else {
    // Only a chain of renames gives the old part to another than its namesake.
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
