import Synchronization

/// Whether this process was asked to end, so that long work should fail soon.
package enum StopRequest {
  private static let flag = Atomic(false)

  /// Whether long work should fail now.
  package static var isMade: Bool { flag.load(ordering: .relaxed) }

  /// Makes statements, copies and waits of all threads fail soon.
  @Sendable
  package static func make() { flag.store(true, ordering: .relaxed) }
}
