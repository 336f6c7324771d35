import Foundation
import SwiftData

/// A custom snapshot: unconverted values by the names of the properties.
struct RecordSnapshot: DataStoreSnapshot, @unchecked Sendable {
  // The values are those of models, which are constants.
  let persistentIdentifier: PersistentIdentifier
  var values: [String: (any Codable)?]

  init(persistentIdentifier: PersistentIdentifier, values: [String: (any Codable)?]) {
    self.persistentIdentifier = persistentIdentifier
    self.values = values
  }

  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    guard let identifier = backingData.persistentModelID else {
      preconditionFailure("Storage without an identity came into a snapshot.")
    }
    self.init(persistentIdentifier: identifier, values: Self.values(of: backingData))
  }

  private static func values<Backing: BackingData>(
    of backing: Backing
  ) -> [String: (any Codable)?] {
    var values: [String: (any Codable)?] = [:]
    for entry in Backing.Model.schemaMetadata {
      func read<Value>(_: Value.Type) {
        guard let keyPath = entry.keypath as? KeyPath<Backing.Model, Value> else { return }
        values[entry.name] = .some(codable(backing.getValue(forKey: keyPath)))
      }
      _openExistential(type(of: entry.keypath).valueType, do: read)
    }
    return values
  }

  private static func codable(_ value: Any) -> (any Codable)? {
    if let models = value as? [any PersistentModel] { return models.map(\.persistentModelID) }
    if let model = value as? any PersistentModel { return model.persistentModelID }
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional {
      return mirror.children.first.flatMap { codable($0.value) }
    }
    // The raw value of an enumeration, as in a store with columns.
    if let raw = value as? any RawRepresentable { return raw.rawValue as? any Codable }
    return value as? any Codable
  }

  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> RecordSnapshot {
    let remapped = remappedIdentifiers ?? [:]
    return RecordSnapshot(
      persistentIdentifier: persistentIdentifier,
      values: values.mapValues { value in
        if let target = value as? PersistentIdentifier { return remapped[target] ?? target }
        if let targets = value as? [PersistentIdentifier] {
          return targets.map { remapped[$0] ?? $0 }
        }
        return value
      }
    )
  }

  init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: [], debugDescription: "Records are never decoded.")
    )
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
    for (name, value) in values {
      if let value {
        try container.encode(value, forKey: .modeledProperty(name))
      } else {
        try container.encodeNil(forKey: .modeledProperty(name))
      }
    }
  }
}
