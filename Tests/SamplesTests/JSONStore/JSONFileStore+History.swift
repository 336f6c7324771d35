import Foundation
import SwiftData

extension JSONFileStore: HistoryProviding {
  func fetchHistory(
    _ descriptor: HistoryDescriptor<JSONHistoryTransaction>
  ) throws -> [JSONHistoryTransaction] {
    _ = try read()
    var found = try readHistory().transactions.map(transaction)
    if let predicate = descriptor.predicate { found = try found.filter(predicate.evaluate) }
    if !descriptor.sortBy.isEmpty { found.sort(using: descriptor.sortBy) }
    let limit = Int(clamping: descriptor.fetchLimit)
    return limit == 0 ? found : Array(found.prefix(limit))
  }

  func deleteHistory(_ descriptor: HistoryDescriptor<JSONHistoryTransaction>) throws {
    let deleted = Set(try fetchHistory(descriptor).map(\.transactionIdentifier))
    var history = try readHistory()
    history.transactions.removeAll { deleted.contains($0.number) }
    try write(history)
  }

  private var historyURL: URL { configuration.fileURL.appendingPathExtension("history") }

  func readHistory() throws -> JSONHistoryFile {
    guard FileManager.default.fileExists(atPath: historyURL.path(percentEncoded: false)) else {
      return JSONHistoryFile()
    }
    return try JSONDecoder().decode(JSONHistoryFile.self, from: Data(contentsOf: historyURL))
  }

  func write(_ history: JSONHistoryFile) throws {
    try encoder.encode(history).write(to: historyURL, options: .atomic)
  }

  // MARK: What changed

  /// The differences between two sets of objects.
  func changes(
    from old: [PersistentIdentifier: DefaultSnapshot],
    to new: [PersistentIdentifier: DefaultSnapshot]
  ) throws -> [JSONHistoryFile.Change] {
    var changes: [JSONHistoryFile.Change] = []
    for object in Set(old.keys).union(new.keys).sorted() {
      let before = try old[object].map(values)
      let after = try new[object].map(values)
      guard before != after else { continue }
      guard let before, let after else {
        changes.append(JSONHistoryFile.Change(object: object, before: before, after: after))
        continue
      }
      let names = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
      changes.append(
        JSONHistoryFile.Change(
          object: object,
          before: before.filter { names.contains($0.key) },
          after: after.filter { names.contains($0.key) }
        )
      )
    }
    return changes
  }

  private func values(_ snapshot: DefaultSnapshot) throws -> [String: JSONValue] {
    let data = try JSONEncoder().encode(snapshot)
    var values = try JSONDecoder().decode([String: JSONValue].self, from: data)
    values["persistentIdentifier"] = nil
    return values
  }

  // MARK: Transactions

  private func transaction(_ saved: JSONHistoryFile.Transaction) -> JSONHistoryTransaction {
    JSONHistoryTransaction(
      author: saved.author,
      changes: saved.changes.enumerated().compactMap { index, change in
        self.change(change, index: index, of: saved.number)
      },
      storeIdentifier: identifier,
      timestamp: saved.timestamp,
      transactionIdentifier: saved.number
    )
  }

  /// A change with the class of its object; nil if the store does not know the class.
  private func change(
    _ change: JSONHistoryFile.Change,
    index: Int,
    of number: Int
  ) -> HistoryChange? {
    func make<Model: PersistentModel>(_: Model.Type) -> HistoryChange {
      let keyPaths = Dictionary(
        Model.schemaMetadata.map { ($0.name, $0.keypath) },
        uniquingKeysWith: { first, _ in first }
      )
      func typed(_ values: [String: JSONValue]?) -> [String: any Sendable] {
        var result: [String: any Sendable] = [:]
        for (name, value) in values ?? [:] {
          let keyPath = keyPaths[name]
          result[name] = value.value(as: keyPath.map { type(of: $0).valueType } ?? Any.self)
        }
        return result
      }
      guard change.before != nil else {
        return .insert(
          JSONHistoryInsert<Model>(
            transactionIdentifier: number,
            changeIdentifier: index,
            changedPersistentIdentifier: change.object,
            valuesByName: typed(change.after)
          )
        )
      }
      guard let after = change.after else {
        return .delete(
          JSONHistoryDelete<Model>(
            transactionIdentifier: number,
            changeIdentifier: index,
            changedPersistentIdentifier: change.object,
            previousValuesByName: typed(change.before)
          )
        )
      }
      return .update(
        JSONHistoryUpdate<Model>(
          transactionIdentifier: number,
          changeIdentifier: index,
          changedPersistentIdentifier: change.object,
          updatedAttributes: after.keys.sorted().compactMap { name in
            (keyPaths[name] as? PartialKeyPath<Model>).map(sendable)
          },
          valuesByName: typed(after),
          previousValuesByName: typed(change.before)
        )
      )
    }
    let model = configuration.models.first {
      Schema.entityName(for: $0) == change.object.entityName
    }
    return model.map { make($0) }
  }
}

/// Converts a key path of a model to a Sendable key path.
///
/// This is safe, because the key path contains only the property.
private func sendable<Model>(
  _ keyPath: PartialKeyPath<Model>
) -> any PartialKeyPath<Model> & Sendable {
  unsafeBitCast(keyPath, to: (any PartialKeyPath<Model> & Sendable).self)
}
