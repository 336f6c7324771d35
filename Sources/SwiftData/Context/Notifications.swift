extension ModelContext {
  /// Posted by a context before it saves, if it has changes; its object is the context.
  public static let willSave = Notification.Name("ModelContextWillSave")
  /// Posted by a context after a save; `userInfo` has the identifiers under ``NotificationKey``.
  public static let didSave = Notification.Name("ModelContextDidSave")

  /// The keys in the `userInfo` of ``didSave``.
  ///
  /// ```swift
  /// typealias Key = ModelContext.NotificationKey
  /// let inserted = notification.userInfo?[Key.insertedIdentifiers.rawValue]
  /// ```
  public enum NotificationKey: String, Sendable {
    /// The state of the stores that queries read; never present on Linux.
    case queryGeneration
    /// Whether all earlier identifiers are invalid; never present on Linux.
    case invalidatedAllIdentifiers
    /// The identifiers of inserted models, permanent ones.
    case insertedIdentifiers = "inserted"
    /// The identifiers of updated models; empty if there are none.
    case updatedIdentifiers = "updated"
    /// The identifiers of deleted models; a model that was never saved is not among them.
    case deletedIdentifiers = "deleted"
  }

  func post(_ name: Notification.Name, summary: SaveSummary?) {
    NotificationCenter.default.post(name: name, object: self, userInfo: summary?.userInfo)
  }
}

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
    // An object that was inserted and deleted again does not count.
    let passing = gone.intersection(inserted)
    inserted.removeAll(where: passing.contains)
    deleted.removeAll(where: passing.contains)
    updated.removeAll(where: gone.contains)
  }

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
  /// The identity of an object after its save, before the object itself has it; `stores` has the
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
