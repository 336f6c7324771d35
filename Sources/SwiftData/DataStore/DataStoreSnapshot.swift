/// An interface for the values of one object, as a store takes and gives them.
public protocol DataStoreSnapshot: Codable, Sendable {
  /// The identity of the object.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Takes the values of an object.
  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

  /// The same values under another identity, and with other identities in references.
  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}
