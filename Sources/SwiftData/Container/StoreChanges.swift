import Dispatch
import Store

/// Notices commits to the stores of a container while there are observers.
///
/// A timer reads `PRAGMA data_version` from each file. The number changes with each commit of
/// another connection or process. Without observers there is neither a timer nor a connection.
final class StoreChanges: Sendable {
  private static let interval = DispatchTimeInterval.milliseconds(100)

  /// What an observer does after a commit; returns whether to call it again after the interval
  /// because it could not read everything.
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
    // Only this process can write to a store in memory, and `noteSave` reports its saves.
    files = stores.compactMap(\.native).filter { !$0.configuration.isStoredInMemoryOnly }
      .map(\.store)
  }

  var generation: Int { state.withLock { $0.generation } }

  var isPolling: Bool { state.withLock { $0.timer != nil } }

  /// Calls a listener after each commit from now on, on a separate thread.
  func add(
    _ owner: AnyObject,
    of container: ModelContainer,
    _ listener: @escaping Listener
  ) throws {
    try state.withLock { state in
      if state.listeners.isEmpty {
        state.watches = try files.map { try $0.watch() }
        // The first answer of a watch is always yes.
        for watch in state.watches { _ = try watch.hasChanged() }
        state.container = container
        if !files.isEmpty { state.timer = makeTimer() }
      }
      state.listeners[ObjectIdentifier(owner)] = listener
    }
  }

  /// Stops calling an owner's listener; after the last one, the timer stops.
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

  /// Notes a save of this process, so that observers need not wait for the timer.
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
      // If a store can't be asked, its observers read it and report why.
      do { if try watch.hasChanged() { isCommitted = true } } catch { isCommitted = true }
    }
    // After a save of this process too, because another process may also have committed.
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
  /// It is posted on a separate thread, and only while the container has a ``HistoryObserver`` or a
  /// ``ResultsObserver``. Its object is the container.
  public static let remoteChange = Notification.Name("ModelContainerRemoteChange")

  /// The identifier of a configuration's store, by the configuration's name; nil if there is none.
  ///
  /// It is the store's key in the tokens of a ``HistoryObserver``.
  public func storeIdentifier(forConfigurationNamed name: String) -> String? {
    stores.first { $0.native?.configuration.name == name }?.identifier
  }
}
