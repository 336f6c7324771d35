import Format

extension ModelContainer {
  private convenience init(
    schema: Schema,
    point: PastPoint,
    stores given: [ModelConfiguration]
  ) throws {
    let plan = try StorePlan(
      schema: schema,
      configurations: given.isEmpty ? [ModelConfiguration(schema: schema)] : given
    )
    let stores = try plan.configurations.enumerated().compactMap { index, configuration in
      try (configuration as? ModelConfiguration).map {
        try NativeStore($0, map: plan.map, storeIndex: index, migrationPlan: nil, asOf: point)
      }
    }
    if case .token(let token) = point,
      !stores.contains(where: { token.points[$0.identifier] != nil })
    {
      throw SwiftDataError(.invalidTransactionFetchRequest) {
        "The token belongs to other stores than the container, so it names no state of them."
          + "\nGive a token from the history of the container's stores."
      }
    }
    self.init(plan, migrationPlan: nil, stores: stores)
  }

  /// Opens the earlier state that the stores had after the transactions that a token covers.
  ///
  /// Fetches, predicates, sort orders and relationships work as in any other container, with the
  /// objects and values of that state. The container only reads: a save throws
  /// ``SwiftDataError/readOnly``, and other programs can write to the stores meanwhile. History is
  /// not cut off at the token, so ``ModelContext/fetchHistory(_:)`` still returns all transactions.
  ///
  /// ```swift
  /// let monday = try ModelContainer(for: Trip.self, asOf: token)
  /// let trips = try ModelContext(monday).fetch(FetchDescriptor<Trip>())
  /// ```
  ///
  /// The state is computed in temporary tables from the present rows and the later changes, so
  /// opening takes longer the more was changed since. A store that the token does not contain is
  /// empty in the container. Erased values are nil; a fetch of an object with an erased value in a
  /// property that is not optional throws.
  ///
  /// - Throws: A ``SwiftDataError``: ``SwiftDataError/historyTokenExpired`` if history no longer
  ///   shows the state, ``SwiftDataError/historyDiverged`` if a store was restored from an older
  ///   copy, ``SwiftDataError/loadIssueModelContainer`` if a later transaction migrated a store (the
  ///   message names the differences), and ``SwiftDataError/unsupportedFeature`` for a store in
  ///   memory.
  public convenience init(
    for forTypes: any PersistentModel.Type...,
    asOf token: DefaultHistoryToken,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(schema: Schema(forTypes), point: .token(token), stores: configurations)
  }

  /// Opens the earlier state that the stores had at a time, after their last transactions that are
  /// not later.
  ///
  /// The container only reads, as the one for a token. At a time before the first transaction, a
  /// store is empty.
  ///
  /// ```swift
  /// let yesterday = try ModelContainer(for: Trip.self, asOf: .now.addingTimeInterval(-86_400))
  /// ```
  public convenience init(
    for forTypes: any PersistentModel.Type...,
    asOf date: Date,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(schema: Schema(forTypes), point: .date(date), stores: configurations)
  }

  /// Opens the earlier state of stores for a schema, after the transactions that a token covers.
  ///
  /// A save throws ``SwiftDataError/readOnly``.
  public convenience init(
    for givenSchema: Schema,
    asOf token: DefaultHistoryToken,
    configurations: [ModelConfiguration] = []
  ) throws {
    try self.init(schema: givenSchema, point: .token(token), stores: configurations)
  }

  /// Opens the earlier state of stores for a schema, at a time.
  ///
  /// A save throws ``SwiftDataError/readOnly``.
  public convenience init(
    for givenSchema: Schema,
    asOf date: Date,
    configurations: [ModelConfiguration] = []
  ) throws {
    try self.init(schema: givenSchema, point: .date(date), stores: configurations)
  }
}
