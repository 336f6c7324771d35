import Format

extension ModelContext {
  /// Calls a closure with each model that a descriptor selects.
  ///
  /// The models are read in batches, so that memory does not grow with their number.
  ///
  /// - Throws: ``SwiftDataError/contextIsDirty`` if the closure changes a model of this context,
  /// because changed models remain in memory. With `allowEscapingMutations`, such changes are
  /// allowed.
  public func enumerate<T: PersistentModel>(
    _ fetch: FetchDescriptor<T>,
    batchSize: Int = 5000,
    allowEscapingMutations: Bool = false,
    block: (_ model: T) throws -> Void
  ) throws {
    let guarded = allowEscapingMutations ? nil : changeCount
    func visit(_ batch: [T]) throws {
      try prefetch(fetch.relationshipKeyPathsForPrefetching, of: batch)
      for model in batch {
        try block(model)
        guard let guarded, changeCount != guarded else { continue }
        throw SwiftDataError(.contextIsDirty) {
          "A model of the context was changed while the context enumerated"
            + " \(_ModelDescription.of(T.self).name)."
            + "\nIf this is intended, pass allowEscapingMutations: true, and save regularly."
        }
      }
    }
    let size = max(1, batchSize)
    let request = try request(fetch)
    if !hasChanges, try request.session.enumerate(request, batchSize: size, visit) { return }
    for batch in try self.fetch(fetch, batchSize: size).batches { try visit(batch) }
  }

  /// Fetches models in batches; only one batch must be in memory at a time.
  public func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    batchSize: Int
  ) throws -> FetchResultsCollection<T> {
    try FetchResultsCollection(descriptor, batchSize: batchSize, context: self)
  }

  /// Fetches identifiers of models, without their values.
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> {
    try FetchResultsCollection(descriptor, batchSize: batchSize, context: self)
  }
}
