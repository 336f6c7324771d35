import Format
import Store

extension ModelContext {
  /// Writes all pending changes; each store writes its part in one transaction with its history.
  ///
  /// - Throws: ``SwiftDataError``. If the save fails, nothing is written, and the changes remain
  /// pending.
  public func save() throws {
    try throwDeferredError()
    processPendingChanges()
    try refuseForeignLinks()
    guard hasChanges else { return }
    post(ModelContext.willSave, summary: nil)
    let changes = pending
    let save = PendingSave(changes, in: self)
    journal = SaveJournal()
    defer { journal = nil }
    do {
      try save.prepare()
      try write(save, to: container.stores.indices.sorted(by: isWrittenBefore)[...])
    } catch {
      save.undo()
      throw Self.described(error)
    }
    let summary = SaveSummary(save)
    save.settle()
    container.changes.noteSave()
    post(ModelContext.didSave, summary: summary)
  }

  /// Writes several stores in nested transactions: the store that is written last commits first,
  /// and a failure in any store reverts all of them.
  private func write(_ save: PendingSave, to indices: ArraySlice<Int>) throws {
    guard let index = indices.first else { return }
    let rest = indices.dropFirst()
    guard save.touches(storeIndex: index) else { return try write(save, to: rest) }
    try registry.sessions[index].write(save) {
      try write(save, to: rest)
    }
  }

  private func isWrittenBefore(_ left: Int, _ right: Int) -> Bool {
    let order = (container.stores[left].isWrittenLast, container.stores[right].isWrittenLast)
    return order.0 == order.1 ? left < right : order.1
  }

  /// Throws the error of an earlier operation that could not throw.
  func throwDeferredError() throws {
    guard let error = deferredError else { return }
    deferredError = nil
    throw error
  }

  /// Throws a recorded error.
  ///
  /// A context that saves automatically first saves pending changes.
  func prepareToRead() throws {
    try throwDeferredError()
    if autosaveEnabled, !isMain, hasChanges { try save() }
  }

  private static func described(_ error: any Error) -> any Error {
    guard let store = error as? StoreError else { return error }
    return SwiftDataError(store)
  }
}

extension ModelContext {
  /// Schedules a save if the context saves automatically: the main context saves after a pause,
  /// other contexts at their next fetch or when they are released.
  func scheduleAutosave() {
    guard isMain, autosaveEnabled, !isAutosaveScheduled else { return }
    isAutosaveScheduled = true
    let reference = ContextReference(self)
    Task { @MainActor in
      // Waits, so that changes that are made close together are saved together.
      try? await Task.sleep(for: .milliseconds(100))  // Nothing cancels this task.
      reference.context?.autosave()
    }
  }

  /// Saves pending changes.
  ///
  /// If the save fails, the changes remain pending, and the error is printed.
  func autosave() {
    isAutosaveScheduled = false
    guard autosaveEnabled, hasChanges else { return }
    do { try save() } catch {
      FileHandle.standardError.write(Data("SwiftData: autosave failed: \(error)\n".utf8))
    }
  }
}

/// Passes the main context to a task on the main actor, which owns the context.
private final class ContextReference: @unchecked Sendable {
  // The context is created and used only on the main actor.
  weak var context: ModelContext?

  init(_ context: ModelContext) { self.context = context }
}
