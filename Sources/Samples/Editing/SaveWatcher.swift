import Foundation
import SwiftData

/// What a save was about, for those who wait for it.
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

/// Tells what every save of a context was about.
func saves(of context: ModelContext) -> some AsyncSequence<SaveReport, Never> {
  NotificationCenter.default
    .notifications(named: ModelContext.didSave, object: context)
    .map { SaveReport($0) }
}
