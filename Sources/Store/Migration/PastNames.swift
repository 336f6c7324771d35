import Format

/// Translates changes that were recorded under an earlier schema to the present schema.
struct PastNames {
  /// The present name of a past entity, or the fact that the entity was removed.
  struct Successor {
    let entity: EntityIndex
    /// For each past property, the present name, or the fact that the property was removed.
    ///
    /// The keys are the names as JSON keys, with the quotes and the colon.
    let properties: [[UInt8]: Property]
    /// The keys of the properties that a later migration added.
    ///
    /// These properties are null in all objects, until history has another value.
    let added: [[UInt8]]
  }

  /// The present name of a past property, or the fact that the property was removed.
  struct Property {
    let key: [UInt8]
    /// The types that an attribute has had, from the first type to the present type; empty for a
    /// relationship, and for a column of an adopted file.
    let types: [ValueType]
    /// For a relationship, the text before the id in its references.
    var reference: [UInt8] = []
    /// Whether values of the property have the same encoding in all schemas.
    let isSame: Bool
  }

  private let entities: [[UInt8]: Successor]

  /// Follows the names through the schemas, which are ordered from the oldest to the newest.
  init(_ schemas: [StoreSchema]) throws {
    guard let first = schemas.first else {
      entities = [:]
      return
    }
    let layouts = try first.layouts()
    let joins = joinTables(among: layouts)
    var found: [Path] = layouts.map { Path($0, joins: joins, layouts: layouts) }
    for (old, new) in zip(schemas, schemas.dropFirst()) {
      let mapping = try SchemaMapping(from: old, to: new)
      let newJoins = joinTables(among: mapping.newLayouts)
      for index in found.indices { found[index].follow(mapping, newJoins: newJoins) }
    }
    guard let last = schemas.last else {
      entities = [:]
      return
    }
    let present = try last.layouts()
    let presentJoins = joinTables(among: present)
    var result: [[UInt8]: Successor] = [:]
    for (path, layout) in zip(found, layouts) {
      result[Array(layout.entity.name.utf8)] = path.successor(present, joins: presentJoins)
    }
    entities = result
  }

  /// The names of the tables and columns of an adopted file under one of its earlier schemas.
  init(_ places: [[UInt8]: PastTables.Place], layouts: [EntityLayout]) {
    entities = places.mapValues { place in
      let layout = layouts[place.table]
      let present = layout.columns.map { memberKey($0.logName) }
      let keys = place.keys ?? Dictionary(zip(present, present)) { first, _ in first }
      var properties: [[UInt8]: Property] = [:]
      for (old, new) in keys { properties[old] = Property(key: new, types: [], isSame: old == new) }
      return Successor(entity: layout.index, properties: properties, added: [])
    }
  }

  func successor(of entity: UnsafeRawBufferPointer) -> Successor? { entities[Array(entity)] }

  /// A value in the present encoding; nil if it can't be converted.
  static func present(_ value: EncodedValue, property: Property) -> EncodedValue? {
    let isOnlyRenamed = property.types.isEmpty && property.reference.isEmpty
    if property.isSame || isOnlyRenamed || !value.large.isEmpty { return value }
    guard property.reference.isEmpty else {
      return EncodedValue(json: renamed(value.json, reference: property.reference))
    }
    let name = value.specialName
    let special = name.flatMap { SpecialValue(name: $0) }
    guard name == nil || special != nil,
      var stored = try? value.json.withUnsafeBytes({
        // A value that can't be parsed is treated as unknown.
        try parseCanonical($0, special: special, as: property.types[0])
      })
    else { return nil }
    for (old, new) in zip(property.types, property.types.dropFirst()) {
      if case .null = stored { break }
      guard let next = converted(stored, from: old, to: new) else { return nil }
      stored = next
    }
    var result = EncodedValue(json: [])
    let type = property.types[property.types.count - 1]
    if let unshown = appendCanonical(stored, as: type, to: &result.json) {
      appendJSONString(unshown.name, to: &result.special)
    }
    return result
  }

  /// A reference or a list of links, with the present name of the destination.
  private static func renamed(_ json: [UInt8], reference: [UInt8]) -> [UInt8] {
    switch json.first {
    case UInt8(ascii: "["):
      let links = CanonicalText(json).elements.map { renamed($0, reference: reference) }
      return [0x5b] + Array(links.joined(separator: [0x2c])) + [0x5d]
    case UInt8(ascii: "{"):
      // The text of the id includes its quotes.
      guard let id = CanonicalText(json).value(of: "id") else { return json }
      return reference + id.dropFirst() + [0x7d]
    default: return json
    }
  }

  /// One entity, followed through the schemas.
  private struct Path {
    var entity: EntityIndex?
    /// The properties so far, by their key in the first schema.
    var properties: [[UInt8]: Property] = [:]
    /// The names of the attributes and to-one relationships that were added later.
    var added: Set<String> = []

    struct Property {
      var name: String
      var types: [ValueType]
      var isLinks: Bool
      /// The text before the id in a reference under the first schema.
      var reference: [UInt8]
    }

    init(_ layout: EntityLayout, joins: [JoinTable], layouts: [EntityLayout]) {
      entity = layout.index
      for column in layout.columns {
        properties[memberKey(column.logName)] =
          Property(
            name: column.property,
            types: column.type.map { [$0] } ?? [],
            isLinks: false,
            reference: column.destination.map { referencePrefix(layouts[$0].entity.name) } ?? []
          )
      }
      for join in joins where layouts[join.owner].family.contains(layout.index) {
        let name = layouts[join.owner].entity.relationships[join.relationship].name
        properties[memberKey(join.logName(layouts))] = Property(
          name: name,
          types: [],
          isLinks: true,
          reference: referencePrefix(layouts[join.destination].entity.name)
        )
      }
    }

    mutating func follow(_ mapping: SchemaMapping, newJoins: [JoinTable]) {
      guard let old = entity, let new = mapping.successor(of: old) else {
        entity = nil
        return
      }
      entity = new
      let layout = mapping.newLayouts[new]
      added = Set(layout.columns.map(\.property).filter { isAdded($0, by: mapping, to: new) })
      var names: [String: (String, ValueType?)] = [:]
      for attribute in mapping.to.entities[new].attributes {
        if let source = mapping.source(of: attribute, in: new) {
          names[source.name] = (attribute.name, attribute.type)
        }
      }
      for relationship in mapping.to.entities[new].relationships {
        guard let source = mapping.source(of: relationship, in: new) else { continue }
        names[source.name] = (relationship.name, nil)
      }
      let owned = newJoins.filter { mapping.newLayouts[$0.owner].family.contains(new) }
      let links = owned.map {
        mapping.newLayouts[$0.owner].entity.relationships[$0.relationship].name
      }
      properties = properties.compactMapValues { property -> Property? in
        guard let (name, type) = names[property.name] else { return nil }
        // If a relationship moved to another entity, its links are recorded as changes of that
        // entity's objects.
        let isThere = property.isLinks ? links.contains(name) : layout.column(of: name) != nil
        guard isThere else { return nil }
        var result = property
        result.name = name
        if let type { result.types.append(type) }
        return result
      }
    }

    /// Whether a property of an entity is null in all objects after a migration.
    private func isAdded(
      _ name: String,
      by mapping: SchemaMapping,
      to entity: EntityIndex
    ) -> Bool {
      let new = mapping.to.entities[entity]
      if let attribute = new.attributes.first(where: { $0.name == name }) {
        return mapping.source(of: attribute, in: entity).map { added.contains($0.name) } ?? true
      }
      guard let relationship = new.relationships.first(where: { $0.name == name }) else {
        return false
      }
      if let old = mapping.source(of: relationship, in: entity) { return added.contains(old.name) }
      return mapping.links(of: relationship, in: entity) == nil
    }

    func successor(_ layouts: [EntityLayout], joins: [JoinTable]) -> Successor? {
      guard let entity else { return nil }
      let layout = layouts[entity]
      var result: [[UInt8]: PastNames.Property] = [:]
      func add(_ key: [UInt8], property: Property, name: String, destination: EntityIndex?) {
        let present = memberKey(name)
        let reference = destination.map { referencePrefix(layouts[$0].entity.name) } ?? []
        result[key] = PastNames.Property(
          key: present,
          types: property.types,
          reference: reference,
          isSame: key == present && Set(property.types).count < 2
            && reference == property.reference
        )
      }
      for (key, property) in properties {
        if property.isLinks {
          let join = joins.first { join in
            layouts[join.owner].family.contains(entity)
              && layouts[join.owner].entity.relationships[join.relationship].name == property.name
          }
          if let join {
            add(key, property: property, name: join.logName(layouts), destination: join.destination)
          }
        } else if let index = layout.column(of: property.name) {
          let column = layout.columns[index]
          add(key, property: property, name: column.logName, destination: column.destination)
        }
      }
      let keys = layout.columns.filter { added.contains($0.property) }.map { memberKey($0.logName) }
      return Successor(entity: entity, properties: result, added: keys)
    }
  }
}
