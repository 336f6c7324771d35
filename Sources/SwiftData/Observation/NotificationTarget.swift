/// Where an observer changes its properties: on the actor that made it, or on any thread if none
/// did.
struct NotificationTarget: Sendable {
  // The actor may own the observer, which must not keep it alive in turn.
  private weak let actor: (any Actor)?
  let hasActor: Bool

  init(_ actor: (any Actor)?) {
    self.actor = actor
    hasActor = actor != nil
  }

  /// Runs a closure; not at all if the actor is gone.
  func run(_ body: @escaping @Sendable () -> Void) {
    guard hasActor else { return body() }
    guard let actor else { return }
    Task { await Self.run(on: actor, body) }
  }

  private static func run(on _: isolated any Actor, _ body: @Sendable () -> Void) { body() }
}
