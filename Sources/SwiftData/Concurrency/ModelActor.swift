/// An interface for providing mutually exclusive access to the models of a context.
///
/// ``ModelActor()`` adds the conformance; see there for an example.
public protocol ModelActor: Actor {
  /// The container of the models; it stays open while the actor exists.
  nonisolated var modelContainer: ModelContainer { get }
  /// The executor of the actor, with its context; it never changes.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// The context of the actor; only its own methods may use it.
  public var modelContext: ModelContext { modelExecutor.modelContext }

  /// The executor of the actor, always its model executor.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    modelExecutor.asUnownedSerialExecutor()
  }

  /// The object of an identity; nil if it is of another class.
  public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? {
    modelContext.model(for: id) as? T
  }
}

/// An interface for running work with a context, which only the executor's jobs use.
public protocol ModelExecutor: Executor {
  /// The context of the executor; only its jobs may use it.
  var modelContext: ModelContext { get }
  /// The executor without a counted reference; the actor keeps it alive.
  func asUnownedSerialExecutor() -> UnownedSerialExecutor
}

/// A model executor that runs only one job at a time, such as ``DefaultSerialModelExecutor``.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

/// The executor of model actors, unless they provide another one.
///
/// ```swift
/// let executor: any SerialModelExecutor = DefaultSerialModelExecutor(
///   modelContext: ModelContext(container))
/// let context = (executor as any ModelExecutor).modelContext
/// ```
public final class DefaultSerialModelExecutor: SerialModelExecutor, @unchecked Sendable {
  // Only jobs use the context, and the queue runs one at a time.

  /// The context of the jobs; only they may use it.
  public let modelContext: ModelContext
  private let queue = DispatchQueue(label: "SwiftData.ModelActor")

  /// Creates an executor for a context that no other code may use.
  public init(modelContext: ModelContext) { self.modelContext = modelContext }

  /// Runs a job after all earlier ones.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }

  /// The executor without a counted reference; the actor keeps it alive.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }
}
