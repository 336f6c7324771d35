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

/// Says once what a fetch does more slowly than it could.
enum FetchLog {
  private static let said = Guarded<Set<String>>([])

  static func note(_ sentence: String) {
    // A program that makes new sentences for ever is not given memory for ever.
    guard said.withLock({ $0.count < 1000 && $0.insert(sentence).inserted }) else { return }
    FileHandle.standardError.write(Data("SwiftData: \(sentence)\n".utf8))
  }
}
