/// Finds the model class of a snapshot that is being decoded: it carries no more of it than the
/// entity's name.
enum SnapshotEntities {
  /// The entities of the store that is being called, where the call is on this thread or task.
  @TaskLocal static var current: [String: _ModelDescription]?

  private struct Known {
    var byStore: [String: [String: _ModelDescription]] = [:]
    var byName: [String: _ModelDescription] = [:]
  }

  private static let known = Guarded(Known())

  /// Makes entities known; those that came last are meant where only a name is given.
  static func register(_ models: [_ModelDescription]) {
    known.withLock { known in
      for model in models { known.byName[model.name] = model }
    }
  }

  /// Makes the entities of a store known.
  static func register(_ models: [String: _ModelDescription], ofStore identifier: String) {
    known.withLock { $0.byStore[identifier] = models }
  }

  /// The model class of an object: that of the store which is being called, that of the store
  /// which the identifier names, or the one that last had the name.
  static func description(of identifier: PersistentIdentifier) -> _ModelDescription? {
    let name = identifier.entityName
    if let found = current?[name] { return found }
    return known.withLock { known in
      identifier.storeIdentifier.flatMap { known.byStore[$0]?[name] } ?? known.byName[name]
    }
  }
}
