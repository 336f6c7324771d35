import Changes
import Glibc
import Stopping

/// The exclusive right to change a log folder.
///
/// When the program ends for any reason, the system releases the lock, so a lock never outlives its
/// program.
package final class FolderLock {
  private let descriptor: Int32

  /// Locks a folder, and waits for the lock if requested.
  ///
  /// - Parameters:
  ///   - folder: The log folder.
  ///   - wait: The maximum time to wait for the lock.
  ///   - purpose: The reason that other programs show while they wait.
  /// - Throws: ``LogError`` with ``LogError/Code/locked``, which names the program that has the
  ///   lock.
  package init(_ folder: LogFolder, wait: Duration = .zero, purpose: String) throws {
    let path = "\(folder.path)/.lock"
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw diskError("open", path: path) }
    let deadline = ContinuousClock.now + wait
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw diskError("lock", path: path) }
      guard ContinuousClock.now < deadline, !StopRequest.isMade else {
        let holder =
          try readSmallFile(path, isOurs: true).map { String(decoding: $0, as: UTF8.self) } ?? ""
        throw LogFailure.locked(holder: holder.trimmed).at(folder.path)
      }
      usleep(20_000)
    }
    let note = Array("\(purpose), process \(getpid()) on \(hostName)\n".utf8)
    guard ftruncate(descriptor, 0) == 0 else { return }
    // If the purpose of the lock can't be written, other programs can't show the purpose while they
    // wait. The folder is locked anyway.
    _ = note.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, note.count, 0) }
  }

  deinit { close(descriptor) }
}

extension String {
  fileprivate var trimmed: String { String(prefix { !$0.isNewline }) }
}
