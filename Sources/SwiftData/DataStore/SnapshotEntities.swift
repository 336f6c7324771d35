/// Finds the model class of a snapshot while the snapshot is decoded, because an encoded snapshot
/// contains only the name of the entity.
enum SnapshotEntities {
  /// The entities of the store that the current thread or task is calling.
  @TaskLocal static var current: [String: _ModelDescription]?

  private struct Known {
    var byStore: [String: [String: _ModelDescription]] = [:]
    var byName: [String: _ModelDescription] = [:]
  }

  private static let known = Guarded(Known())

  /// Registers entities; if several entities have the same name, the last registered one applies.
  static func register(_ models: [_ModelDescription]) {
    known.withLock { known in
      for model in models { known.byName[model.name] = model }
    }
  }

  static func register(_ models: [String: _ModelDescription], ofStore identifier: String) {
    known.withLock { $0.byStore[identifier] = models }
  }

  /// The model class of an object.
  ///
  /// The search covers the store that is being called, then the store that the identifier names,
  /// then the last registered entity with the name.
  static func description(of identifier: PersistentIdentifier) -> _ModelDescription? {
    let name = identifier.entityName
    if let found = current?[name] { return found }
    return known.withLock { known in
      identifier.storeIdentifier.flatMap { known.byStore[$0]?[name] } ?? known.byName[name]
    }
  }
}
