extension ModelContainer {
  private convenience init(
    schema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)?,
    stores given: [any DataStoreConfiguration]
  ) throws {
    let plan = try StorePlan(
      schema: schema,
      configurations: given.isEmpty ? [ModelConfiguration(schema: schema)] : given
    )
    self.init(plan, migrationPlan: migrationPlan, stores: try plan.open(migrationPlan))
  }

  /// Opens stores for model classes; without a configuration, one store in the default file.
  ///
  /// - Throws: A ``SwiftDataError`` if a model can't be stored, or a store can't be opened or
  /// migrated.
  public convenience init(
    for forTypes: any PersistentModel.Type...,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(schema: Schema(forTypes), migrationPlan: migrationPlan, stores: configurations)
  }

  /// Opens native and custom stores for model classes; each model must be in one configuration.
  @_disfavoredOverload
  public convenience init(
    for forTypes: any PersistentModel.Type...,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(schema: Schema(forTypes), migrationPlan: migrationPlan, stores: configurations)
  }

  /// Opens stores for an array of model classes, in the same way as for a list of model classes.
  public convenience init(
    for types: [any PersistentModel.Type],
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(schema: Schema(types), migrationPlan: migrationPlan, stores: configurations)
  }

  /// Opens stores for a schema; without a configuration, one store in the default file.
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration]
  ) throws {
    try self.init(schema: givenSchema, migrationPlan: migrationPlan, stores: configurations)
  }

  /// Opens stores for a schema; without a configuration, one store in the default file.
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(schema: givenSchema, migrationPlan: migrationPlan, stores: configurations)
  }

  /// Opens native and custom stores for a schema; each model must be in one configuration.
  @_disfavoredOverload
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [any DataStoreConfiguration]
  ) throws {
    try self.init(schema: givenSchema, migrationPlan: migrationPlan, stores: configurations)
  }

  /// Opens native and custom stores for a schema; each model must be in one configuration.
  @_disfavoredOverload
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(schema: givenSchema, migrationPlan: migrationPlan, stores: configurations)
  }

  /// Opens stores for a schema without a migration plan, with the parameters of an older version of
  /// Apple's SwiftData.
  public convenience init(
    for givenSchema: Schema,
    _ first: ModelConfiguration,
    _ others: ModelConfiguration...
  ) throws {
    try self.init(schema: givenSchema, migrationPlan: nil, stores: [first] + others)
  }
}

extension StorePlan {
  func open(_ migrationPlan: (any SchemaMigrationPlan.Type)?) throws -> [any Backend] {
    try configurations.enumerated().map { index, configuration in
      if let native = configuration as? ModelConfiguration {
        return try NativeStore(native, map: map, storeIndex: index, migrationPlan: migrationPlan)
      }
      var configuration = configuration
      let models = map.entities.filter { $0.storeIndex == index }.map(\.model)
      if configuration.schema == nil {
        configuration.schema = Schema(models.map(\.type), version: schema.version)
      }
      return try CustomStore.open(configuration, models: models, migrationPlan: migrationPlan)
    }
  }
}
