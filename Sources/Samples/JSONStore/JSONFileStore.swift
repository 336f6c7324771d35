import Foundation
import SwiftData

/// Where a store of JSON is kept.
final class JSONFileStoreConfiguration: DataStoreConfiguration {
  typealias Store = JSONFileStore

  var name: String
  var schema: Schema?
  var fileURL: URL

  init(name: String, schema: Schema? = nil, fileURL: URL) {
    self.name = name
    self.schema = schema
    self.fileURL = fileURL
  }

  static func == (left: JSONFileStoreConfiguration, right: JSONFileStoreConfiguration) -> Bool {
    left.name == right.name
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(name)
  }
}

/// Keeps its objects in one JSON file, which a save replaces as a whole.
final class JSONFileStore: DataStore {
  typealias Configuration = JSONFileStoreConfiguration
  typealias Snapshot = DefaultSnapshot

  var configuration: JSONFileStoreConfiguration
  var name: String
  var schema: Schema
  var identifier: String

  init(
    _ configuration: JSONFileStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    guard let schema = configuration.schema else { throw DataStoreError.unsupportedFeature }
    self.configuration = configuration
    self.name = configuration.name
    self.schema = schema
    self.identifier = configuration.fileURL.lastPathComponent
  }

  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    let descriptor = request.descriptor
    if descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }

    let snapshots = try read()
    let name = Schema.entityName(for: T.self)
    let found = snapshots.values
      .filter { $0.persistentIdentifier.entityName == name }
      .sorted { $0.persistentIdentifier < $1.persistentIdentifier }
    return DataStoreFetchResult(
      descriptor: descriptor,
      fetchedSnapshots: found,
      relatedSnapshots: snapshots
    )
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var snapshots = try read()
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]

    for snapshot in request.inserted {
      remapped[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
        for: identifier,
        entityName: snapshot.persistentIdentifier.entityName,
        primaryKey: UUID()
      )
    }
    for snapshot in request.inserted + request.updated {
      let known = snapshot.persistentIdentifier
      let permanent = remapped[known] ?? known
      snapshots[permanent] = snapshot.copy(
        persistentIdentifier: permanent,
        remappedIdentifiers: remapped
      )
    }
    for snapshot in request.deleted {
      snapshots[snapshot.persistentIdentifier] = nil
    }

    try write(snapshots)
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }

  func erase() throws {
    try write([:])
  }

  private func read() throws -> [PersistentIdentifier: DefaultSnapshot] {
    guard FileManager.default.fileExists(atPath: configuration.fileURL.path()) else { return [:] }
    let data = try Data(contentsOf: configuration.fileURL)
    let snapshots = try JSONDecoder().decode([DefaultSnapshot].self, from: data)
    return Dictionary(uniqueKeysWithValues: snapshots.map { ($0.persistentIdentifier, $0) })
  }

  private func write(_ snapshots: [PersistentIdentifier: DefaultSnapshot]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let ordered = snapshots.values.sorted { $0.persistentIdentifier < $1.persistentIdentifier }
    try encoder.encode(ordered).write(to: configuration.fileURL, options: .atomic)
  }
}
