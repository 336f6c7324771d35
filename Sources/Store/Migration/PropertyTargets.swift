import Changes

/// Properties of an entity, in the changes that were written under one schema.
///
/// The names that were given are those of the present; what entities and properties were called
/// under an earlier schema follows from the schemas. A name that is there no more means what had it
/// last.
package struct PropertyTargets {
  /// The properties that are meant, by the entity's name: their keys then, and what tells them apart
  /// now.
  private var entities: [[UInt8]: [[UInt8]: [UInt8]]] = [:]

  /// Looks up what is meant under the first of some schemas, of which the last is the present one:
  /// properties of an entity, of its heirs and unless that is turned off of its whole family; all where
  /// none are named.
  package init(
    entity: String,
    hasFamily: Bool = true,
    attributes: [String],
    schemas: [StoreSchema]
  ) throws {
    guard let first = schemas.first, let last = schemas.last else { return }
    let past = try PastNames(schemas)
    let then = try first.layouts()
    let now = try last.layouts()
    func family(_ layouts: [EntityLayout]) -> Set<EntityIndex> {
      guard let named = layouts.first(where: { $0.entity.name == entity }) else { return [] }
      return Set(hasFamily ? layouts[named.ancestors.last ?? named.index].family : named.family)
    }
    let (family, oldFamily) = (family(now), family(then))
    let wanted = now.filter { family.contains($0.index) }.flatMap(\.columns)
      .filter { attributes.contains($0.property) }.map { memberKey($0.logName) }
    for layout in then {
      let name = Array(layout.entity.name.utf8)
      let successor = name.withUnsafeBytes { past.successor(of: $0) }
      guard successor.map({ family.contains($0.entity) }) ?? oldFamily.contains(layout.index) else {
        continue
      }
      entities[name] = [:]
      for column in layout.columns {
        let key = memberKey(column.logName)
        let present = successor?.properties[key]?.key
        let isWanted =
          attributes.isEmpty
          || (present.map { wanted.contains($0) } ?? attributes.contains(column.property))
        if isWanted { entities[name, default: [:]][key] = present ?? key }
      }
    }
  }

  /// Whether the object of a change may be the one that is meant.
  package func hasEntity(of change: Change) -> Bool { entities[Array(change.entity)] != nil }

  /// What tells the property of a value apart, whatever it is called; nil for one that is not meant.
  package func property(of value: ToldValue, in change: Change) -> [UInt8]? {
    entities[Array(change.entity)]?[value.key]
  }
}
