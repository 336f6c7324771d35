import Format
import Store

/// Describes how a container stores an entity: the place of each property of the class.
final class EntityDescription: Sendable {
  let model: _ModelDescription
  let entity: StoredEntity
  let index: EntityIndex
  /// The position of the entity's store among the configurations of the container.
  let storeIndex: Int
  /// The position of the entity's table among all tables of the container.
  let tableIndex: Int
  let columns: [ColumnIndex?]
  /// The slot of each column; nil for hidden columns.
  let slots: [Int?]
  /// How the relationship of each slot is stored; nil for attributes.
  let relationships: [StoredRelationship?]
  /// The collections whose links are in join tables.
  let joined: [PropertyDescription]
  /// The collections without an inverse; the class of their members has no property for the owner.
  let loose: [PropertyDescription]
  let columnNames: [String]
  /// The properties with unique combinations of values, and their slots.
  let uniques: [(properties: [String], slots: [Int])]

  init(
    _ model: _ModelDescription,
    entity: StoredEntity,
    index: EntityIndex,
    storeIndex: Int,
    tableIndex: Int
  ) {
    self.model = model
    self.tableIndex = tableIndex
    self.entity = entity
    self.index = index
    self.storeIndex = storeIndex
    var names: [String] = []
    var owners: [Int?] = []
    for attribute in entity.attributes {
      names.append(attribute.column)
      owners.append(model.property(named: attribute.name)?.index)
    }
    for relationship in entity.relationships {
      guard case .column(let column) = relationship.storage else { continue }
      names.append(column)
      owners.append(model.property(named: relationship.name)?.index)
    }
    columnNames = names
    slots = owners
    var columns = [ColumnIndex?](repeating: nil, count: model.properties.count)
    for (column, slot) in owners.enumerated() {
      if let slot { columns[slot] = ColumnIndex(column) }
    }
    self.columns = columns
    let relationships = model.properties.map { property in
      property.destination == nil
        ? nil : entity.relationships.first { $0.name == property.name && !$0.isHidden }
    }
    self.relationships = relationships
    joined = model.relationships.filter { property in
      if case Relationship.Storage.joinTable? = relationships[property.index]?.storage {
        return property.isToMany
      }
      return false
    }
    loose = model.relationships.filter { $0.isToMany && model.inverse(of: $0.index) == nil }
    uniques = entity.uniques.map { properties in
      (properties, properties.compactMap { model.property(named: $0)?.index })
    }
  }

  var name: String { model.name }
  var table: String { entity.table }
  /// The hidden column that records the owner in a to-many relationship without an inverse; nil if
  /// objects of this entity do not have the column.
  func hiddenColumn(named name: String) -> ColumnIndex? {
    columnNames.firstIndex(of: name).map { ColumnIndex($0) }
  }
}

final class EntityMap: Sendable {
  let entities: [EntityDescription]
  /// The schema of each store, in the order of the configurations.
  let schemas: [StoreSchema]
  let tableCount: Int
  /// For each entity whose uniqueness depends on references: the length of the longest chain of
  /// such references, by the name of the entity.
  let uniqueRanks: [String: Int]
  private let byName: [String: EntityDescription]
  private let byModel: [ObjectIdentifier: EntityDescription]

  init(entities: [EntityDescription], schemas: [StoreSchema]) {
    self.entities = entities
    self.schemas = schemas
    tableCount = (entities.map(\.tableIndex).max() ?? -1) + 1
    byName = entities.keyed(by: \.name)
    byModel = entities.keyed { ObjectIdentifier($0.model) }
    uniqueRanks = Self.uniqueRanks(of: entities, byName: byName)
  }

  private static func uniqueRanks(
    of entities: [EntityDescription],
    byName: [String: EntityDescription]
  ) -> [String: Int] {
    var ranks: [String: Int] = [:]
    func count(of entity: EntityDescription) -> Int {
      if let known = ranks[entity.name] { return known }
      // The rank is set before the recursion, so that the recursion ends if entities depend on each
      // other.
      ranks[entity.name] = 0
      var rank = 0
      for name in entity.entity.uniques.joined() {
        guard let index = entity.model.property(named: name)?.index,
          let target = entity.relationships[index]?.destination,
          let destination = byName[target]
        else { continue }
        rank = max(rank, 1 + count(of: destination))
      }
      ranks[entity.name] = rank
      return rank
    }
    for entity in entities { _ = count(of: entity) }
    return ranks.filter { $0.value > 0 }
  }

  subscript(name: String) -> EntityDescription? { byName[name] }

  func destination(of index: Int, in entity: EntityDescription?) -> EntityDescription? {
    entity?.relationships[index].flatMap { byName[$0.destination] }
  }

  /// The entity of a model class.
  ///
  /// A subclass without the macro has the entity of the model that it inherits from.
  func entity(of model: _ModelDescription) -> EntityDescription? {
    if let found = byModel[ObjectIdentifier(model)] { return found }
    // An older version of the schema may have another class with the same name, so the name
    // decides.
    return byName[model.name] ?? model.parent.flatMap(entity(of:))
  }

  func entity(of type: any PersistentModel.Type) -> EntityDescription? {
    entity(of: _ModelDescription.of(type))
  }

  func family(of entity: EntityDescription) -> [EntityDescription] {
    entities.filter { $0.model.isKind(of: entity.model) }
  }
}

// Aliases for types of Store that have the same names as types in Schema. `StoredAttribute` must be
// an alias, because `Store` is also the name of a class.

typealias StoredAttribute = Attribute
typealias StoredRelationship = Relationship
typealias StoredEntity = Entity
typealias StoredDeleteRule = DeleteRule
