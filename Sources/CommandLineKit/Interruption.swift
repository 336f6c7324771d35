import Glibc
import Synchronization

/// The signals that ask a program to end, kept until it can do so in order.
public enum Interruption {
  private static let received = Atomic<Int32>(0)

  /// Keeps SIGINT and SIGTERM for ``check()``; a second one ends the program at once.
  public static func listen() {
    // A global is made when it is first used, which must not be in the middle of a signal.
    received.store(0, ordering: .relaxed)
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM] {
      sigaddset(&signals, number)
      signal(number) { number in
        if Interruption.note(number) != 0 { _exit(128 + number) }
      }
    }
    // Whoever started the program may have blocked them, and a program inherits that.
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  private static func note(_ number: Int32) -> Int32 {
    received.exchange(number, ordering: .relaxed)
  }

  /// Throws where the program was asked to end.
  public static func check() throws {
    switch received.load(ordering: .relaxed) {
    case 0: return
    case SIGINT: throw CommandError(.interrupted, "Stopped; nothing was left half done.")
    default: throw CommandError(.terminated, "Stopped; nothing was left half done.")
    }
  }
}
