/// The identity of an object: its store, its entity and its key.
///
/// An object that was never saved has a temporary identity. Its first save assigns a permanent one,
/// which other processes can decode.
///
/// ```swift
/// let id = trip.persistentModelID
/// let copy = otherContext.model(for: id) as? Trip
/// ```
public struct PersistentIdentifier: Hashable, Identifiable, Codable, Sendable {
  enum Key: Hashable, Sendable {
    /// The row of an object in a native store; negative until the object is saved.
    case number(Int64)
    /// The key that a custom store assigned.
    case text(String)
  }

  /// A value that identifies an object.
  ///
  /// An identifier can only be compared, ordered and shown as a text.
  public struct ID: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    let identifier: String

    /// The store, the entity and the key in the form of a URL.
    public var description: String { identifier }

    /// Orders identities by their texts; the numbers in them are not compared as numbers.
    public static func < (left: ID, right: ID) -> Bool { left.identifier < right.identifier }
  }

  /// The identifier of the store that contains the object; nil until its first save.
  public let storeIdentifier: String?
  /// The simple name of the object's class; if the class is a subclass, the name of the subclass.
  public let entityName: String
  let key: Key

  init(storeIdentifier: String?, entityName: String, key: Key) {
    self.storeIdentifier = storeIdentifier
    self.entityName = entityName
    self.key = key
  }

  /// A value that identifies the object; it has no public members except its description.
  public var id: ID {
    let place = storeIdentifier ?? "temporary"
    return switch key {
    case .number(let number): ID(identifier: "x-travelog://\(place)/\(entityName)/\(number)")
    case .text(let text): ID(identifier: "x-travelog://\(place)/\(entityName)/\(text)")
    }
  }

  var isTemporary: Bool { storeIdentifier == nil }

  /// The row of the object; nil if the key is a text, as in custom stores.
  ///
  /// Swift 6.3.1 miscompiles this property in optimised builds if it is inlined after another use
  /// of the key.
  var row: Int64? {
    @inline(never) get {
      guard case .number(let number) = key else { return nil }
      return number
    }
  }

  /// The identity of an object in a custom store; a key of an integer type of up to 64 bits remains
  /// a number.
  public static func identifier(
    for storeIdentifier: String,
    entityName: String,
    primaryKey: some LosslessStringConvertible & Hashable & Sendable
  ) throws -> PersistentIdentifier {
    let row = (primaryKey as? any BinaryInteger).flatMap { Int64(exactly: $0) }
    return PersistentIdentifier(
      storeIdentifier: storeIdentifier,
      entityName: entityName,
      key: row.map { .number($0) } ?? .text(primaryKey.description)
    )
  }

  /// The identity of an object whose key is a UUID; the key is stored as the text of the UUID.
  public static func identifier(
    for storeIdentifier: String,
    entityName: String,
    primaryKey: UUID
  ) throws -> PersistentIdentifier {
    PersistentIdentifier(
      storeIdentifier: storeIdentifier,
      entityName: entityName,
      key: .text(primaryKey.uuidString)
    )
  }

  private enum CodingKeys: String, CodingKey {
    case storeIdentifier, entityName, primaryKey
  }

  /// Decodes an identity.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    storeIdentifier = try container.decodeIfPresent(String.self, forKey: .storeIdentifier)
    entityName = try container.decode(String.self, forKey: .entityName)
    // The key is a number in native stores, and a text in custom stores.
    if let number = try? container.decode(Int64.self, forKey: .primaryKey) {
      key = .number(number)
    } else {
      key = .text(try container.decode(String.self, forKey: .primaryKey))
    }
  }

  /// Encodes the identity.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(storeIdentifier, forKey: .storeIdentifier)
    try container.encode(entityName, forKey: .entityName)
    switch key {
    case .number(let number): try container.encode(number, forKey: .primaryKey)
    case .text(let text): try container.encode(text, forKey: .primaryKey)
    }
  }
}

extension PersistentIdentifier: Comparable {
  /// Orders identities by entity, then by store, then by key; temporary identities come first.
  public static func < (left: PersistentIdentifier, right: PersistentIdentifier) -> Bool {
    if left.entityName != right.entityName { return left.entityName < right.entityName }
    let places = (left.storeIdentifier ?? "", right.storeIdentifier ?? "")
    if places.0 != places.1 { return places.0 < places.1 }
    return switch (left.key, right.key) {
    case (.number(let left), .number(let right)): left < right
    case (.text(let left), .text(let right)): left < right
    case (.number, .text): true
    case (.text, .number): false
    }
  }
}
