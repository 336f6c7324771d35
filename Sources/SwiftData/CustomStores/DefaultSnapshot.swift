import Format
import Store

/// The values of one object by the names of its properties.
///
/// The names are also the keys of the encoding. The encoder's strategies apply to attributes, and
/// composite values are nested. A to-one relationship is encoded as a ``PersistentIdentifier``, and
/// a to-many relationship as an array of them. The identity has the key `persistentIdentifier`.
/// Decoding finds the model class by the entity in the identity.
///
/// ```swift
/// let data = try JSONEncoder().encode(snapshot)
/// let copy = try JSONDecoder().decode(DefaultSnapshot.self, from: data)
/// ```
public struct DefaultSnapshot: DataStoreSnapshot {
  let values: SnapshotValues
  /// The reason why the values could not be read; encoding the snapshot throws this error.
  let failure: SwiftDataError?

  /// The identity of the object; temporary until its first save.
  public var persistentIdentifier: PersistentIdentifier { values.identifier }

  init(_ values: SnapshotValues, failure: SwiftDataError? = nil) {
    self.values = values
    self.failure = failure
  }

  /// Copies the values of an object; also adds the related objects in memory to
  /// `relatedBackingDatas`.
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
        error as? SwiftDataError
        ?? SwiftDataError(.unsupportedType, cause: error) {
          "The snapshot of a \(state.description.name) could not be encoded: \(error)."
            + "\nCheck the Codable conformances of the types of its properties."
        }
    }
    for property in state.description.properties where property.destination != nil {
      for model in state.knownRelated(at: property.index) {
        relatedBackingDatas[model._$state.identifier] = model._$state.backingData
      }
    }
  }

  private static func state(behind backingData: any BackingData) -> _ModelState {
    func open<Backing: BackingData>(_ backingData: Backing) -> _ModelState {
      _ModelState._of(backingData, description: _ModelDescription.of(Backing.Model.self))
    }
    return open(backingData)
  }

  /// A copy with another identity; if the remapped identifiers are nil, references keep their
  /// identifiers.
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
  var backingData: any BackingData {
    func make<Model: PersistentModel>(_: Model.Type) -> any BackingData {
      StateBackingData<Model>(self)
    }
    return make(description.type)
  }
}
