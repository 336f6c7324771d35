import Format
import Pipeline
import Store

/// The names of entities and properties at the end of a history.
///
/// With present names, an object can be followed through migrations that rename its entity or
/// properties.
///
/// A question may contain present or earlier names. An entity or property that was removed keeps
/// its last name.
struct PresentNames {
  private let path: String
  private var schemas: [(digest: String, schema: StoreSchema, succession: SchemaSuccession)] = []
  /// All names that each entity ever had, including the present name.
  private var past: [String: Set<String>] = [:]
  /// For each entity, the present names of the entities that ever inherited directly from it.
  private var heirs: [String: Set<String>] = [:]

  init(_ history: History) throws {
    try self.init(history.source.schemas(), of: history.outline.path)
  }

  /// Collects the names from all schemas of a history; the oldest schema is first.
  init(_ all: [StoreSchema], of path: String) throws {
    self.path = path
    for (schema, succession) in zip(all, try SchemaSuccession.successions(to: all)) {
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

  private var hasTables: Bool { schemas.last?.schema.words == .tables }

  /// The present names of an entity, and of all entities that ever inherited from this entity.
  ///
  /// - Throws: ``PipelineError`` if no schema of the history has the entity.
  func family(of entity: String) throws -> Set<String> {
    let present =
      past[entity] != nil ? entity : past.first { $0.value.contains(entity) }?.key
    guard let present else {
      let known = Set(past.values.joined()).sorted()
      throw PipelineError(.unknownName, names: (entity, known)) {
        "There is no \(hasTables ? "recorded table" : "entity") \(inQuotes(abbreviated(entity))) in"
          + " \(path).\nThe known names are \(listText(known))."
      }
    }
    var family: Set<String> = [present]
    var rest = [present]
    while let next = rest.popLast() {
      for heir in heirs[next] ?? [] where family.insert(heir).inserted { rest.append(heir) }
    }
    return family
  }

  /// Selects the changes of some entities or of all entities.
  ///
  /// If a property is given, only changes of the given property are selected.
  ///
  /// - Throws: ``PipelineError`` if none of the entities ever had the property.
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
          let meant = entity.propertyNames.filter {
            wanted.contains(succession.property($0, of: entity.name) ?? $0)
          }
          return meant.isEmpty ? nil : (entity.name, Set(meant))
        },
        under: digest
      )
    }
    return result
  }

  /// The present names of all properties that a name can mean.
  ///
  /// - Throws: ``PipelineError`` if none of the entities ever had the property.
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
        all.formUnion(entity.propertyNames)
        if entity.propertyNames.contains(name) {
          present.insert(succession.property(name, of: entity.name) ?? name)
        }
      }
    }
    guard !present.isEmpty else {
      let known = all.sorted()
      let (owner, property) = hasTables ? ("No table", "column") : ("No entity", "attribute")
      let article = hasTables ? "a" : "an"
      throw PipelineError(.unknownName, names: (name, known)) {
        "\(entity.map { "\($0) has no" } ?? "\(owner) of \(path) has \(article)") \(property)"
          + " \(inQuotes(abbreviated(name))).\nThe known names are \(listText(known))."
      }
    }
    return present.contains(name) ? [name] : present
  }

  /// The columns that were added to a table of an adopted file, with their present names.
  ///
  /// `schema` is the digest of the first schema with the column. No transaction has the initial
  /// value, which all rows got that existed at that time.
  func addedColumns(
    of entity: String
  ) -> [(name: String, initial: PropertyValue, schema: String)] {
    guard hasTables else { return [] }
    var result: [(name: String, initial: PropertyValue, schema: String)] = []
    for (earlier, (digest, schema, succession)) in zip(schemas, schemas.dropFirst()) {
      guard let table = schema.entities.first(where: { succession.entity($0.name) == entity }),
        let before = earlier.schema[table.originalName ?? table.name]
      else { continue }
      for column in table.attributes {
        let source = column.originalName ?? column.name
        guard let value = column.defaultValue,
          !before.attributes.contains(where: { $0.name == source }),
          let name = succession.property(column.name, of: table.name)
        else { continue }
        var json: [UInt8] = []
        appendCanonical(value, as: .any, to: &json)
        var initial = PropertyValue(json: json)
        initial.isSpelled = true
        result.append((name, initial, digest))
      }
    }
    return result
  }

  /// Replaces the names of the entity and properties in a difference by their present names.
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
