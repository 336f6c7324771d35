/// An interface for the values of one object, as a store takes and gives them.
///
/// SwiftData reads the values of a snapshot by encoding it: each under the name of its property,
/// a to-one relationship as a ``PersistentIdentifier``, a to-many one as an array of them. See
/// ``DataStoreSnapshotCodingKey``.
public protocol DataStoreSnapshot: Decodable, Encodable, Sendable {
  /// The identity of the object.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Takes the values of an object.
  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  )

  /// The same values under another identity, and with other identities in references.
  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

/// A value that a snapshot can hold.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The keys under which a snapshot is encoded.
public enum DataStoreSnapshotCodingKey: CodingKey, Hashable, Sendable {
  /// The identity of the object.
  case persistentIdentifier
  /// The property of that name.
  case modeledProperty(String)

  /// The key of a text; every text that is not of the identity names a property.
  public init?(stringValue: String) {
    self =
      stringValue == Self.persistentIdentifier.stringValue
      ? .persistentIdentifier : .modeledProperty(stringValue)
  }

  /// None: snapshots have no numbered values.
  public init?(intValue: Int) { nil }

  /// The name of the property, or `persistentIdentifier`.
  public var stringValue: String {
    switch self {
    case .persistentIdentifier: "persistentIdentifier"
    case .modeledProperty(let name): name
    }
  }

  /// Nil: snapshots have no numbered values.
  public var intValue: Int? { nil }
}
