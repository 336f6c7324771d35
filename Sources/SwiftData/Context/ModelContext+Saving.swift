import Changes
import Store

extension ModelContext {
  /// Writes all pending changes to their stores, each store in one transaction with its history.
  ///
  /// When it throws, nothing is written and the changes are still pending.
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
    for index in overlays.indices { overlays[index]?.clear() }
    container.changes.noteSave()
    post(ModelContext.didSave, summary: summary)
  }

  /// Writes to one store after the other, each inside the transaction of the one before: the last
  /// one commits first, and a failure anywhere takes all of them back.
  private func write(_ save: PendingSave, to indices: ArraySlice<Int>) throws {
    guard let index = indices.first else { return }
    let rest = indices.dropFirst()
    guard save.touches(storeIndex: index) else { return try write(save, to: rest) }
    try container.stores[index].write(save, storeIndex: index, in: self) {
      try write(save, to: rest)
    }
  }

  private func isWrittenBefore(_ left: Int, _ right: Int) -> Bool {
    let order = (container.stores[left].isWrittenLast, container.stores[right].isWrittenLast)
    return order.0 == order.1 ? left < right : order.1
  }

  /// Throws what calls that can't throw left behind.
  func throwDeferredError() throws {
    guard let error = deferredError else { return }
    deferredError = nil
    throw error
  }

  /// Throws what calls that can't throw left behind, and saves if that is the context's matter.
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
  /// Saves soon, if the context saves by itself: the main context on the main actor, others when
  /// they are next asked to fetch, or when they end.
  func scheduleAutosave() {
    guard isMain, autosaveEnabled, !isAutosaveScheduled else { return }
    isAutosaveScheduled = true
    let reference = ContextReference(self)
    Task { @MainActor in
      // Changes that are made together are saved together.
      try? await Task.sleep(for: .milliseconds(100))  // Cancelled only with the program.
      reference.context?.autosave()
    }
  }

  /// Saves what is pending; what can't be saved stays, and the error is told to standard error.
  func autosave() {
    isAutosaveScheduled = false
    guard autosaveEnabled, hasChanges else { return }
    do { try save() } catch {
      FileHandle.standardError.write(Data("SwiftData: autosave failed: \(error)\n".utf8))
    }
  }
}

/// Carries the main context into a task of the main actor, where it belongs.
private final class ContextReference: @unchecked Sendable {
  // Made and used on the main actor alone.
  weak var context: ModelContext?

  init(_ context: ModelContext) { self.context = context }
}
