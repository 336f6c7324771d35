/// An interface for all values of one object, as a store exchanges them.
///
/// SwiftData reads the values by encoding the snapshot: each under the name of its property, a
/// to-one relationship as a ``PersistentIdentifier``, a to-many one as an array of them. See
/// ``DataStoreSnapshotCodingKey``.
public protocol DataStoreSnapshot: Decodable, Encodable, Sendable {
  /// The identity of the object; temporary until its first save.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Copies the values of an object; unsaved related objects are in `relatedBackingDatas`.
  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  )

  /// A copy with another identity; nil keeps the identifiers in references.
  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

/// A value that a snapshot can contain, including those of your own types.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The keys with which a snapshot is encoded.
///
/// ```swift
/// let key = DataStoreSnapshotCodingKey.modeledProperty("name")
/// ```
public enum DataStoreSnapshotCodingKey: CodingKey, Hashable, Sendable {
  /// The identity of the object, which every snapshot must encode.
  case persistentIdentifier
  /// The property with that name, which may be missing in a snapshot.
  case modeledProperty(String)

  /// The key of a text; all texts except `persistentIdentifier` are names of properties.
  public init?(stringValue: String) {
    self =
      stringValue == Self.persistentIdentifier.stringValue
      ? .persistentIdentifier : .modeledProperty(stringValue)
  }

  /// Always nil, because snapshots have no numbered values.
  public init?(intValue: Int) { nil }

  /// The name of the property, or `persistentIdentifier` for the identity; never empty.
  public var stringValue: String {
    switch self {
    case .persistentIdentifier: "persistentIdentifier"
    case .modeledProperty(let name): name
    }
  }

  /// Always nil, because snapshots have no numbered values.
  public var intValue: Int? { nil }
}
