extension ModelContainer {
  /// Opens one native store.
  convenience init(
    schema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)?,
    store configuration: ModelConfiguration
  ) throws {
    let plan = try StorePlan(schema: schema, configurations: [configuration])
    let store = try NativeStore(
      configuration,
      map: plan.map,
      storeIndex: 0,
      migrationPlan: migrationPlan
    )
    self.init(plan, migrationPlan: migrationPlan, stores: [store])
  }

  /// The identifier of the store with a configuration of this name; nil if there is no such
  /// configuration.
  ///
  /// Tokens of a ``HistoryObserver`` use this identifier as the key of the store.
  public func storeIdentifier(forConfigurationNamed name: String) -> String? {
    stores.first { $0.native?.configuration.name == name }?.identifier
  }
}
