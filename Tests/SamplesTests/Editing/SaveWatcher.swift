import Foundation
import SwiftData

/// The objects that a save changed.
struct SaveReport: Sendable, Equatable {
  var inserted: Set<PersistentIdentifier> = []
  var updated: Set<PersistentIdentifier> = []
  var deleted: Set<PersistentIdentifier> = []

  init(_ notification: Notification) {
    func identifiers(_ key: ModelContext.NotificationKey) -> Set<PersistentIdentifier> {
      let value = notification.userInfo?[key.rawValue]
      return Set(value as? [PersistentIdentifier] ?? [])
    }
    inserted = identifiers(.insertedIdentifiers)
    updated = identifiers(.updatedIdentifiers)
    deleted = identifiers(.deletedIdentifiers)
  }
}

/// The reports of a context's saves.
func saves(of context: ModelContext) -> some AsyncSequence<SaveReport, Never> {
  NotificationCenter.default
    .notifications(named: ModelContext.didSave, object: context)
    .map { SaveReport($0) }
}
