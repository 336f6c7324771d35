import Format
import SQLite

/// Translates the names in an earlier schema to the present names.
package struct SchemaSuccession: Sendable {
  private var entities: [String: String] = [:]
  private var properties: [String: [String: String]] = [:]

  /// Follows the names from the first of the schemas to the last.
  package init(_ schemas: [StoreSchema]) throws {
    self = try Self.successions(to: schemas)[0]
  }

  /// For each of the schemas, its names followed to the last of them.
  package static func successions(to schemas: [StoreSchema]) throws -> [SchemaSuccession] {
    var result = [SchemaSuccession(of: schemas.last)]
    for (old, new) in zip(schemas, schemas.dropFirst()).reversed() {
      let mapping = try SchemaMapping(from: old, to: new)
      result.append(SchemaSuccession(mapping, then: result[result.count - 1]))
    }
    return result.reversed()
  }

  /// Each name of a schema as its own successor.
  private init(of schema: StoreSchema?) {
    for entity in schema?.entities ?? [] {
      entities[entity.name] = entity.name
      properties[entity.name] = Dictionary(
        entity.propertyNames.map { ($0, $0) },
        uniquingKeysWith: { first, _ in first }
      )
    }
  }

  /// The names of the old schema, followed to the new one, and from there to a later one.
  private init(_ mapping: SchemaMapping, then later: SchemaSuccession) {
    for (index, entity) in mapping.from.entities.enumerated() {
      guard let new = mapping.successor(of: EntityIndex(index)) else { continue }
      let name = mapping.to.entities[new].name
      guard let last = later.entities[name], let names = later.properties[name] else { continue }
      entities[entity.name] = last
      properties[entity.name] = mapping.renamedProperties(of: new).compactMapValues { names[$0] }
    }
  }

  /// The present name of an entity; nil if it was removed.
  package func entity(_ name: String) -> String? { entities[name] }

  /// The present name of a property; nil if it was removed.
  package func property(_ name: String, of entity: String) -> String? { properties[entity]?[name] }
}

extension SchemaMapping {
  func renamedProperties(of new: EntityIndex) -> [String: String] {
    var result: [String: String] = [:]
    for attribute in to.entities[new].attributes {
      if let old = source(of: attribute, in: new) { result[old.name] = attribute.name }
    }
    for relationship in to.entities[new].relationships {
      if let old = source(of: relationship, in: new) { result[old.name] = relationship.name }
    }
    return result
  }
}

extension Entity {
  package var propertyNames: [String] { attributes.map(\.name) + relationships.map(\.name) }
}

extension Reader {
  package func lastSchema() throws -> Int64 {
    try connection.integer("SELECT max(id) FROM \(connection.tables.schema)") ?? 0
  }

  /// The schemas of the store, from the oldest to the present one.
  package func schemas() throws -> [CatalogSchema] { try catalogSchemas(on: connection) }
}
