import Format

extension ModelContext {
  /// Fetches the models that a descriptor selects; by default, unsaved changes are included.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    let fetch = try request(descriptor)
    let models = try fetch.session.fetch(fetch)
    try prefetch(descriptor.relationshipKeyPathsForPrefetching, of: models)
    return models
  }

  /// Counts the models that a descriptor selects, without reading them.
  public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    let fetch = try request(descriptor)
    return try fetch.session.count(fetch)
  }

  /// Fetches the identifiers of the models that a descriptor selects, without their values.
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier] {
    let fetch = try request(descriptor)
    return try fetch.session.identifiers(fetch)
  }

  func request<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> ContextFetch<T> {
    try prepareToRead()
    if let entity = container.map.entity(of: T.self) {
      return ContextFetch(descriptor: descriptor, entity: entity, context: self)
    }
    throw unknownModel(_ModelDescription.of(T.self))
  }

  /// Reads the destinations of relationships for many models, a few hundred models at a time.
  func prefetch<T: PersistentModel>(_ keyPaths: [PartialKeyPath<T>], of models: [T]) throws {
    for keyPath in keyPaths {
      for chunk in stride(from: 0, to: models.count, by: 500) {
        let states = models[chunk..<min(chunk + 500, models.count)].map(\._$state)
        guard let property = states.first?.description.property(for: keyPath) else {
          throw SwiftDataError(.unsupportedKeyPath) {
            "relationshipKeyPathsForPrefetching contains a key path that is not a relationship of"
              + " \(_ModelDescription.of(T.self).name)."
          }
        }
        guard let entity = states.first?.entity else { continue }
        try session(of: entity).prefetch(property, of: states)
      }
    }
  }
}

extension FetchDescriptor {
  /// A copy of the descriptor without an order, because a count does not depend on the order.
  var unordered: FetchDescriptor<T> {
    var copy = self
    copy.sortBy = []
    return copy
  }
}

func unknownModel(_ model: _ModelDescription) -> SwiftDataError {
  SwiftDataError(.unknownEntity) {
    "The container does not have the model \(model.name)."
      + "\nAdd \(model.name).self to the schema of the container."
  }
}
