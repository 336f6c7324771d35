/// Finds the model class of a snapshot that is being decoded, which contains only the entity's
/// name.
enum SnapshotEntities {
  /// The entities of the store that this thread or task is calling.
  @TaskLocal static var current: [String: _ModelDescription]?

  private struct Known {
    var byStore: [String: [String: _ModelDescription]] = [:]
    var byName: [String: _ModelDescription] = [:]
  }

  private static let known = Guarded(Known())

  /// Registers entities; the last ones apply if only a name is known.
  static func register(_ models: [_ModelDescription]) {
    known.withLock { known in
      for model in models { known.byName[model.name] = model }
    }
  }

  static func register(_ models: [String: _ModelDescription], ofStore identifier: String) {
    known.withLock { $0.byStore[identifier] = models }
  }

  /// The model class of an object: from the store that is being called, or the store of the
  /// identifier, or else the last registered one of that name.
  static func description(of identifier: PersistentIdentifier) -> _ModelDescription? {
    let name = identifier.entityName
    if let found = current?[name] { return found }
    return known.withLock { known in
      identifier.storeIdentifier.flatMap { known.byStore[$0]?[name] } ?? known.byName[name]
    }
  }
}
