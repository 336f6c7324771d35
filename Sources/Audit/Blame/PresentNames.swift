import Store

/// What the parts of a history's schemas are called at its end, so that an object can be followed
/// through migrations that renamed its entity or its properties.
struct PresentNames {
  private var successions: [String: SchemaSuccession] = [:]
  /// The names that each entity had, its present one included.
  private var past: [String: Set<String>] = [:]

  /// Follows the names through schemas in the order in which the history got them.
  init(_ schemas: [StoreSchema]) throws {
    for (index, schema) in schemas.enumerated() {
      let succession = try SchemaSuccession(Array(schemas[index...]))
      successions[try SHA256.digest(of: Array(schema.json().utf8)).description] = succession
      for entity in schema.entities {
        past[succession.entity(entity.name) ?? entity.name, default: []].insert(entity.name)
      }
    }
  }

  /// The present name of an entity that is named as it was at some time.
  func present(_ entity: String) -> String {
    if past[entity] != nil { return entity }
    return past.first { $0.value.contains(entity) }?.key ?? entity
  }

  /// All names that some entities ever had.
  func past(of entities: Set<String>) -> Set<String> {
    entities.union(entities.flatMap { past[$0] ?? [] })
  }

  /// Gives a difference the names that its entity and properties have now; what a migration removed
  /// keeps its name.
  func translate(
    _ difference: inout ObjectDifference,
    from schema: String,
    _ vocabulary: Vocabulary
  ) {
    guard let succession = successions[schema],
      let entity = succession.entity(difference.entity)
    else { return }
    let old = difference.entity
    difference.entity = entity
    for index in difference.properties.indices {
      let name = difference.properties[index].name
      difference.properties[index].name = succession.property(name, of: old) ?? name
    }
    vocabulary.explain(&difference)
  }
}
