import Glibc
import Synchronization

/// The signals that ask a program to end: it ends in order where it can, and at once where it can't.
package enum Interruption {
  /// How many microseconds a command has to end in order.
  ///
  /// One that waits for a lock, a pipe or a disk does not see the signal.
  private static let patience: UInt32 = 130_000

  private struct Watch: Sendable {
    var stop: @Sendable () -> Void = {}
    var cleanUp: @Sendable () -> Void = {}
    /// Writes the error; nil once that was done.
    var report: (@Sendable (CommandError) -> Void)?
  }

  private static let received = Atomic<Int32>(0)
  private static let watch = Mutex(Watch())

  /// Waits for SIGINT and SIGTERM on a thread of its own.
  ///
  /// It is for a program to call before there are other threads, which inherit that the signals wait.
  ///
  /// - Parameters:
  ///   - stop: Called when a signal came, to end what takes long.
  ///   - cleanUp: Called before the process is ended while its threads are at work, to remove what
  ///     they would have removed.
  package static func listen(
    stop: @escaping @Sendable () -> Void = {},
    cleanUp: @escaping @Sendable () -> Void = {}
  ) {
    watch.withLock {
      $0.stop = stop
      $0.cleanUp = cleanUp
    }
    var signals = awaited()
    // A shell starts programs in the background with SIGINT ignored.
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    var atOnce = timespec()
    let early = sigtimedwait(&signals, nil, &atOnce)
    if early > 0 { note(early) }
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, { _ in Interruption.wait() }, nil)
    // Without the thread, signals end the program at once.
    if code != 0 { pthread_sigmask(SIG_UNBLOCK, &signals, nil) }
  }

  /// The error of a program that was asked to end; nil for one that was not.
  package static var requested: CommandError? {
    let number = received.load(ordering: .relaxed)
    return number == 0 ? nil : error(number)
  }

  /// Throws if the program was asked to end.
  package static func check() throws {
    if let error = requested { throw error }
  }

  /// Sets what writes the error of a program that is ended at once; nil when it was written.
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
      message: "Stopped; nothing was left half done."
    )
  }

  private static func note(_ number: Int32) {
    received.store(number, ordering: .relaxed)
    watch.withLock { $0.stop }()
  }

  private static func wait() -> Never {
    var number = received.load(ordering: .relaxed)
    if number == 0 {
      var signals = awaited()
      while sigwait(&signals, &number) != 0 {}
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
