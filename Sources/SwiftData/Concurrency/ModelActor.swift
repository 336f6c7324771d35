/// An interface for providing mutually exclusive access to the models of a context.
///
/// ``ModelActor()`` writes what it asks for.
public protocol ModelActor: Actor {
  /// The container of the models.
  nonisolated var modelContainer: ModelContainer { get }
  /// The executor that runs the actor's work, with its context.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// The context that the actor works with.
  public var modelContext: ModelContext { modelExecutor.modelContext }

  /// The executor of the actor.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    modelExecutor.asUnownedSerialExecutor()
  }

  /// The object of an identity, if it is of that class.
  public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? {
    modelContext.model(for: id) as? T
  }
}

/// An interface for running work that has to do with a context.
public protocol ModelExecutor: Executor {
  /// The context that belongs to the executor.
  var modelContext: ModelContext { get }
  /// The executor without a reference that is counted.
  func asUnownedSerialExecutor() -> UnownedSerialExecutor
}

/// A model executor that does one thing at a time.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

/// The executor that actors of models have unless they bring their own.
public final class DefaultSerialModelExecutor: SerialModelExecutor, @unchecked Sendable {
  // The context is touched by jobs alone, and the queue runs one at a time.

  /// The context that the jobs work with.
  public let modelContext: ModelContext
  private let queue = DispatchQueue(label: "SwiftData.ModelActor")

  /// Makes the executor of a context.
  public init(modelContext: ModelContext) { self.modelContext = modelContext }

  /// Runs a job when those before it are done.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }

  /// The executor without a reference that is counted.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }
}
