/// Reports a change from any thread to an observer of results.
///
/// The observer belongs to the actor of its context, with all its models. No other thread may hold
/// it even briefly, because it could then be the last to release it.
final class ChangeSignal: Observable, Sendable {
  private struct Follower {
    weak var observer: (any ChangeFollower)?
  }

  private let target: NotificationTarget
  private let changes: StoreChanges
  private let registrar = ObservationRegistrar()
  private let isDue = Guarded(false)
  private let follower = Guarded(Follower())

  init(_ changes: StoreChanges, target: NotificationTarget) {
    self.changes = changes
    self.target = target
  }

  /// Connects the signal to an observer; only the observer's actor may read it afterwards.
  func lead(to observer: any ChangeFollower) { follower.withLock { $0.observer = observer } }

  /// The observer if it still exists; only for its own actor.
  var observer: (any ChangeFollower)? { follower.withLock { $0.observer } }

  /// Readers of this property are notified of changes if no actor created the observer.
  var pulse: Bool {
    registrar.access(self, keyPath: \.pulse)
    return target.hasActor
  }

  /// Notifies soon, once for all changes until then; can be called on any thread.
  func notifySoon() {
    let wasDue = isDue.withLock { isDue in
      defer { isDue = true }
      return isDue
    }
    guard !wasDue else { return }
    if target.hasActor {
      target.run {
        self.isDue.withLock { $0 = false }
        self.observer?.refreshIfNeeded()
      }
    } else {
      // The context may be in use on its thread, so only a reader may fetch.
      changes.async {
        self.isDue.withLock { $0 = false }
        self.registrar.withMutation(of: self, keyPath: \.pulse) {}
      }
    }
  }
}

/// An observer that fetches again after its context or the stores have changed.
protocol ChangeFollower: AnyObject {
  /// Fetches again after a change, and notifies if the results differ.
  func refreshIfNeeded()
}

/// Where an observer changes its properties: on the actor that created it, or else on any thread.
struct NotificationTarget: Sendable {
  // The actor may own the observer, so the observer must not hold it.
  private weak let actor: (any Actor)?
  let hasActor: Bool

  init(_ actor: (any Actor)?) {
    self.actor = actor
    hasActor = actor != nil
  }

  func run(_ body: @escaping @Sendable () -> Void) {
    guard hasActor else { return body() }
    guard let actor else { return }
    Task { await Self.run(on: actor, body) }
  }

  private static func run(on _: isolated any Actor, _ body: @Sendable () -> Void) { body() }
}
