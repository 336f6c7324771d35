import Dispatch
import Store

/// Notices commits to the stores of a container while somebody observes them.
///
/// One timer asks each file for `PRAGMA data_version`, a number that changes with each commit of
/// another connection, also one of another process. Without observers there is no timer and no
/// connection.
final class StoreChanges: Sendable {
  /// How often the files are asked.
  private static let interval = DispatchTimeInterval.milliseconds(100)

  /// What an observer does after a commit; it returns whether to call it again after the interval,
  /// because it could not read all yet.
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
    // Only this process can write to a store in memory, and its saves are reported by `noteSave`.
    files = stores.compactMap(\.native).filter { !$0.configuration.isStoredInMemoryOnly }
      .map(\.store)
  }

  /// A number that changes with each commit that is noticed.
  var generation: Int { state.withLock { $0.generation } }

  var isPolling: Bool { state.withLock { $0.timer != nil } }

  /// Calls a listener after each commit from now on, on a thread of its own.
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

  /// Stops calling the listener of an owner; after the last one, nothing runs any more.
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

  /// Takes note of a save of this process, so that nobody has to wait for the timer.
  func noteSave() {
    let isObserved = state.withLock { state in
      guard !state.listeners.isEmpty else { return false }
      state.generation += 1
      return true
    }
    if isObserved { queue.async { self.look(afterSave: true) } }
  }

  /// Calls a closure on the thread that also calls the listeners.
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
      // Observers read a store that can't be asked, and report why it can't be read.
      do { if try watch.hasChanged() { isCommitted = true } } catch { isCommitted = true }
    }
    // Also after a save of our own, as somebody else may have committed since.
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
  /// Posted after a commit to a store of the container, by any context or process.
  ///
  /// It is posted while a ``HistoryObserver`` or a ``ResultsObserver`` of the container exists, on
  /// a thread of its own. Its object is the container.
  public static let remoteChange = Notification.Name("ModelContainerRemoteChange")

  /// The identifier of the store that a configuration describes, by the configuration's name.
  ///
  /// It is the key of the store in the tokens of a ``HistoryObserver``.
  public func storeIdentifier(forConfigurationNamed name: String) -> String? {
    stores.first { $0.native?.configuration.name == name }?.identifier
  }
}
