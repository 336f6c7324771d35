import Changes
import FoundationEssentials
import Glibc
import Stopping

/// A folder of a command's own, for what it needs only while it runs; it goes when nobody holds it.
package final class TemporaryFolder {
  /// Where it is.
  package let path: String

  /// Makes a folder, for the owner alone, where `TMPDIR` says, or in `/tmp`.
  package init() throws(LogError) {
    var template = Self.template()
    guard mkdtemp(&template) != nil else {
      throw diskError("create a temporary folder in", path: Self.parent)
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    Leftovers.add(path)
  }

  deinit {
    // What is left of a temporary folder harms nobody, and the system empties where it lies.
    try? FileManager.default.removeItem(atPath: path)
    Leftovers.forget(path)
  }

  /// Opens a temporary file that has no name any more, so that nothing is left whatever happens.
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
