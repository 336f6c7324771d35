import Changes
import Pipeline
import Store

/// What the parts of a history's schemas are called at its end, so that an object can be followed
/// through migrations that renamed its entity or its properties.
///
/// Who asks may use the names of now, or those from before a migration. What a migration removed keeps
/// the name that it had.
struct PresentNames {
  private let path: String
  /// The schemas that the history had, with what transactions name them by.
  private var schemas: [(digest: String, schema: StoreSchema, succession: SchemaSuccession)] = []
  /// The names that each entity had, its present one included.
  private var past: [String: Set<String>] = [:]
  /// The entities that ever inherited from each directly, by their present names.
  private var heirs: [String: Set<String>] = [:]

  /// Follows the names through all schemas of a history, in the order in which it got them.
  init(_ history: History) throws {
    try self.init(history.source.schemas(), of: history.outline.path)
  }

  /// Follows the names through all schemas of a store, the oldest first.
  init(_ all: [StoreSchema], of path: String) throws {
    self.path = path
    for (index, schema) in all.enumerated() {
      let succession = try SchemaSuccession(Array(all[index...]))
      let digest = try SHA256.digest(of: Array(schema.json().utf8)).description
      schemas.append((digest, schema, succession))
      for entity in schema.entities {
        let name = succession.entity(entity.name) ?? entity.name
        past[name, default: []].insert(entity.name)
        guard let parent = entity.parent else { continue }
        heirs[succession.entity(parent) ?? parent, default: []].insert(name)
      }
    }
  }

  /// The present names of an entity and of all that ever inherited from it.
  ///
  /// - Throws: ``AuditError`` where no schema of the history has the entity.
  func family(of entity: String) throws -> Set<String> {
    let present =
      past[entity] != nil ? entity : past.first { $0.value.contains(entity) }?.key
    guard let present else {
      throw AuditError.unknownEntity(entity, in: path, known: Set(past.values.joined()).sorted())
    }
    var family: Set<String> = [present]
    var rest = [present]
    while let next = rest.popLast() {
      for heir in heirs[next] ?? [] where family.insert(heir).inserted { rest.append(heir) }
    }
    return family
  }

  /// The changes that are about some entities, or about all, and where a property is named, about
  /// that one.
  ///
  /// - Throws: ``AuditError`` where none of them ever had the property.
  func changes(
    of entity: String?,
    family: Set<String>?,
    property: String?
  ) throws -> MeantChanges {
    let wanted = try property.map { try properties(called: $0, of: entity, family: family) }
    var result = MeantChanges()
    for (digest, schema, succession) in schemas {
      result.add(
        schema.entities.compactMap { entity in
          guard family?.contains(succession.entity(entity.name) ?? entity.name) ?? true else {
            return nil
          }
          guard let wanted else { return (entity.name, nil) }
          let meant = entity.properties.filter {
            wanted.contains(succession.property($0, of: entity.name) ?? $0)
          }
          return meant.isEmpty ? nil : (entity.name, Set(meant))
        },
        under: digest
      )
    }
    return result
  }

  /// The present names of the properties that somebody may mean by a name.
  ///
  /// - Throws: ``AuditError`` where none of the entities ever had one of this name.
  func properties(
    called name: String,
    of entity: String?,
    family: Set<String>?
  ) throws -> Set<String> {
    var all: Set<String> = []
    var present: Set<String> = []
    for (_, schema, succession) in schemas {
      for entity in schema.entities
      where family?.contains(succession.entity(entity.name) ?? entity.name) ?? true {
        all.formUnion(entity.properties)
        if entity.properties.contains(name) {
          present.insert(succession.property(name, of: entity.name) ?? name)
        }
      }
    }
    guard !present.isEmpty else {
      throw AuditError.unknownProperty(name, of: entity, in: path, known: all.sorted())
    }
    return present.contains(name) ? [name] : present
  }

  /// Gives a difference the names that its entity and properties have now.
  func translate(
    _ difference: inout ObjectDifference,
    from schema: String,
    vocabulary: Vocabulary
  ) {
    guard let succession = schemas.first(where: { $0.digest == schema })?.succession,
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

extension Entity {
  fileprivate var properties: [String] { attributes.map(\.name) + relationships.map(\.name) }
}
