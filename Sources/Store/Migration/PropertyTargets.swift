import Format

/// The properties that a caller selected, under their names in the changes of one schema.
///
/// Properties are selected by their present names. Removed properties are selected by their last
/// names.
package struct PropertyTargets {
  /// For each entity name, the keys of the selected properties under the schema, each with the
  /// present identity of the property.
  private var entities: [[UInt8]: [[UInt8]: [UInt8]]] = [:]

  /// Looks up properties by name in the last of the schemas.
  ///
  /// If no names are given, all properties are selected.
  ///
  /// The properties belong to an entity and the entities that inherit from it, or by default to the
  /// whole family of the entity. The first of the schemas is the schema of the changes.
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

  package func hasEntity(of change: Change) -> Bool { entities[Array(change.entity)] != nil }

  /// The identity of the property of a value; nil if the property is not selected.
  package func property(of value: ToldValue, in change: Change) -> [UInt8]? {
    entities[Array(change.entity)]?[value.key]
  }
}

/// The names in the last of the schemas of an entity, and of its property, that an earlier schema has;
/// nil if none has it, or if a migration removed it.
package func presentName(
  ofEntity name: String,
  property: String? = nil,
  schemas: [StoreSchema]
) throws -> (entity: String, property: String?)? {
  let layouts = try schemas.map { try $0.layouts() }
  func find(_ layouts: [EntityLayout]) -> EntityLayout? {
    layouts.first {
      $0.entity.name == name && (property.map($0.column) ?? ColumnIndex(0)) != nil
    }
  }
  guard let last = layouts.last, let start = layouts.lastIndex(where: { find($0) != nil }),
    let old = find(layouts[start]),
    let successor = try Array(name.utf8).withUnsafeBytes({ bytes in
      try PastNames(Array(schemas[start...])).successor(of: bytes)
    })
  else { return nil }
  let entity = last[successor.entity]
  guard let property, let column = old.column(of: property) else {
    return (entity.entity.name, nil)
  }
  let key = successor.properties[memberKey(old.columns[column].logName)]?.key
  return entity.columns.first { memberKey($0.logName) == key }.map {
    (entity.entity.name, $0.property)
  }
}

/// The properties that a caller selected, with their names under each schema that the store has
/// had.
package final class CatalogTargets {
  private let entity: String
  private let attributes: [String]
  private let schemas: [CatalogSchema]
  private var known: [String: PropertyTargets] = [:]

  /// Selects properties of an entity's family by their names in the last of the schemas.
  ///
  /// If no names are given, all properties are selected.
  package init(entity: String, attributes: some Collection<String>, schemas: [CatalogSchema]) {
    self.entity = entity
    self.attributes = Array(attributes)
    self.schemas = schemas
  }

  /// The selected properties under the schema with this SHA-256.
  package func under(_ digest: String) throws -> PropertyTargets {
    if let targets = known[digest] { return targets }
    let start = schemas.firstIndex { $0.digest == digest } ?? 0
    let targets = try PropertyTargets(
      entity: entity,
      attributes: attributes,
      schemas: schemas[start...].map(\.schema)
    )
    known[digest] = targets
    return targets
  }
}
