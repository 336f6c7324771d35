import Foundation

/// A lock that guards a value.
///
/// As on Apple's systems, the lock is not recursive: a thread that takes the lock twice stops the
/// program.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
  /// A claim about the current thread; `precondition` stops the program if the claim is wrong.
  public enum Ownership: Hashable, Sendable {
    /// The current thread must hold the lock.
    case owner
    /// The current thread must not hold the lock.
    case notOwner
  }

  // The lock is Sendable because only the thread that holds the mutex uses the state.
  private let storage: Storage<State>

  /// Creates a lock that guards a value that is not Sendable.
  public init(uncheckedState initialState: State) {
    storage = Storage(initialState)
  }

  /// Creates a lock that guards a value.
  ///
  /// Only `withLock` and similar functions can read the value.
  public init(initialState: State) where State: Sendable {
    storage = Storage(initialState)
  }

  /// Creates a lock without a value, which guards only the code between `lock()` and `unlock()`.
  public init() where State == Void {
    storage = Storage(())
  }

  /// Runs a function on the value while no other thread uses the value.
  public func withLock<Result: Sendable>(
    _ body: @Sendable (inout State) throws -> Result
  ) rethrows -> Result {
    try withLockUnchecked(body)
  }

  /// Runs a function on the value while no other thread uses the value; the result need not be
  /// Sendable.
  public func withLockUnchecked<Result>(
    _ body: (inout State) throws -> Result
  ) rethrows -> Result {
    storage.lock()
    defer { storage.unlock() }
    return try body(&storage.state)
  }

  /// Runs a function on the value; returns nil if another thread holds the lock.
  public func withLockIfAvailable<Result: Sendable>(
    _ body: @Sendable (inout State) throws -> Result
  ) rethrows -> Result? {
    try withLockIfAvailableUnchecked(body)
  }

  /// Runs a function on the value; returns nil if another thread holds the lock.
  ///
  /// The result need not be Sendable.
  public func withLockIfAvailableUnchecked<Result>(
    _ body: (inout State) throws -> Result
  ) rethrows -> Result? {
    guard storage.lockIfAvailable() else { return nil }
    defer { storage.unlock() }
    return try body(&storage.state)
  }

  /// Stops the program if the claim about the current thread is wrong.
  public func precondition(_ claim: Ownership) {
    Swift.precondition(
      storage.isHeldByThisThread == (claim == .owner),
      "the lock is \(claim == .owner ? "not " : "")held by this thread"
    )
  }
}

extension OSAllocatedUnfairLock where State == Void {
  /// Runs a function while no other thread holds the lock.
  public func withLock<Result: Sendable>(
    _ body: @Sendable () throws -> Result
  ) rethrows -> Result {
    try withLockUnchecked { _ in try body() }
  }

  /// Runs a function while no other thread holds the lock; the result need not be Sendable.
  public func withLockUnchecked<Result>(_ body: () throws -> Result) rethrows -> Result {
    try withLockUnchecked { _ in try body() }
  }

  /// Waits until no other thread holds the lock, and takes it.
  public func lock() {
    storage.lock()
  }

  /// Releases the lock.
  ///
  /// Only the thread that took the lock may call this function.
  public func unlock() {
    storage.unlock()
  }

  /// Takes the lock unless another thread holds it; returns whether it took the lock.
  public func lockIfAvailable() -> Bool {
    storage.lockIfAvailable()
  }
}

/// The mutex and the guarded value, at an address that does not move.
private final class Storage<State> {
  var state: State
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init(_ state: State) {
    self.state = state
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func lock() {
    let code = pthread_mutex_lock(mutex)
    precondition(code == 0, "the lock is taken twice by one thread")
  }

  func unlock() {
    let code = pthread_mutex_unlock(mutex)
    precondition(code == 0, "the lock is given up by a thread that does not hold it")
  }

  func lockIfAvailable() -> Bool {
    pthread_mutex_trylock(mutex) == 0
  }

  /// An error-checking mutex returns an error to a thread that takes the mutex twice.
  var isHeldByThisThread: Bool {
    let code = pthread_mutex_lock(mutex)
    if code == 0 { pthread_mutex_unlock(mutex) }
    return code == EDEADLK
  }
}
