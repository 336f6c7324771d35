import Dispatch
import Store

/// Detects commits to the stores of a container while the container has observers.
///
/// A timer reads `PRAGMA data_version` from each file; the number changes with each commit by
/// another connection or process. Without observers there is neither a timer nor a connection.
final class StoreChanges: Sendable {
  private static let interval = DispatchTimeInterval.milliseconds(100)

  /// The function that an observer provides, to be called after a commit.
  ///
  /// Returns true if the function could not read everything and must be called again after the
  /// interval.
  typealias Listener = @Sendable () -> Bool

  private struct State {
    weak var container: ModelContainer?
    var listeners: [ObjectIdentifier: Listener] = [:]
    var unfinished: Set<ObjectIdentifier> = []
    var watches: [CommitWatch] = []
    var timer: (any DispatchSourceTimer)?
    var generation = 0
  }

  private let files: [Store]
  private let queue = DispatchQueue(label: "SwiftData.StoreChanges")
  private let state = Guarded(State())

  init(_ stores: [any Backend]) {
    // Only files are watched: no other process can write to a store in memory, and `noteSave`
    // reports the saves of this process.
    files = stores.compactMap(\.file)
  }

  var generation: Int { state.withLock { $0.generation } }

  var isPolling: Bool { state.withLock { $0.timer != nil } }

  /// From now on, calls a listener on a separate thread after each commit.
  func add(
    _ owner: AnyObject,
    of container: ModelContainer,
    _ listener: @escaping Listener
  ) throws {
    try state.withLock { state in
      if state.listeners.isEmpty {
        state.watches = try files.map { try $0.watch() }
        // A new watch always reports a change the first time; this call discards that report.
        for watch in state.watches { _ = try watch.hasChanged() }
        state.container = container
        if !files.isEmpty { state.timer = makeTimer() }
      }
      state.listeners[ObjectIdentifier(owner)] = listener
    }
  }

  /// Stops calling an owner's listener.
  ///
  /// If there are no other listeners, the timer stops.
  func remove(_ owner: AnyObject) {
    let ended = state.withLock { state -> State? in
      state.listeners[ObjectIdentifier(owner)] = nil
      state.unfinished.remove(ObjectIdentifier(owner))
      guard state.listeners.isEmpty else { return nil }
      let ended = state
      state = State(generation: ended.generation)
      return ended
    }
    ended?.timer?.cancel()
  }

  /// Records a save of this process, so that observers need not wait for the timer.
  func noteSave() {
    let isObserved = state.withLock { state in
      guard !state.listeners.isEmpty else { return false }
      state.generation += 1
      return true
    }
    if isObserved { queue.async { self.look(afterSave: true) } }
  }

  func async(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

  private func makeTimer() -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(
      deadline: .now() + Self.interval,
      repeating: Self.interval,
      leeway: .milliseconds(20)
    )
    timer.setEventHandler { [weak self] in self?.look(afterSave: false) }
    timer.activate()
    return timer
  }

  private func look(afterSave: Bool) {
    let now = state.withLock { $0 }
    var isCommitted = false
    for watch in now.watches {
      // If a watch fails, the observers read the store themselves and report the error.
      do { if try watch.hasChanged() { isCommitted = true } } catch { isCommitted = true }
    }
    // The generation increases even after a save of this process, because another process may have
    // committed too.
    if isCommitted { state.withLock { $0.generation += 1 } }
    let isNew = isCommitted || afterSave
    if isNew {
      NotificationCenter.default.post(name: ModelContainer.remoteChange, object: now.container)
    }
    for (owner, listener) in now.listeners where isNew || now.unfinished.contains(owner) {
      let isUnfinished = listener()
      state.withLock { state in
        guard state.listeners[owner] != nil else { return }
        if isUnfinished { state.unfinished.insert(owner) } else { state.unfinished.remove(owner) }
      }
    }
  }
}

extension ModelContainer {
  /// Posted after any context or process commits to a store of the container.
  ///
  /// The notification is posted on a separate thread, and only while the container has a
  /// ``HistoryObserver`` or a ``ResultsObserver``. The object of the notification is the container.
  public static let remoteChange = Notification.Name("ModelContainerRemoteChange")
}
