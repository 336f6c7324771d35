import FoundationEssentials
import Glibc
import Synchronization

/// The temporary files and folders of this process.
///
/// Usually the code that creates a file also removes it. But a thread that waits for a lock or a
/// disk can't do this when the program is stopped. Then ``removeAll()`` removes the thread's files.
package enum Leftovers {
  private struct State {
    var paths: Set<String> = []
    var isClosed = false
  }

  private static let state = Mutex(State())

  /// Registers a file or folder before it is created.
  package static func add(_ path: String) {
    let isClosed = state.withLock { state in
      state.paths.insert(path)
      return state.isClosed
    }
    // The process is about to end, and must not create more files.
    while isClosed { sleep(1) }
  }

  /// Unregisters a file that was removed, or has its final name.
  package static func forget(_ path: String) {
    state.withLock { _ = $0.paths.remove(path) }
  }

  /// Removes all registered files before the process ends; from then on ``add(_:)`` does not return.
  package static func removeAll() {
    let paths = state.withLock { state in
      state.isClosed = true
      return state.paths
    }
    for path in paths {
      // A running thread may create a file in a folder while the folder is removed. Then the
      // removal fails, and is tried again.
      for _ in 0..<5 where (try? FileManager.default.removeItem(atPath: path)) == nil {
        if access(path, F_OK) != 0 { break }
      }
    }
  }
}
