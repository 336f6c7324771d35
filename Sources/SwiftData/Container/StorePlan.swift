import Format
import Store

/// The assignment of models to stores; computed before any store is opened.
struct StorePlan {
  let schema: Schema
  let configurations: [any DataStoreConfiguration]
  let map: EntityMap

  init(schema: Schema, configurations: [any DataStoreConfiguration]) throws {
    self.schema = schema
    self.configurations = configurations
    try Self.validate(configurations)
    let groups = try Self.groups(of: schema, configurations: configurations)
    var schemas: [StoreSchema] = []
    var entities: [EntityDescription] = []
    var tables: [String: Int] = [:]
    for (storeIndex, models) in groups.enumerated() {
      let resolution = try SchemaResolution(models: models, version: "\(schema.version)")
      let resolved = try resolution.resolve()
      for (index, entity) in resolved.entities.enumerated() {
        guard let model = models.first(where: { $0.name == entity.name }) else { continue }
        let table = "\(storeIndex) \(entity.table)"
        let tableIndex = tables[table] ?? tables.count
        tables[table] = tableIndex
        entities.append(
          EntityDescription(
            model,
            entity: entity,
            index: EntityIndex(index),
            storeIndex: storeIndex,
            tableIndex: tableIndex
          )
        )
      }
      schemas.append(resolved)
    }
    map = EntityMap(entities: entities, schemas: schemas)
  }

  private static func validate(_ configurations: [any DataStoreConfiguration]) throws {
    var files: Set<String> = []
    for configuration in configurations {
      try configuration.validate()
      guard let native = configuration as? ModelConfiguration, !native.isStoredInMemoryOnly else {
        continue
      }
      let path = native.url.standardizedFileURL.path
      guard files.insert(path).inserted else {
        throw SwiftDataError(.duplicateConfiguration) {
          "Two configurations of one container use the same file \(path)."
            + "\nGive each configuration a different file."
        }
      }
    }
  }

  /// The models of each configuration: those of its schema, or all models that are not in another
  /// configuration.
  private static func groups(
    of schema: Schema,
    configurations: [any DataStoreConfiguration]
  ) throws -> [[_ModelDescription]] {
    let all = schema.models.map(_ModelDescription.of)
    var groups: [[_ModelDescription]] = []
    var asked: Set<ObjectIdentifier> = []
    for configuration in configurations {
      let own = configuration.schema?.models.map(_ModelDescription.of) ?? []
      for model in own {
        guard all.contains(where: { $0 === model }) else {
          throw SwiftDataError(.configurationSchemaNotFoundInContainerSchema) {
            "The configuration \(configuration.name) contains the model \(model.name), but the"
              + " schema of the container does not."
              + "\nAdd the model to the schema of the container."
          }
        }
        asked.insert(ObjectIdentifier(model))
      }
      groups.append(own)
    }
    let rest = all.filter { !asked.contains(ObjectIdentifier($0)) }
    if let open = configurations.firstIndex(where: { $0.schema == nil }) {
      groups[open] = rest
    } else if let orphan = rest.first {
      throw SwiftDataError(.configurationSchemaNotFoundInContainerSchema) {
        "No configuration of the container contains the model \(orphan.name)."
          + "\nAdd the model to the schema of a configuration, or add a configuration without a"
          + " schema."
      }
    }
    return groups
  }
}
