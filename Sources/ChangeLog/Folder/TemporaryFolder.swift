import FoundationEssentials
import Glibc
import Stopping

/// A temporary folder of a command, which is removed when this object is released.
package final class TemporaryFolder {
  package let path: String

  /// Creates a temporary folder in `TMPDIR` or `/tmp`; only the owner can access the folder.
  package init() throws(LogError) {
    var template = Self.template()
    guard mkdtemp(&template) != nil else {
      throw diskError("create a temporary folder in", path: Self.parent)
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    Leftovers.add(path)
  }

  deinit {
    // A temporary folder that can't be removed is harmless, because the system removes it later.
    try? FileManager.default.removeItem(atPath: path)
    Leftovers.forget(path)
  }

  /// Opens a temporary file without a name; the system removes the file when the process ends.
  package static func openFile() throws(LogError) -> Int32 {
    var template = template()
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw diskError("create a temporary file in", path: parent) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(&template)
    return descriptor
  }

  private static var parent: String {
    let named = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
    return named.isEmpty ? "/tmp" : named
  }

  private static func template() -> [CChar] { Array("\(parent)/travelog-XXXXXX".utf8CString) }
}
