import Foundation
import SwiftData

/// The memory of a dictionary store, which outlives the store like a file.
final class Shelf: @unchecked Sendable {
  // Each test has its own, and containers use it in turn.
  var records: [PersistentIdentifier: RecordSnapshot] = [:]
  var lastKey = 0
  var author: String?
  var reason: String?
  var contexts = 0
  var fetches = 0
  var counts = 0
  var batches = 0
  /// The error of the next save.
  var refusal: (any Error)?
  /// The error of fetches.
  var silence: (any Error)?
  /// Changes the result of a save.
  var afterSave: ((RecordSnapshot) -> RecordSnapshot)?
  var givesPermanentIdentifiers = true
  var hasCache = true
  var leavesOutCollections = false
}

/// The configuration of a store in memory.
struct DictionaryStoreConfiguration: DataStoreConfiguration {
  typealias Store = DictionaryStore

  var name: String
  var schema: Schema?
  var shelf: Shelf

  static func == (left: Self, right: Self) -> Bool { left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A store in memory with its own snapshots, numbers as keys, a cache, counts, pages and batches.
final class DictionaryStore: DataStoreBatching {
  typealias Configuration = DictionaryStoreConfiguration
  typealias Snapshot = RecordSnapshot

  let configuration: DictionaryStoreConfiguration
  let schema: Schema
  var identifier: String { "dictionary-\(configuration.name)" }
  private var shelf: Shelf { configuration.shelf }

  init(
    _ configuration: DictionaryStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema([])
  }

  private func records<T: PersistentModel>(of type: T.Type) -> [RecordSnapshot] {
    let name = Schema.entityName(for: type)
    return shelf.records.values.filter { $0.persistentIdentifier.entityName == name }
      .sorted { $0.persistentIdentifier < $1.persistentIdentifier }
  }

  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, RecordSnapshot> where T: PersistentModel {
    if let silence = shelf.silence { throw silence }
    guard request.descriptor.predicate == nil else { throw DataStoreError.preferInMemoryFilter }
    guard request.descriptor.sortBy.isEmpty else { throw DataStoreError.preferInMemorySort }
    shelf.fetches += 1
    let rest = records(of: T.self).dropFirst(request.descriptor.fetchOffset ?? 0)
    var found = Array(request.descriptor.fetchLimit.map { rest.prefix($0) } ?? rest)
    if shelf.leavesOutCollections {
      for index in found.indices {
        found[index].values = found[index].values.filter { !($0.value is [PersistentIdentifier]) }
      }
    }
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: found)
  }

  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel {
    guard request.descriptor.predicate == nil else { throw DataStoreError.preferInMemoryFilter }
    shelf.counts += 1
    return records(of: T.self).count
  }

  func save(
    _ request: DataStoreSaveChangesRequest<RecordSnapshot>
  ) throws -> DataStoreSaveChangesResult<RecordSnapshot> {
    if let refusal = shelf.refusal { throw refusal }
    shelf.author = request.editingState.author
    shelf.reason = request.editingState.transactionContext.reason
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.deleted { shelf.records[snapshot.persistentIdentifier] = nil }
    for snapshot in request.inserted where shelf.givesPermanentIdentifiers {
      let old = snapshot.persistentIdentifier
      if let twin = twin(of: snapshot) {
        remapped[old] = twin
      } else {
        shelf.lastKey += 1
        remapped[old] = try .identifier(
          for: identifier,
          entityName: old.entityName,
          primaryKey: shelf.lastKey
        )
      }
      // Other objects of the same request may have the same unique values.
      if let new = remapped[old] { shelf.records[new] = snapshot.copy(persistentIdentifier: new) }
    }
    var changed: [PersistentIdentifier: RecordSnapshot] = [:]
    for snapshot in request.inserted + request.updated {
      let new = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      var record = snapshot.copy(persistentIdentifier: new, remappedIdentifiers: remapped)
      if let change = shelf.afterSave {
        record = change(record)
        changed[new] = record
      }
      shelf.records[new] = record
    }
    return DataStoreSaveChangesResult(
      for: identifier,
      remappedIdentifiers: remapped,
      snapshotsToReregister: changed
    )
  }

  private func twin(of snapshot: RecordSnapshot) -> PersistentIdentifier? {
    let entity = snapshot.persistentIdentifier.entityName
    for attribute in schema.entitiesByName[entity]?.attributes ?? [] where attribute.isUnique {
      let wanted = snapshot.values[attribute.name] as? String
      for (identifier, other) in shelf.records where identifier.entityName == entity {
        if other.values[attribute.name] as? String == wanted { return identifier }
      }
    }
    return nil
  }

  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel {
    guard request.predicate == nil else { throw DataStoreError.unsupportedFeature }
    shelf.batches += 1
    for record in records(of: T.self) { shelf.records[record.persistentIdentifier] = nil }
  }

  func erase() throws { shelf.records = [:] }

  func initializeState(for editingState: EditingState) { shelf.contexts += 1 }
  func invalidateState(for editingState: EditingState) { shelf.contexts -= 1 }

  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier],
    editingState: EditingState
  ) throws -> [PersistentIdentifier: RecordSnapshot] {
    guard shelf.hasCache else { return [:] }
    var found: [PersistentIdentifier: RecordSnapshot] = [:]
    for identifier in persistentIdentifiers { found[identifier] = shelf.records[identifier] }
    return found
  }
}

extension RecordSnapshot {
  func copy(persistentIdentifier: PersistentIdentifier) -> RecordSnapshot {
    copy(persistentIdentifier: persistentIdentifier, remappedIdentifiers: nil)
  }
}
