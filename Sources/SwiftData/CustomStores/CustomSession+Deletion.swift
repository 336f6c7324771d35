import Store

extension CustomSession {
  /// Marks all objects that a predicate selects; the next save deletes them.
  ///
  /// If the store can delete batches, it deletes the objects without returning them. This is
  /// possible only if the objects have no relationships, nothing else is pending, and none of the
  /// objects is in memory.
  func delete<T: PersistentModel>(_ fetch: ContextFetch<T>) throws {
    let (descriptor, entity, context) = (fetch.descriptor, fetch.entity, fetch.context)
    guard store.canBatch, context.pending.isEmpty, !hasRelationships(entity),
      case let identifiers = try context.fetchIdentifiers(descriptor),
      identifiers.allSatisfy({ model(for: $0) == nil })
    else {
      for object in try context.fetch(descriptor) { context.deleteAny(object) }
      return
    }
    guard !identifiers.isEmpty else { return }
    let rows = identifiers.map(identities.row(for:))
    context.pending.deleteBatch(
      PendingChanges.BatchDeletion(
        entity: entity,
        rows: rows,
        atOnce: { [store] editingState in
          try store.deleteBatch(
            DataStoreBatchDeleteRequest(
              predicate: descriptor.predicate,
              includeSubclasses: descriptor.includeSubclasses,
              editingState: editingState
            )
          )
        }
      )
    )
    context.changeCount += 1
    context.scheduleAutosave()
  }

  private func hasRelationships(_ entity: EntityDescription) -> Bool {
    let family = Set(map.family(of: entity).map(\.name))
    return map.entities.contains { other in
      other.entity.relationships.contains { relationship in
        family.contains(other.name) || family.contains(relationship.destination)
      }
    }
  }
}
