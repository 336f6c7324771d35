import Format
import SQLite

/// Translates the names in an earlier schema to the present names.
package struct SchemaSuccession: Sendable {
  private var entities: [String: String] = [:]
  private var properties: [String: [String: String]] = [:]

  /// Follows the names from the first of the schemas to the last.
  package init(_ schemas: [StoreSchema]) throws {
    for entity in schemas.first?.entities ?? [] {
      entities[entity.name] = entity.name
      properties[entity.name] = Dictionary(
        entity.propertyNames.map { ($0, $0) },
        uniquingKeysWith: { first, _ in first }
      )
    }
    for (old, new) in zip(schemas, schemas.dropFirst()) {
      let mapping = try SchemaMapping(from: old, to: new)
      for (name, before) in entities {
        guard let index = old.entities.firstIndex(where: { $0.name == before }),
          let successor = mapping.successor(of: EntityIndex(index))
        else {
          entities[name] = nil
          properties[name] = nil
          continue
        }
        entities[name] = new.entities[successor].name
        let renamed = mapping.renamedProperties(of: successor)
        properties[name] = properties[name]?.compactMapValues { renamed[$0] }
      }
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
