/// An interface for a snapshot: all values of one object, in the form that stores exchange.
///
/// SwiftData reads the values by encoding the snapshot. The key of each value is the name of its
/// property. A to-one relationship is encoded as a ``PersistentIdentifier``, and a to-many
/// relationship as an array of them. See ``DataStoreSnapshotCodingKey``.
public protocol DataStoreSnapshot: Decodable, Encodable, Sendable {
  /// The identity of the object; temporary until its first save.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Copies the values of an object; `relatedBackingDatas` contains unsaved related objects.
  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  )

  /// A copy with another identity; if the remapped identifiers are nil, references keep their
  /// identifiers.
  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

/// A value that a snapshot can contain, including values of your own types.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The keys with which a snapshot is encoded.
///
/// ```swift
/// let key = DataStoreSnapshotCodingKey.modeledProperty("name")
/// ```
public enum DataStoreSnapshotCodingKey: CodingKey, Hashable, Sendable {
  /// The identity of the object, which every snapshot must encode.
  case persistentIdentifier
  /// The property with this name, which need not be in every snapshot.
  case modeledProperty(String)

  /// Creates the key for a text: `persistentIdentifier` is the identity, all other texts are names
  /// of properties.
  public init?(stringValue: String) {
    self =
      stringValue == Self.persistentIdentifier.stringValue
      ? .persistentIdentifier : .modeledProperty(stringValue)
  }

  /// Always nil, because snapshots have no numbered values.
  public init?(intValue: Int) { nil }

  /// The name of the property, or `persistentIdentifier` for the identity; not empty.
  public var stringValue: String {
    switch self {
    case .persistentIdentifier: "persistentIdentifier"
    case .modeledProperty(let name): name
    }
  }

  /// Always nil, because snapshots have no numbered values.
  public var intValue: Int? { nil }
}
