import Foundation
import SwiftData

/// The configuration of a store that keeps its objects in one JSON file.
///
/// It has the usual form of code for Apple's framework: a class with variables, not
/// `Sendable`.
final class JSONStoreConfiguration: DataStoreConfiguration {
  typealias Store = JSONStore

  var name: String
  var schema: Schema?
  var fileURL: URL
  /// The number of times that the file was read.
  var reads = 0

  init(name: String, schema: Schema? = nil, fileURL: URL) {
    self.name = name
    self.schema = schema
    self.fileURL = fileURL
  }

  static func == (left: JSONStoreConfiguration, right: JSONStoreConfiguration) -> Bool {
    left.name == right.name && left.fileURL == right.fileURL
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(fileURL)
  }
}

/// A store that keeps its objects in one JSON file, reads the whole file for each fetch, and leaves
/// filters and orders to SwiftData.
final class JSONStore: DataStore {
  typealias Configuration = JSONStoreConfiguration
  typealias Snapshot = DefaultSnapshot

  var configuration: JSONStoreConfiguration
  var name: String
  var schema: Schema
  var identifier: String

  init(
    _ configuration: JSONStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    self.configuration = configuration
    name = configuration.name
    schema = configuration.schema ?? Schema([])
    identifier = configuration.fileURL.lastPathComponent
  }

  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    if request.descriptor.predicate != nil {
      throw DataStoreError.preferInMemoryFilter
    } else if request.descriptor.sortBy.count > 0 {
      throw DataStoreError.preferInMemorySort
    }
    let all = try read()
    // All objects of all entities, as people write it.
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: all.keys.sorted().compactMap { all[$0] },
      relatedSnapshots: all
    )
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var all = try read()
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.deleted { all[snapshot.persistentIdentifier] = nil }
    for snapshot in request.inserted {
      let old = snapshot.persistentIdentifier
      remapped[old] =
        try twin(of: snapshot, in: all)
        ?? PersistentIdentifier.identifier(
          for: identifier,
          entityName: old.entityName,
          primaryKey: UUID()
        )
      if let new = remapped[old] { all[new] = snapshot.copy(persistentIdentifier: new) }
    }
    for snapshot in request.updated { all[snapshot.persistentIdentifier] = snapshot }
    all = all.mapValues {
      $0.copy(persistentIdentifier: $0.persistentIdentifier, remappedIdentifiers: remapped)
    }
    try write(all)
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }

  /// The object with the unique values of a new one.
  private func twin(
    of snapshot: DefaultSnapshot,
    in all: [PersistentIdentifier: DefaultSnapshot]
  ) throws -> PersistentIdentifier? {
    let entity = snapshot.persistentIdentifier.entityName
    let names = schema.entitiesByName[entity]?.attributes.filter(\.isUnique).map(\.name) ?? []
    for name in names {
      let wanted = try field(name, of: snapshot)
      for (identifier, other) in all where identifier.entityName == entity {
        if try field(name, of: other) == wanted { return identifier }
      }
    }
    return nil
  }

  private func field(_ name: String, of snapshot: DefaultSnapshot) throws -> String? {
    let object = try JSONSerialization.jsonObject(with: encoder.encode(snapshot))
    return (object as? [String: Any])?[name].map { "\($0)" }
  }

  private var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    return encoder
  }

  func read() throws -> [PersistentIdentifier: DefaultSnapshot] {
    configuration.reads += 1
    guard FileManager.default.fileExists(atPath: configuration.fileURL.path(percentEncoded: false))
    else { return [:] }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    let snapshots = try decoder.decode(
      [DefaultSnapshot].self,
      from: try Data(contentsOf: configuration.fileURL)
    )
    var result: [PersistentIdentifier: DefaultSnapshot] = [:]
    snapshots.forEach { result[$0.persistentIdentifier] = $0 }
    return result
  }

  private func write(_ snapshots: [PersistentIdentifier: DefaultSnapshot]) throws {
    let data = try encoder.encode(snapshots.values.map { $0 })
    try data.write(to: configuration.fileURL)
  }
}
