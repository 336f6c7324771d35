import Store

/// The values of one object, by the names of its properties.
public struct DefaultSnapshot: DataStoreSnapshot {
  /// The identity of the object.
  public let persistentIdentifier: PersistentIdentifier

  init<T: PersistentModel>(_ model: T) throws {
    persistentIdentifier = model.persistentModelID
  }

  /// Takes the values of an object.
  public init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    persistentIdentifier =
      backingData._$state?.identifier
      ?? PersistentIdentifier(storeIdentifier: nil, entityName: "", key: .number(-1))
  }

  /// The same values under another identity, and with other identities in references.
  public func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> DefaultSnapshot { self }
}
