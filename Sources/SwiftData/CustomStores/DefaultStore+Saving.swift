import Format
import Store

extension DefaultStore {
  /// Writes the changes of one save in one transaction.
  ///
  /// Unique values, delete rules and inverses have the same effects as in a context.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let context = context(for: request.editingState)
    var made: [PersistentIdentifier: any PersistentModel] = [:]
    for snapshot in request.inserted {
      made[snapshot.persistentIdentifier] = try insert(snapshot, into: context)
    }
    func find(_ identifier: PersistentIdentifier) -> (any PersistentModel)? {
      made[identifier] ?? context.registeredAny(for: identifier)
        ?? context.readModel(for: identifier)
    }
    for snapshot in request.inserted {
      guard let model = made[snapshot.persistentIdentifier] else { continue }
      link(model, values: snapshot.values, find)
    }
    for snapshot in request.updated {
      guard let model = find(snapshot.persistentIdentifier) else {
        throw SwiftDataError(.saveFailed) {
          "The object \(snapshot.persistentIdentifier.id) can't be updated, because the object is"
            + " not in the store \(name)."
            + "\nFetch the object again, or pass the object to the store as an inserted object."
        }
      }
      try update(model, values: snapshot.values)
      link(model, values: snapshot.values, find)
    }
    for snapshot in request.deleted {
      if let model = find(snapshot.persistentIdentifier) { context.deleteAny(model) }
    }
    try context.save()
    return DataStoreSaveChangesResult(
      for: identifier,
      remappedIdentifiers: made.mapValues(\.persistentModelID)
    )
  }

  private func insert(
    _ snapshot: DefaultSnapshot,
    into context: ModelContext
  ) throws -> any PersistentModel {
    if let failure = snapshot.failure { throw failure }
    let values = snapshot.values
    let state = _ModelState(values.description)
    for property in values.description.properties {
      guard case .attribute(let codec) = property.kind,
        case .attribute(let stored) = values.contents[property.index]
      else { continue }
      state.slots[property.index] = try .attribute(stored, codec: codec)
    }
    let model = values.description.make(state)
    context.insertAny(model)
    return model
  }

  private func update(_ model: any PersistentModel, values: SnapshotValues) throws {
    let state = model._$state
    for property in values.description.properties {
      guard case .attribute(let codec) = property.kind,
        case .attribute(let stored) = values.contents[property.index],
        try state.stored(at: property.index) != stored
      else { continue }
      state.willChange(property.index)
      state.slots[property.index] = try .attribute(stored, codec: codec)
    }
  }

  private func link(
    _ model: any PersistentModel,
    values: SnapshotValues,
    _ find: (PersistentIdentifier) -> (any PersistentModel)?
  ) {
    let state = model._$state
    for property in values.description.properties {
      let index = property.index
      switch values.contents[index] {
      case .toOne(let target):
        let old = state.toOne(index)
        let new = target.flatMap(find)
        if old !== new { state.setToOne(index, to: new, owner: model) }
      case .toMany(let targets):
        let new = targets?.compactMap(find)
        let old = state.toMany(index)
        if !old.isNil == (new != nil), old.models.elementsEqual(new ?? [], by: ===) { continue }
        state.setToMany(index, to: new, owner: model)
      case .attribute, .absent: break
      }
    }
  }
}
