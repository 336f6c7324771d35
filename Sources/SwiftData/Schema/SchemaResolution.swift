import Format
import Store

/// Computes the schema of a store from model classes: the names of columns, and how relationships
/// are stored.
struct SchemaResolution {
  let models: [_ModelDescription]
  let version: String
  private var columns: [ObjectIdentifier: [String]] = [:]
  private var taken: [String: Set<String>] = [:]

  init(models: [_ModelDescription], version: String) throws {
    self.models = models.sorted { $0.name < $1.name }
    self.version = version
    try refuseDoubles()
    for model in self.models where model.parent == nil { nameColumns(of: model) }
  }

  func resolve() throws -> StoreSchema {
    var entities = try models.map(entity)
    for (target, relationship) in hiddenRelationships {
      for index in entities.indices where isKind(entities[index].name, of: target) {
        entities[index].relationships.append(relationship)
      }
    }
    return StoreSchema(version: version, entities: entities)
  }

  private func refuseDoubles() throws {
    for (first, second) in zip(models, models.dropFirst()) where first.name == second.name {
      throw SwiftDataError(.duplicateEntityName) {
        "Two model classes are named \(first.name): \(String(reflecting: first.type)) and"
          + " \(String(reflecting: second.type))."
          + "\nAn entity has the simple name of its class; rename one of the classes, or put the"
          + " classes into different schemas."
      }
    }
  }

  /// Assigns names to the columns of properties.
  ///
  /// A name gets underscores if another name differs only in case, or if the table needs the name
  /// for itself.
  private mutating func nameColumns(of model: _ModelDescription) {
    let table = root(of: model).name
    var names = model.parent.map { columns[ObjectIdentifier($0)] ?? [] } ?? []
    var used = taken[table] ?? ["id", "_entity"]
    for property in model.properties[model.offset...] {
      var name = property.name
      while !used.insert(name.lowercased()).inserted { name += "_" }
      names.append(name)
    }
    taken[table] = used
    columns[ObjectIdentifier(model)] = names
    for child in models where child.parent === model { nameColumns(of: child) }
  }

  private func column(_ model: _ModelDescription, at index: Int) -> String {
    columns[ObjectIdentifier(model)]?[index] ?? model.properties[index].name
  }

  private func root(of model: _ModelDescription) -> _ModelDescription {
    model.parent.map(root) ?? model
  }

  private func isKind(_ name: String, of ancestor: _ModelDescription) -> Bool {
    models.contains { $0.name == name && $0.isKind(of: ancestor) }
  }

  private func entity(_ model: _ModelDescription) throws -> StoredEntity {
    let table = root(of: model)
    var attributes: [StoredAttribute] = []
    var relationships: [StoredRelationship] = []
    for property in model.properties where !property.isEphemeral {
      switch property.kind {
      case .attribute(let codec):
        attributes.append(try attribute(property, codec: codec, of: model))
      case .toOne(let type, _), .toMany(let type, _):
        relationships.append(
          try relationship(property, to: _ModelDescription.of(type), of: model)
        )
      case .unsupported:
        throw SwiftDataError(.unsupportedType) {
          "\(model.name).\(property.name) has the type \(property.valueType), which can't be"
            + " stored."
            + "\nMake the type Codable, mark the property @Transient, or give the property a"
            + " transformer with @Attribute(.transformable(by:))."
        }
      }
    }
    return StoredEntity(
      name: model.name,
      parent: model.parent?.name,
      table: table.name,
      sharesTable: models.contains { $0 !== table && root(of: $0) === table },
      attributes: attributes,
      relationships: relationships,
      uniques: model.uniqueSets,
      indexes: model.indexSets
    )
  }

  private func attribute(
    _ property: PropertyDescription,
    codec: AttributeCodec,
    of model: _ModelDescription
  ) throws -> StoredAttribute {
    let options = property.attribute?.options ?? []
    let originalName = property.attribute?.originalName ?? ""
    return StoredAttribute(
      name: property.name,
      column: column(model, at: property.index),
      type: codec.type,
      isOptional: codec.isOptional,
      originalName: originalName.isEmpty || originalName == property.name ? nil : originalName,
      defaultValue: try property.defaultValue.map(codec.encode),
      preservesValueOnDeletion: options.contains(.preserveValueOnDeletion),
      isExternal: options.contains(.externalStorage)
    )
  }

  private func relationship(
    _ property: PropertyDescription,
    to destination: _ModelDescription,
    of model: _ModelDescription
  ) throws -> StoredRelationship {
    guard models.contains(where: { $0 === destination }) else {
      throw SwiftDataError(.relationshipAcrossStores) {
        "\(model.name).\(property.name) refers to \(destination.name), which is in another store."
          + "\nPut both models into one configuration, or store the persistentModelID of the other"
          + " object in an attribute."
      }
    }
    let declared = property.relationship
    let originalName = declared?.originalName ?? ""
    let inverse = model.inverse(of: property.index)
    if let inverse, let other = inverse.owner.inverse(of: inverse.property.index),
      other.property !== property
    {
      throw ambiguity(property, other.property, inverse: inverse.property)
    }
    return StoredRelationship(
      name: property.name,
      destination: destination.name,
      isToMany: property.isToMany,
      isOptional: property.isOptional,
      inverse: inverse?.property.name ?? (property.isToMany ? hiddenName(property) : nil),
      storage: storage(of: property, in: model, inverse: inverse),
      deleteRule: StoredDeleteRule(rawValue: (declared?.deleteRule ?? .nullify).rawValue)
        ?? .nullify,
      minimumCount: declared?.minimumModelCount ?? 0,
      maximumCount: declared?.maximumModelCount ?? 0,
      originalName: originalName.isEmpty || originalName == property.name ? nil : originalName
    )
  }

  private func ambiguity(
    _ one: PropertyDescription,
    _ other: PropertyDescription,
    inverse: PropertyDescription
  ) -> SwiftDataError {
    let names = [one, other].map { "\($0.owner).\($0.name)" }.sorted()
    let shared = "\(inverse.owner).\(inverse.name)"
    return SwiftDataError(.ambiguousInverse) {
      "\(names[0]) and \(names[1]) both have the inverse \(shared)."
        + "\nGive each relationship a different inverse: declare a second property beside"
        + " \(shared), and name the second property in @Relationship(inverse:)."
    }
  }

  private func storage(
    of property: PropertyDescription,
    in model: _ModelDescription,
    inverse: PropertyReference?
  ) -> StoredRelationship.Storage {
    guard let inverse else {
      return property.isToMany
        ? .inverseColumn(hiddenName(property)) : .column(column(model, at: property.index))
    }
    if property.isToMany && inverse.property.isToMany {
      return joinTable(property, inverse: inverse)
    }
    if property.isToMany || (!inverse.property.isToMany && !ownsColumn(property, inverse: inverse))
    {
      return .inverseColumn(column(inverse.owner, at: inverse.property.index))
    }
    return .column(column(model, at: property.index))
  }

  /// Whether this side of two inverse to-one relationships is stored in a column.
  ///
  /// The column is on the side without the delete rule cascade, so that a child refers to its
  /// parent. If both sides have this rule, or neither side has it, the column is on the side that
  /// is not optional. Otherwise the side whose class and name come first in the alphabet gets the
  /// column.
  private func ownsColumn(_ property: PropertyDescription, inverse: PropertyReference) -> Bool {
    let cascades = property.relationship?.deleteRule == .cascade
    let isDeletedBy = inverse.property.relationship?.deleteRule == .cascade
    if cascades != isDeletedBy { return isDeletedBy }
    if property.isOptional != inverse.property.isOptional { return !property.isOptional }
    return (property.owner, property.name) <= (inverse.property.owner, inverse.property.name)
  }

  private func joinTable(
    _ property: PropertyDescription,
    inverse: PropertyReference
  ) -> StoredRelationship.Storage {
    let this = (property.owner, property.name)
    let other = (inverse.property.owner, inverse.property.name)
    let first = this <= other ? this : other
    let table = "\(first.0)_\(first.1)"
    if this.0 != other.0 { return .joinTable(table, source: this.0, target: other.0) }
    // Both columns refer to the same entity here, so each has the name of the relationship that
    // reads it.
    if this.1 != other.1 { return .joinTable(table, source: other.1, target: this.1) }
    return .joinTable(table, source: this.0, target: this.1)
  }

  private func hiddenName(_ property: PropertyDescription) -> String {
    "_\(property.owner)_\(property.name)"
  }

  /// The hidden relationships that record the owners for collections without an inverse, each with
  /// the class of the members.
  private var hiddenRelationships: [(_ModelDescription, StoredRelationship)] {
    models.flatMap { owner in
      owner.properties[owner.offset...].compactMap { property in
        guard case .toMany(let type, _) = property.kind, owner.inverse(of: property.index) == nil
        else { return nil }
        let relationship = StoredRelationship(
          name: hiddenName(property),
          destination: owner.name,
          isToMany: false,
          inverse: property.name,
          storage: .column(hiddenName(property)),
          isHidden: true
        )
        return (_ModelDescription.of(type), relationship)
      }
    }
  }
}
