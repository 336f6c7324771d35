import ChangeLog
import CommandLineKit
import Glibc

/// The logs that a command was given: a folder, or files and standard input as one.
final class LogSource {
  /// The folder.
  let folder: LogFolder
  /// True where nothing came through the pipe, because there was nothing new.
  var isEmpty: Bool { spool?.isEmpty ?? false }
  /// Keeps what was gathered for as long as it is needed.
  private let spool: LogSpool?

  init(_ paths: [String]) throws {
    if paths == ["-"] {
      guard isatty(STDIN_FILENO) == 0 else {
        throw CommandError.usage("Standard input is a terminal; pipe logs into it, or name files.")
      }
      let spool = try LogSpool(stream: STDIN_FILENO, name: "standard input")
      self.spool = spool
      folder = spool.folder
      return
    }
    guard !paths.contains("-") else {
      throw CommandError.usage("Logs come from files or from standard input, not from both.")
    }
    if paths.count == 1, LogFolder(paths[0]).exists || access(paths[0], F_OK) != 0 {
      folder = LogFolder(paths[0])
      spool = nil
      return
    }
    if let folder = paths.first(where: { LogFolder($0).exists }) {
      throw CommandError.usage("\(folder) is a folder; name one folder, or files alone.")
    }
    let spool = try LogSpool(files: paths)
    self.spool = spool
    folder = spool.folder
  }
}
