/// An interface for providing mutually exclusive access to the models of a context.
///
/// The macro ``ModelActor()`` adds the conformance; the page of the macro has an example.
public protocol ModelActor: Actor {
  /// The container of the models; its stores remain open while the actor exists.
  nonisolated var modelContainer: ModelContainer { get }
  /// The actor's executor; it contains the context.
  ///
  /// An actor never changes its executor.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// The context of the actor.
  ///
  /// Only the methods of the actor may use the context.
  public var modelContext: ModelContext { modelExecutor.modelContext }

  /// The executor that runs the actor's jobs; always `modelExecutor`.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    modelExecutor.asUnownedSerialExecutor()
  }

  /// The object with the given identity; nil if the object is not of the given class.
  public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? {
    modelContext.model(for: id) as? T
  }
}

/// An interface for running work with a context; only jobs of the executor use the context.
public protocol ModelExecutor: Executor {
  /// The context of the executor; only the executor's jobs may use it.
  var modelContext: ModelContext { get }
  /// An unowned reference to the executor.
  ///
  /// The actor keeps the executor alive; the reference does not.
  func asUnownedSerialExecutor() -> UnownedSerialExecutor
}

/// A model executor that runs only one job at a time, such as ``DefaultSerialModelExecutor``.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

/// The executor that a model actor uses unless the actor provides another one.
///
/// ```swift
/// let executor: any SerialModelExecutor = DefaultSerialModelExecutor(
///   modelContext: ModelContext(container))
/// let context = (executor as any ModelExecutor).modelContext
/// ```
public final class DefaultSerialModelExecutor: SerialModelExecutor, @unchecked Sendable {
  // Only jobs use the context, and the queue runs one job at a time.

  /// The context that the executor's jobs use.
  ///
  /// No other code may use the context.
  public let modelContext: ModelContext
  private let queue = DispatchQueue(label: "SwiftData.ModelActor")

  /// Creates an executor for a context that no other code may use.
  public init(modelContext: ModelContext) { self.modelContext = modelContext }

  /// Runs a job after all jobs that were enqueued before it.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }

  /// An unowned reference to the executor.
  ///
  /// The actor keeps the executor alive; the reference does not.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }
}
