import Store

/// The values of one object, by the names of its properties.
///
/// It is encoded with the names as keys: attributes by the encoder's own strategies, composite
/// values nested, a to-one relationship as a ``PersistentIdentifier``, a to-many one as an array of
/// them, the identity under `persistentIdentifier`. It is decoded by the model class that the
/// entity of the identity names.
public struct DefaultSnapshot: DataStoreSnapshot {
  let values: SnapshotValues
  /// Why the values could not be taken; encoding throws it.
  let failure: SwiftDataError?

  /// The identity of the object.
  public var persistentIdentifier: PersistentIdentifier { values.identifier }

  init(_ values: SnapshotValues, failure: SwiftDataError? = nil) {
    self.values = values
    self.failure = failure
  }

  /// Takes the values of an object, and tells what of its relationships is in memory.
  public init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    let state = Self.state(behind: backingData)
    let identifier = backingData.persistentModelID ?? state.identifier
    SnapshotEntities.register([state.description])
    do {
      var taken = try SnapshotValues(state)
      taken.identifier = identifier
      values = taken
      failure = nil
    } catch {
      values = SnapshotValues(
        identifier: identifier,
        description: state.description,
        contents: Array(repeating: .absent, count: state.description.properties.count)
      )
      failure =
        error as? SwiftDataError ?? SwiftDataError(.notInSnapshot(state.description.name, error))
    }
    for property in state.description.properties where property.destination != nil {
      for model in state.knownRelated(at: property.index) {
        relatedBackingDatas[model._$state.identifier] = model._$state.backingData
      }
    }
  }

  private static func state(behind backingData: any BackingData) -> _ModelState {
    func open<Backing: BackingData>(_ backingData: Backing) -> _ModelState {
      _ModelState._of(backingData, _ModelDescription.of(Backing.Model.self))
    }
    return open(backingData)
  }

  /// The same values under another identity, and with other identities in references.
  public func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = nil
  ) -> DefaultSnapshot {
    DefaultSnapshot(
      values.copy(persistentIdentifier, remapped: remappedIdentifiers ?? [:]),
      failure: failure
    )
  }
}

extension _ModelState {
  /// The storage of the object as models and snapshots see it.
  var backingData: any BackingData {
    func make<Model: PersistentModel>(_: Model.Type) -> any BackingData {
      StateBackingData<Model>(self)
    }
    return make(description.type)
  }
}
