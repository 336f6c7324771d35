import Dispatch

/// A queue that runs one closure at a time, and that can be the executor of an actor.
///
/// ```swift
/// actor Importer {
///   private let queue = DispatchSerialQueue(label: "importer")
///   nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
/// }
/// ```
/// On Apple's systems, this class is a subclass of `DispatchQueue`. On Linux, `DispatchQueue` can't
/// have subclasses, so this class contains a queue.
public final class DispatchSerialQueue: SerialExecutor {
  /// The queue as a `DispatchQueue`.
  ///
  /// Work that is added directly to the `DispatchQueue` runs in the same order as all other work.
  public let queue: DispatchQueue

  /// Creates a queue.
  ///
  /// Several queues may have the same target queue. If the target is serial, only one closure of
  /// all these queues runs at a time.
  public init(
    label: String,
    qos: DispatchQoS = .unspecified,
    autoreleaseFrequency: DispatchQueue.AutoreleaseFrequency = .inherit,
    target: DispatchQueue? = nil
  ) {
    queue = DispatchQueue(
      label: label,
      qos: qos,
      autoreleaseFrequency: autoreleaseFrequency,
      target: target
    )
  }

  /// The queue's name, which debuggers show.
  ///
  /// Several queues may have the same name.
  public var label: String { queue.label }

  /// Runs a closure after the closures that were added before it.
  public func async(
    group: DispatchGroup? = nil,
    qos: DispatchQoS = .unspecified,
    flags: DispatchWorkItemFlags = [],
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    queue.async(group: group, qos: qos, flags: flags, execute: work)
  }

  /// Runs a closure at the given time or later, after the closures that were added before it.
  public func asyncAfter(
    deadline: DispatchTime,
    qos: DispatchQoS = .unspecified,
    flags: DispatchWorkItemFlags = [],
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    queue.asyncAfter(deadline: deadline, qos: qos, flags: flags, execute: work)
  }

  /// Runs a closure after the closures that were added before it, and waits for its end.
  public func sync<Result>(execute work: () throws -> Result) rethrows -> Result {
    try queue.sync(execute: work)
  }

  /// Runs a job of an actor after the work that was added before it.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// Stops the program if the caller does not run on the queue.
  public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
