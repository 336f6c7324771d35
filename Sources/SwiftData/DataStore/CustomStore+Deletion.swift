import Store

extension ModelContext {
  /// Marks all objects of a custom store that a predicate selects to be deleted by the next save.
  ///
  /// A store that can delete batches does so then, without giving the objects, where no
  /// relationships are to be kept in step, nothing else is pending and none of them is in memory.
  func deleteFromCustom<T: PersistentModel>(
    _ store: CustomStore,
    _ descriptor: FetchDescriptor<T>,
    _ entity: EntityDescription
  ) throws {
    guard store.canBatch, pending.isEmpty, !hasRelationships(entity) else {
      for object in try fetch(descriptor) { deleteAny(object) }
      return
    }
    let identifiers = try fetchIdentifiers(descriptor)
    guard identifiers.allSatisfy({ customModel(for: $0) == nil }) else {
      for object in try fetch(descriptor) { deleteAny(object) }
      return
    }
    guard !identifiers.isEmpty else { return }
    let rows = identifiers.map(custom.row(for:))
    let predicate = descriptor.predicate
    let includeSubclasses = descriptor.includeSubclasses
    pending.deleteBatch(
      PendingChanges.BatchDeletion(
        entity: entity,
        rows: rows,
        custom: { store, editingState in
          try store.deleteBatch(
            DataStoreBatchDeleteRequest(
              predicate: predicate,
              includeSubclasses: includeSubclasses,
              editingState: editingState
            )
          )
        }
      )
    )
    changeCount += 1
    scheduleAutosave()
  }

  private func hasRelationships(_ entity: EntityDescription) -> Bool {
    let family = Set(container.map.family(of: entity).map(\.name))
    return container.map.entities.contains { other in
      other.entity.relationships.contains { relationship in
        family.contains(other.name) || family.contains(relationship.destination)
      }
    }
  }
}
