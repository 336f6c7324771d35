import Format
import Glibc
import Stopping
import Synchronization

/// The exclusive right to change a log folder.
///
/// When the program ends for any reason, the system releases the lock, so a lock never outlives its
/// program.
package final class FolderLock {
  /// A lock file, which can have several paths.
  private struct Place: Hashable {
    let device: dev_t
    let inode: ino_t

    init?(_ descriptor: Int32) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return nil }
      (device, inode) = (status.st_dev, status.st_ino)
    }
  }

  /// The lock files of the folders that this process has locked.
  private static let held = Mutex<Set<Place>>([])

  private let descriptor: Int32
  private let place: Place?

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
    descriptor = try openFile(path, flags: O_RDWR | O_CREAT)
    place = Place(descriptor)
    // A reader can hold the lock for a moment, to find out whether a program has it.
    let deadline = ContinuousClock.now + max(wait, .milliseconds(100))
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw diskError("lock", path: path) }
      guard ContinuousClock.now < deadline, !StopRequest.isMade else {
        let holder = try Self.note(in: path)
        throw LogError(.locked, folder.path) {
          "The folder \(folder.path) is in use by"
            + " \(holder.isEmpty ? "another program" : abbreviated(holder))."
            + "\nWait until the other program has ended, or use --lock-wait."
        }
      }
      usleep(20_000)
    }
    if let place { Self.held.withLock { _ = $0.insert(place) } }
    let note = Array("\(purpose), process \(getpid()) on \(hostName)\n".utf8)
    guard ftruncate(descriptor, 0) == 0 else { return }
    // If the purpose of the lock can't be written, other programs can't show the purpose while they
    // wait. The folder is locked anyway.
    _ = note.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, note.count, 0) }
  }

  deinit {
    if let place { Self.held.withLock { _ = $0.remove(place) } }
    close(descriptor)
  }

  private static func note(in path: String) throws -> String {
    try readSmallFile(path).map { String(decoding: $0, as: UTF8.self) }?.trimmed ?? ""
  }

  /// The note of another program that has locked a folder; nil if no other program is known to have
  /// the lock.
  package static func otherHolder(of folder: LogFolder) throws -> String? {
    let path = "\(folder.path)/.lock"
    // Without the permission to read the lock file, the reader can't know who has the lock. No
    // program can lock a file of another kind, which `verify` reports.
    guard let descriptor = try? openFile(path) else { return nil }
    defer { close(descriptor) }
    if let place = Place(descriptor), held.withLock({ $0.contains(place) }) { return nil }
    guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
    return try note(in: path)
  }
}

extension String {
  fileprivate var trimmed: String { String(prefix { !$0.isNewline }) }
}
