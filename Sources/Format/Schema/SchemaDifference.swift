/// One difference between the tables of a stored schema and the tables of a model.
package enum SchemaDifference: Hashable, Sendable {
  /// The model has an entity that the store does not have.
  case missingEntity(String)
  /// The store has an entity that the model does not have.
  case extraEntity(String)
  /// The entity has another parent, or another table, in the model.
  case parent(entity: String, stored: String?, wanted: String?)
  /// The model has an attribute that the store does not have.
  case missingAttribute(entity: String, name: String)
  /// The store has an attribute that the model does not have.
  case extraAttribute(entity: String, name: String)
  case type(entity: String, name: String, stored: ValueType, wanted: ValueType)
  /// The attribute or to-one relationship is optional in only one of the two schemas.
  case optionality(entity: String, name: String, isOptionalInStore: Bool)
  /// The large values of the attribute are in files in only one of the two schemas.
  case external(entity: String, name: String, isExternalInStore: Bool)
  case column(entity: String, name: String, stored: String, wanted: String)
  /// The model has a relationship that the store does not have.
  case missingRelationship(entity: String, name: String)
  /// The store has a relationship that the model does not have.
  case extraRelationship(entity: String, name: String)
  case destination(entity: String, name: String, stored: String, wanted: String)
  /// The relationship has another kind of storage, because its cardinality changed.
  case storage(
    entity: String,
    name: String,
    stored: Relationship.Storage,
    wanted: Relationship.Storage
  )
  case uniques(entity: String, stored: [[String]], wanted: [[String]])
  case indexes(entity: String, stored: [[String]], wanted: [[String]])
  case encoding(stored: TextEncoding?, wanted: TextEncoding?)
}

extension StoreSchema {
  /// The differences between a store's tables and the tables of this schema, by entity and property.
  ///
  /// Delete rules, default values and the version do not affect tables, so they are not compared.
  package func differences(fromStored stored: StoreSchema) -> [SchemaDifference] {
    var result: [SchemaDifference] = []
    for entity in entities {
      if let old = stored[entity.name] {
        result += entity.differences(fromStored: old)
      } else {
        result.append(.missingEntity(entity.name))
      }
    }
    result += stored.entities.filter { self[$0.name] == nil }.map { .extraEntity($0.name) }
    if encoding != stored.encoding {
      result.append(.encoding(stored: stored.encoding, wanted: encoding))
    }
    return result
  }
}

extension Entity {
  fileprivate func differences(fromStored stored: Entity) -> [SchemaDifference] {
    var result: [SchemaDifference] = []
    if parent != stored.parent || sharesTable != stored.sharesTable || table != stored.table {
      result.append(.parent(entity: name, stored: stored.parent, wanted: parent))
    }
    for attribute in attributes {
      if let old = stored.attributes.first(where: { $0.name == attribute.name }) {
        result += differences(attribute, old)
      } else {
        result.append(.missingAttribute(entity: name, name: attribute.name))
      }
    }
    for old in stored.attributes where !attributes.contains(where: { $0.name == old.name }) {
      result.append(.extraAttribute(entity: name, name: old.name))
    }
    for relationship in relationships {
      if let old = stored.relationships.first(where: { $0.name == relationship.name }) {
        result += differences(relationship, old)
      } else {
        result.append(.missingRelationship(entity: name, name: relationship.name))
      }
    }
    for old in stored.relationships where !relationships.contains(where: { $0.name == old.name }) {
      result.append(.extraRelationship(entity: name, name: old.name))
    }
    if Set(uniques) != Set(stored.uniques) {
      result.append(.uniques(entity: name, stored: stored.uniques, wanted: uniques))
    }
    if Set(indexes) != Set(stored.indexes) {
      result.append(.indexes(entity: name, stored: stored.indexes, wanted: indexes))
    }
    return result
  }

  private func differences(_ wanted: Attribute, _ stored: Attribute) -> [SchemaDifference] {
    let name = wanted.name
    let (type, column) = (stored.type, stored.column)
    let found: [SchemaDifference?] = [
      wanted.type == type
        ? nil : .type(entity: self.name, name: name, stored: type, wanted: wanted.type),
      wanted.isOptional == stored.isOptional
        ? nil : .optionality(entity: self.name, name: name, isOptionalInStore: stored.isOptional),
      wanted.isExternal == stored.isExternal
        ? nil : .external(entity: self.name, name: name, isExternalInStore: stored.isExternal),
      wanted.column == column
        ? nil : .column(entity: self.name, name: name, stored: column, wanted: wanted.column),
    ]
    return found.compactMap { $0 }
  }

  private func differences(_ wanted: Relationship, _ stored: Relationship) -> [SchemaDifference] {
    let name = wanted.name
    let (target, storage) = (stored.destination, stored.storage)
    var result: [SchemaDifference] = []
    if wanted.destination != target {
      let wanted = wanted.destination
      result.append(.destination(entity: self.name, name: name, stored: target, wanted: wanted))
    }
    if wanted.storage != storage {
      let wanted = wanted.storage
      result.append(.storage(entity: self.name, name: name, stored: storage, wanted: wanted))
    }
    if case .column = wanted.storage, wanted.isOptional != stored.isOptional {
      let isOptional = stored.isOptional
      result.append(.optionality(entity: self.name, name: name, isOptionalInStore: isOptional))
    }
    return result
  }
}

extension SchemaDifference: CustomStringConvertible {
  package var description: String { text(stored: "the store", wanted: "the model") }

  /// The difference in words, with the given names for the two schemas.
  package func text(stored store: String, wanted model: String) -> String {
    switch self {
    case .missingEntity(let entity): "\(entity) is missing in \(store)"
    case .extraEntity(let entity): "\(entity) is in \(store) but not in \(model)"
    case .parent(let entity, let stored, let wanted):
      "\(entity) inherits from \(stored ?? "nothing") in \(store) and from"
        + " \(wanted ?? "nothing") in \(model), or another entity joined or left its family"
    case .missingAttribute(let entity, let name), .missingRelationship(let entity, let name):
      "\(entity).\(name) is missing in \(store)"
    case .extraAttribute(let entity, let name), .extraRelationship(let entity, let name):
      "\(entity).\(name) is in \(store) but not in \(model)"
    case .type(let entity, let name, let stored, let wanted):
      "\(entity).\(name) is \(stored.rawValue) in \(store) and \(wanted.rawValue) in \(model)"
    case .optionality(let entity, let name, let isOptionalInStore):
      isOptionalInStore
        ? "\(entity).\(name) is optional in \(store) but not in \(model)"
        : "\(entity).\(name) is optional in \(model) but not in \(store)"
    case .external(let entity, let name, let isExternalInStore):
      isExternalInStore
        ? "\(entity).\(name) has external storage in \(store) but not in \(model)"
        : "\(entity).\(name) has external storage in \(model) but not in \(store)"
    case .column(let entity, let name, let stored, let wanted):
      "\(entity).\(name) is in column \(stored) of \(store) and belongs in column \(wanted)"
    case .destination(let entity, let name, let stored, let wanted):
      "\(entity).\(name) refers to \(stored) in \(store) and to \(wanted) in \(model)"
    case .storage(let entity, let name, let stored, let wanted):
      "\(entity).\(name) is kept in \(stored.words) in \(store) and belongs in \(wanted.words)"
    case .uniques(let entity, let stored, let wanted):
      "\(entity) has unique \(words(stored)) in \(store) and \(words(wanted)) in \(model)"
    case .indexes(let entity, let stored, let wanted):
      "\(entity) has indexes on \(words(stored)) in \(store) and on \(words(wanted)) in \(model)"
    case .encoding(let stored, let wanted):
      "texts are in \(name(of: stored)) in \(store) and in \(name(of: wanted)) in \(model)"
    }
  }
}

extension Relationship.Storage {
  fileprivate var words: String {
    switch self {
    case .column(let name): "the column \(name) of the relationship"
    case .inverseColumn(let name): "the column \(name) of the inverse relationship"
    case .joinTable(let name, _, _): "the table \(name)"
    }
  }
}

private func name(of encoding: TextEncoding?) -> String { encoding?.rawValue ?? "UTF-8" }

private func words(_ sets: [[String]]) -> String {
  sets.isEmpty
    ? "nothing" : sets.map { "(" + $0.joined(separator: ", ") + ")" }.joined(separator: ", ")
}
