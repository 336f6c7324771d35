import FoundationEssentials
import Glibc
import Synchronization

/// The files and folders that this process needs only for a while.
///
/// Who makes one removes it. A program that is stopped while a thread waits for a lock or a disk ends
/// without that thread, and removes them here.
package enum Leftovers {
  private struct State {
    var paths: Set<String> = []
    var isClosed = false
  }

  private static let state = Mutex(State())

  /// Notes a file or folder, before it is made.
  package static func add(_ path: String) {
    let isClosed = state.withLock { state in
      state.paths.insert(path)
      return state.isClosed
    }
    // The process is about to end, and must not make more.
    while isClosed { sleep(1) }
  }

  /// Forgets one that was removed, or has its final name now.
  package static func forget(_ path: String) {
    state.withLock { _ = $0.paths.remove(path) }
  }

  /// Removes them all, before the process ends; a thread that would make another one waits for that.
  package static func removeAll() {
    let paths = state.withLock { state in
      state.isClosed = true
      return state.paths
    }
    for path in paths {
      // A thread that is still at work may make a file in a folder while it is removed.
      for _ in 0..<5 where (try? FileManager.default.removeItem(atPath: path)) == nil {
        if access(path, F_OK) != 0 { break }
      }
    }
  }
}
