/// A value that one thread at a time works with.
///
/// `Mutex` of the standard library would do, but on Linux the thread sanitizer can't see it, and
/// reports what it guards as races; with this one, what the sanitizer reports is one.
final class Guarded<Value>: @unchecked Sendable {
  // The lock guards the value.
  private let lock = NSLock()
  private var value: Value

  init(_ value: sending Value) { self.value = value }

  func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
