/// A value that only one thread uses at a time.
///
/// `Guarded` replaces the standard library's `Mutex`, because the thread sanitizer on Linux does
/// not recognize `Mutex` and reports accesses to its value as races.
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

/// Prints a message when a fetch is slower than necessary, once for each reason.
enum FetchLog {
  private static let said = Guarded<Set<String>>([])

  static func note(_ sentence: String) {
    // The number of remembered messages is limited, because a program may cause any number of
    // different messages.
    guard said.withLock({ $0.count < 1000 && $0.insert(sentence).inserted }) else { return }
    FileHandle.standardError.write(Data("SwiftData: \(sentence)\n".utf8))
  }
}
