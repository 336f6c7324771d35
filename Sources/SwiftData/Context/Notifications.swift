extension ModelContext {
  /// Posted by a context with changes before it saves; the notification's object is the context.
  public static let willSave = Notification.Name("ModelContextWillSave")
  /// Posted by a context after a save; `userInfo` contains the identifiers under the keys of
  /// ``NotificationKey``.
  public static let didSave = Notification.Name("ModelContextDidSave")

  /// The keys in the `userInfo` of ``didSave``.
  ///
  /// ```swift
  /// typealias Key = ModelContext.NotificationKey
  /// let inserted = notification.userInfo?[Key.insertedIdentifiers.rawValue]
  /// ```
  public enum NotificationKey: String, Sendable {
    /// The state of the stores that queries read; notifications on Linux do not contain this key.
    case queryGeneration
    /// Whether all earlier identifiers are invalid; notifications on Linux do not contain this key.
    case invalidatedAllIdentifiers
    /// The permanent identifiers of inserted models; empty if there are none.
    case insertedIdentifiers = "inserted"
    /// The identifiers of updated models; empty if there are none.
    case updatedIdentifiers = "updated"
    /// The identifiers of deleted models; models that were never saved are not included.
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
    guard !deleted.isEmpty, !inserted.isEmpty || !updated.isEmpty else { return }
    let gone = Set(deleted)
    // An object that this save would both insert and delete is not reported.
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
  /// The identity that an object will have after the save.
  ///
  /// `stores` contains the identifiers of the container's stores.
  func savedIdentifier(_ stores: [String]) -> PersistentIdentifier {
    if let storeKey { return storeKey }
    return PersistentIdentifier(
      storeIdentifier: entity.map { stores[$0.storeIndex] },
      entityName: entity?.name ?? description.name,
      key: .number(row)
    )
  }
}
