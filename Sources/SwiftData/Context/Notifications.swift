extension ModelContext {
  /// Posted by a context before it saves.
  public static let willSave = Notification.Name("ModelContextWillSave")
  /// Posted by a context after it saved, with the identifiers of what it saved.
  public static let didSave = Notification.Name("ModelContextDidSave")

  /// The keys of what a notification tells.
  public enum NotificationKey: String, Sendable {
    /// The state of the stores that queries see.
    case queryGeneration
    /// Whether all identifiers that were known are void.
    case invalidatedAllIdentifiers
    /// The identifiers of new models.
    case insertedIdentifiers = "inserted"
    /// The identifiers of changed models.
    case updatedIdentifiers = "updated"
    /// The identifiers of deleted models.
    case deletedIdentifiers = "deleted"
  }

  func post(_ name: Notification.Name, summary: SaveSummary?) {
    NotificationCenter.default.post(name: name, object: self, userInfo: summary?.userInfo)
  }
}

/// The identifiers of what a save wrote.
struct SaveSummary {
  var inserted: [PersistentIdentifier]
  var updated: [PersistentIdentifier]
  var deleted: [PersistentIdentifier]

  init(_ save: PendingSave) {
    let stores = save.context.container.storeIdentifiers
    inserted = save.inserted.map { $0.savedIdentifier(stores) }
    deleted = save.deletedIdentifiers
    updated = save.updatedIdentifiers
    guard !deleted.isEmpty else { return }
    let gone = Set(deleted)
    // What a delete rule took away again never was.
    let passing = gone.intersection(inserted)
    inserted.removeAll(where: passing.contains)
    deleted.removeAll(where: passing.contains)
    updated.removeAll(where: gone.contains)
  }

  /// What a notification carries, under the names of its keys, as Apple's does.
  var userInfo: [AnyHashable: Any] {
    typealias Key = ModelContext.NotificationKey
    return [
      Key.insertedIdentifiers.rawValue: inserted,
      Key.updatedIdentifiers.rawValue: updated,
      Key.deletedIdentifiers.rawValue: deleted,
    ]
  }
}

extension _ModelState {
  /// The identity of an object whose save is done, though the object may not know it yet, by the
  /// identifiers of the container's stores.
  func savedIdentifier(_ stores: [String]) -> PersistentIdentifier {
    if let storeKey { return storeKey }
    return PersistentIdentifier(
      storeIdentifier: entity.map { stores[$0.storeIndex] },
      entityName: entity?.name ?? description.name,
      key: .number(row)
    )
  }
}
