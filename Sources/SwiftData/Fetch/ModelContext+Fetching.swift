extension ModelContext {
  /// Fetches the models that a descriptor describes; changes that are not saved are seen.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    let fetch = try request(descriptor)
    let models = try fetch.store.fetch(fetch)
    try prefetch(descriptor.relationshipKeyPathsForPrefetching, of: models)
    return models
  }

  /// Counts the models that a descriptor describes.
  public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    let fetch = try request(descriptor)
    return try fetch.store.count(fetch)
  }

  /// Fetches the identifiers of the models that a descriptor describes.
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier] {
    let fetch = try request(descriptor)
    return try fetch.store.identifiers(fetch)
  }

  /// Makes sure that a fetch sees what it should, and finds the entity that it is of.
  func request<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> ContextFetch<T> {
    if let error = deferredError {
      deferredError = nil
      throw error
    }
    if autosaveEnabled, !isMain, hasChanges { try save() }
    if let entity = container.map.entity(of: T.self) {
      return ContextFetch(descriptor: descriptor, entity: entity, context: self)
    }
    throw SwiftDataError(
      .unknownEntity,
      "The container has no model \(_ModelDescription.of(T.self).name). Add "
        + "\(_ModelDescription.of(T.self).name).self to the schema of the container."
    )
  }
}

extension FetchDescriptor {
  /// The same without an order, which a count doesn't need.
  var unordered: FetchDescriptor<T> {
    var copy = self
    copy.sortBy = []
    return copy
  }
}
