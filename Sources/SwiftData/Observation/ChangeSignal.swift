/// Reports a change, made on any thread, to an observer of results.
///
/// The observer and all its models belong to the actor of its context. Other threads must never
/// hold a reference to the observer: if such a reference were the last one, the observer would be
/// released on the wrong thread.
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

  /// Connects the signal to an observer; from then on, only the observer's actor may read
  /// `observer`.
  func lead(to observer: any ChangeFollower) { follower.withLock { $0.observer = observer } }

  /// The observer if it still exists; only the observer's actor may read this property.
  var observer: (any ChangeFollower)? { follower.withLock { $0.observer } }

  /// A property whose readers are notified of each change, for observers that no actor created.
  var pulse: Bool {
    registrar.access(self, keyPath: \.pulse)
    return target.hasActor
  }

  /// Notifies the observer soon; changes until then cause only one notification.
  ///
  /// Any thread may call this function.
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
      // The context's thread may be using the context. So this code only notifies the reader, and
      // the reader fetches.
      changes.async {
        self.isDue.withLock { $0 = false }
        self.registrar.withMutation(of: self, keyPath: \.pulse) {}
      }
    }
  }
}

/// An observer that fetches again if its context or the stores have changed.
protocol ChangeFollower: AnyObject {
  /// Fetches again if there was a change, and notifies its own observers if the results differ.
  func refreshIfNeeded()
}

/// The place where an observer changes its properties: the actor that created the observer, or any
/// thread if no actor created it.
struct NotificationTarget: Sendable {
  // The reference is weak, because the actor may keep the observer alive.
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
