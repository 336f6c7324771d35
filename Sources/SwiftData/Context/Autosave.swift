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
