import Foundation
import SwiftData

/// The file and the models of a JSON store.
final class JSONFileStoreConfiguration: DataStoreConfiguration {
  typealias Store = JSONFileStore

  var name: String
  var schema: Schema?
  /// The model classes that occur in the history.
  var models: [any PersistentModel.Type]
  var fileURL: URL

  init(
    name: String,
    schema: Schema? = nil,
    models: [any PersistentModel.Type] = [],
    fileURL: URL
  ) {
    self.name = name
    self.schema = schema ?? (models.isEmpty ? nil : Schema(models))
    self.models = models
    self.fileURL = fileURL
  }

  static func == (left: JSONFileStoreConfiguration, right: JSONFileStoreConfiguration) -> Bool {
    left.name == right.name
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(name)
  }
}

/// A store in one JSON file, which each save replaces.
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

    try write(snapshots, author: request.editingState.author)
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }

  func erase() throws {
    try write([:], author: nil)
  }

  func read() throws -> [PersistentIdentifier: DefaultSnapshot] {
    try finishSave()
    guard FileManager.default.fileExists(atPath: configuration.fileURL.path(percentEncoded: false))
    else { return [:] }
    let data = try Data(contentsOf: configuration.fileURL)
    let snapshots = try JSONDecoder().decode([DefaultSnapshot].self, from: data)
    return Dictionary(uniqueKeysWithValues: snapshots.map { ($0.persistentIdentifier, $0) })
  }

  /// Writes the objects, and the history with the changes.
  ///
  /// The objects are first written to a second file. The save is complete when the new history has
  /// replaced the old one. Then the second file replaces the store's file: at once, or when the
  /// store is next read.
  private func write(
    _ snapshots: [PersistentIdentifier: DefaultSnapshot],
    author: String?
  ) throws {
    var history = try readHistory()
    let changes = try changes(from: read(), to: snapshots)
    guard !changes.isEmpty else { return }
    let number = history.last + 1
    history.last = number
    history.transactions.append(
      JSONHistoryFile.Transaction(
        number: number,
        timestamp: .now,
        author: author,
        changes: changes
      )
    )
    let ordered = snapshots.values.sorted { $0.persistentIdentifier < $1.persistentIdentifier }
    try encoder.encode(ordered).write(to: waitingURL(number), options: .atomic)
    try write(history)
    try finishSave()
  }

  /// Finishes an interrupted save: moves its file of objects into place if the history contains the
  /// save, and removes the file otherwise.
  private func finishSave() throws {
    let history = try readHistory()
    let waiting = waitingURL(history.last)
    if FileManager.default.fileExists(atPath: waiting.path(percentEncoded: false)) {
      let target = configuration.fileURL.path(percentEncoded: false)
      guard rename(waiting.path(percentEncoded: false), target) == 0 else {
        throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: target])
      }
    }
    let next = waitingURL(history.last + 1)
    if FileManager.default.fileExists(atPath: next.path(percentEncoded: false)) {
      try FileManager.default.removeItem(at: next)
    }
  }

  private func waitingURL(_ number: Int) -> URL {
    configuration.fileURL.appendingPathExtension("\(number)")
  }

  var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return encoder
  }
}
