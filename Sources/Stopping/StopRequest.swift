import Glibc
import Synchronization

/// A request to end this process: it makes long work fail soon.
package enum StopRequest {
  private static let flag = Atomic(false)

  /// Whether long work should fail now.
  package static var isMade: Bool { flag.load(ordering: .relaxed) }

  /// Makes statements, copies and waits of all threads fail soon.
  @Sendable
  package static func make() {
    flag.store(true, ordering: .relaxed)
    // The byte wakes threads that wait for input; no thread reads the byte.
    _ = write(ends[1], "!", 1)
  }

  /// A pipe that contains a byte after the request; it has no descriptors if the system had none
  /// left.
  private static let ends = {
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) == 0 { for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) } }
    return ends
  }()

  /// Waits until a descriptor has something to read; returns false if the program is asked to end
  /// first.
  package static func waitForInput(_ descriptor: Int32) -> Bool {
    var waits = [descriptor, ends[0]].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&waits, 2, -1) < 0, errno == EINTR {}
    return waits[1].revents == 0
  }
}
