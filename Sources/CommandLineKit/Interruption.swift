import Glibc
import Synchronization

/// Handles SIGINT and SIGTERM: a command has 0.13 s to end in order; then the program ends without
/// waiting for it.
package enum Interruption {
  /// The time in microseconds that a command has to end in order.
  ///
  /// A command that waits for a lock, a pipe or a disk does not notice the signal.
  private static let patience: UInt32 = 130_000

  private struct Watch: Sendable {
    var stop: @Sendable () -> Void = {}
    var cleanUp: @Sendable () -> Void = {}
    /// The closure that writes the error; nil after it was called.
    var report: (@Sendable (CommandError) -> Void)?
    /// The process that gets the signals instead of this process; nil if there is none.
    var process: pid_t?
  }

  private static let received = Atomic<Int32>(0)
  private static let watch = Mutex(Watch())

  /// Waits for SIGINT and SIGTERM on a separate thread.
  ///
  /// Call this function before other threads start, so that both signals are blocked in all
  /// threads.
  ///
  /// - Parameters:
  ///   - stop: Called at a signal, to end long work.
  ///   - cleanUp: Removes the temporary files of threads that did not end in time.
  package static func listen(
    stop: @escaping @Sendable () -> Void = {},
    cleanUp: @escaping @Sendable () -> Void = {}
  ) {
    watch.withLock {
      $0.stop = stop
      $0.cleanUp = cleanUp
    }
    var signals = awaited()
    // A shell starts background programs with SIGINT ignored, so the default is restored.
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    var atOnce = timespec()
    let early = sigtimedwait(&signals, nil, &atOnce)
    if early > 0 { note(early) }
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, { _ in Interruption.wait() }, nil)
    // If the thread can't be created, the signals are unblocked, and end the program at once.
    if code != 0 { pthread_sigmask(SIG_UNBLOCK, &signals, nil) }
  }

  /// The error of a program that received a signal; nil otherwise.
  package static var requested: CommandError? {
    let number = received.load(ordering: .relaxed)
    return number == 0 ? nil : error(number)
  }

  /// Throws if the program received a signal.
  package static func check() throws {
    if let error = requested { throw error }
  }

  /// Passes each later signal to a process that this process waits for, instead of ending this
  /// process; nil restores the usual behavior.
  package static func passSignals(to process: pid_t?) { watch.withLock { $0.process = process } }

  /// Sets the closure that writes the error if the program ends without waiting for the command.
  static func setReport(_ report: (@Sendable (CommandError) -> Void)?) {
    watch.withLock { $0.report = report }
  }

  private static func awaited() -> sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    return signals
  }

  private static func error(_ number: Int32) -> CommandError {
    CommandError(
      number == SIGINT ? .interrupted : .terminated,
      message: "Stopped by a signal; nothing is half done.",
      hint: "Run the command again to continue."
    )
  }

  private static func note(_ number: Int32) {
    received.store(number, ordering: .relaxed)
    watch.withLock { $0.stop }()
  }

  private static func pass(_ number: Int32) -> Bool {
    watch.withLock { watch in
      guard let process = watch.process else { return false }
      kill(process, number)
      return true
    }
  }

  private static func wait() -> Never {
    var number = received.load(ordering: .relaxed)
    if number == 0 {
      var signals = awaited()
      repeat { while sigwait(&signals, &number) != 0 {} } while pass(number)
      note(number)
    }
    usleep(patience)
    let error = error(number)
    watch.withLock { watch in
      watch.report?(error)
      watch.report = nil
    }
    watch.withLock { $0.cleanUp }()
    _exit(error.code.number)
  }
}
