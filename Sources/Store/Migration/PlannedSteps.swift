import Format

/// The steps of a migration and the reasons to refuse it, with the names that the model uses.
struct PlannedSteps {
  private let mapping: SchemaMapping
  private(set) var steps: [MigrationStep] = []
  /// The reasons to refuse the migration, each as a sentence.
  private(set) var refusals: [String] = []

  init(_ mapping: SchemaMapping) {
    self.mapping = mapping
    for index in mapping.to.entities.indices { addEntity(EntityIndex(index)) }
    for old in mapping.removed { steps.append(.removeEntity(mapping.from.entities[old].name)) }
    checkTables()
  }

  private mutating func addEntity(_ index: EntityIndex) {
    let entity = mapping.to.entities[index]
    guard let old = mapping.oldEntity(index) else {
      steps.append(.addEntity(entity.name))
      return
    }
    if old.name != entity.name { steps.append(.renameEntity(from: old.name, to: entity.name)) }
    let root = mapping.from.entities.first { $0.name == old.table }
    let newRoot = mapping.to.index(of: entity.table)
    if let root, let newRoot, mapping.oldEntity(newRoot)?.name != root.name {
      steps.append(.moveEntity(entity.name, from: old.table, to: entity.table))
    } else if entity.parent == nil, entity.sharesTable != old.sharesTable {
      steps.append(.shareTable(entity.table, isShared: entity.sharesTable))
    }
    addAttributes(index, of: entity, old: old)
    addRelationships(index, of: entity, old: old)
    addSets(index, of: entity, old: old)
  }

  private mutating func addAttributes(_ index: EntityIndex, of entity: Entity, old: Entity) {
    let inherited = parent(of: entity, in: mapping.to)?.attributes.map(\.name) ?? []
    var used: Set<String> = []
    for attribute in entity.attributes {
      let source = mapping.source(of: attribute, in: index)
      if let source { used.insert(source.name) }
      guard !inherited.contains(attribute.name) else { continue }
      if let source {
        compare(attribute, old: source, entity: entity.name)
      } else {
        steps.append(
          .addAttribute(
            entity: entity.name,
            name: attribute.name,
            value: attribute.defaultValue ?? .null
          )
        )
      }
    }
    let gone = parent(of: old, in: mapping.from)?.attributes.map(\.name) ?? []
    for attribute in old.attributes
    where !used.contains(attribute.name) && !gone.contains(attribute.name) {
      steps.append(.removeAttribute(entity: entity.name, name: attribute.name))
    }
  }

  private mutating func compare(_ new: Attribute, old: Attribute, entity: String) {
    if new.name != old.name {
      steps.append(.renameAttribute(entity: entity, from: old.name, to: new.name))
    }
    if TypeConversion(from: old.type, to: new.type) == nil {
      refusals.append(
        "\(entity).\(new.name) can't change from \(old.type.rawValue) to \(new.type.rawValue)"
          + " without losing values or their meaning. Give the new attribute another name, and"
          + " fill the attribute in a custom stage."
      )
    } else if new.type != old.type {
      steps.append(
        .widenAttribute(entity: entity, name: new.name, from: old.type, to: new.type)
      )
    }
    if old.isOptional, !new.isOptional {
      steps.append(
        .requireAttribute(entity: entity, name: new.name, value: new.defaultValue ?? .null)
      )
    } else if new.isOptional, !old.isOptional {
      steps.append(.relaxAttribute(entity: entity, name: new.name))
    }
    if new.isExternal != old.isExternal {
      steps.append(
        .storeAttribute(entity: entity, name: new.name, isExternal: new.isExternal)
      )
    }
  }

  private mutating func addRelationships(_ index: EntityIndex, of entity: Entity, old: Entity) {
    let inherited = parent(of: entity, in: mapping.to)?.relationships.map(\.name) ?? []
    var used: Set<String> = []
    for relationship in entity.relationships {
      let source = mapping.source(of: relationship, in: index)
      if let source { used.insert(source.name) }
      guard !inherited.contains(relationship.name), !relationship.isHidden else { continue }
      if let source {
        compare(relationship, old: source, entity: entity.name)
      } else {
        steps.append(.addRelationship(entity: entity.name, name: relationship.name))
      }
    }
    let gone = parent(of: old, in: mapping.from)?.relationships.map(\.name) ?? []
    for relationship in old.relationships
    where !used.contains(relationship.name) && !gone.contains(relationship.name)
      && !relationship.isHidden
    {
      steps.append(.removeRelationship(entity: entity.name, name: relationship.name))
    }
  }

  private mutating func compare(_ new: Relationship, old: Relationship, entity: String) {
    if new.name != old.name {
      steps.append(.renameRelationship(entity: entity, from: old.name, to: new.name))
    }
    if !leads(new, whereDid: old) {
      refusals.append(
        "\(entity).\(new.name) can't refer to \(new.destination) instead of \(old.destination):"
          + " the links would mean other objects. Give the new relationship another name."
      )
    }
    if new.isToMany != old.isToMany {
      steps.append(
        .storeRelationship(entity: entity, name: new.name, isToMany: new.isToMany)
      )
    }
    if case .column = new.storage, new.isOptional != old.isOptional {
      steps.append(
        .requireRelationship(entity: entity, name: new.name, isRequired: !new.isOptional)
      )
    }
  }

  /// Whether the new destination is the old destination, or an ancestor of it.
  private func leads(_ new: Relationship, whereDid old: Relationship) -> Bool {
    let oldIndex = mapping.from.index(of: old.destination)
    let newIndex = mapping.to.index(of: new.destination)
    guard let oldIndex, let newIndex, let successor = mapping.successor(of: oldIndex) else {
      return false
    }
    return successor == newIndex
      || mapping.newLayouts[successor].ancestors.contains(newIndex)
  }

  private mutating func addSets(_ index: EntityIndex, of entity: Entity, old: Entity) {
    let renamed = mapping.renamedProperties(of: index)
    let uniques = Set(old.uniques.map { $0.map { renamed[$0] ?? $0 } })
    let indexes = Set(old.indexes.map { $0.map { renamed[$0] ?? $0 } })
    let parent = parent(of: entity, in: mapping.to)
    let oldParent = self.parent(of: old, in: mapping.from)
    let goneUniques = Set((oldParent?.uniques ?? []).map { $0.map { renamed[$0] ?? $0 } })
    let goneIndexes = Set((oldParent?.indexes ?? []).map { $0.map { renamed[$0] ?? $0 } })
    for names in entity.uniques
    where !uniques.contains(names) && parent?.uniques.contains(names) != true {
      steps.append(.addUnique(entity: entity.name, names))
    }
    for names in uniques.subtracting(entity.uniques).subtracting(goneUniques).sorted(by: precedes) {
      steps.append(.removeUnique(entity: entity.name, names))
    }
    for names in entity.indexes
    where !indexes.contains(names) && parent?.indexes.contains(names) != true {
      steps.append(.addIndex(entity: entity.name, names))
    }
    for names in indexes.subtracting(entity.indexes).subtracting(goneIndexes).sorted(by: precedes) {
      steps.append(.removeIndex(entity: entity.name, names))
    }
  }

  /// Refuses to merge the rows of two old tables, because both tables can contain the same ids.
  private mutating func checkTables() {
    for table in Set(mapping.to.entities.map(\.table)).sorted() {
      let family = mapping.to.entities.indices.filter { mapping.to.entities[$0].table == table }
      let oldTables = Set(family.compactMap { mapping.oldEntity(EntityIndex($0))?.table }).sorted()
      if oldTables.count > 1 {
        refusals.append(
          "\(family.map { mapping.to.entities[$0].name }.joined(separator: ", ")) can't become one"
            + " family: their rows are in the tables \(oldTables.joined(separator: " and ")), where"
            + " one id stands for several objects. Add a new entity to the family, and copy the"
            + " objects in a custom stage."
        )
      }
    }
  }

  private func parent(of entity: Entity, in schema: StoreSchema) -> Entity? {
    entity.parent.flatMap { schema[$0] }
  }

  private func precedes(_ left: [String], _ right: [String]) -> Bool {
    left.lexicographicallyPrecedes(right)
  }
}
