import Format
import Glibc

/// A file that is open for reading.
final class OpenedFile {
  let descriptor: Int32

  /// Opens a file; nil if there is none.
  init?(_ path: String) throws {
    // Without O_NONBLOCK, opening a pipe would wait until another program opens it.
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor < 0 else { return }
    let number = errno
    guard number != ENOENT else { return nil }
    throw StoreError(.inputOutput, at: path) {
      "Can't read \(path): \(systemText(number))."
        + "\nCheck the disk, and the permissions of the file."
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
