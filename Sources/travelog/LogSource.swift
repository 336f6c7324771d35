import ChangeLog
import CommandLineKit
import Format
import Glibc
import Pipeline

/// The error that a command needs a whole log folder, and not the part of it at a path.
func notWhole(_ path: String, of place: LogPlace) -> CommandError {
  CommandError(.missing) {
    "\(path) is a part of a log folder, and can't be read without the other parts."
      + "\nName the log folder and the store: \(place.folder.path) --store \(place.store ?? "")"
  }
}

func notReadTogether(_ path: String) -> CommandError {
  CommandError(.usage) {
    "\(path) can't be read together with other paths.\nName one folder, or only files."
  }
}

/// The logs that a command reads: a log folder, or a temporary one that contains the given files or
/// the logs from standard input.
final class LogSource {
  let folder: LogFolder
  /// The store and the lineage that the path names; nil unless the path is inside a log folder.
  private(set) var store: String?
  private(set) var lineage: Int64?
  /// Whether standard input contained only the empty member of an export without new transactions.
  var isEmpty: Bool { spool?.isEmpty ?? false }
  /// The errors of damaged logs that could not be placed in the temporary folder.
  var failures: [LogError] { spool?.failures ?? [] }
  /// The temporary folder, which must exist until the command ends.
  private let spool: LogSpool?

  /// Finds the logs at the given paths.
  ///
  /// If `acceptsDamage` is true, damaged logs are accepted too, and a verification can report their
  /// damage.
  init(_ paths: [String], acceptsDamage: Bool = false) throws {
    if paths == ["-"] {
      guard isatty(STDIN_FILENO) == 0 else {
        throw CommandError(.usage) {
          "Logs can't be read from a terminal.\nPipe logs into the command, or name files."
        }
      }
      let spool = try LogSpool(
        stream: STDIN_FILENO,
        name: "standard input",
        acceptsDamage: acceptsDamage
      )
      self.spool = spool
      folder = spool.folder
      return
    }
    guard !paths.contains("-") else {
      throw CommandError(.usage) {
        "Logs can't be read from files and from standard input at once.\nName files, or only -."
      }
    }
    if paths.count == 1, LogFolder(paths[0]).exists || access(paths[0], F_OK) != 0 {
      let place = LogPlace(paths[0])
      let named = LogFolder(paths[0])
      guard place.store != nil, try named.stores().isEmpty else {
        let files = try named.stores().isEmpty ? named.looseFiles() : []
        // A folder without stores can directly contain copies of logs, without the usual folders
        // around them.
        spool =
          try files.isEmpty
          ? nil : LogSpool(files: files, of: named.path, acceptsDamage: acceptsDamage)
        folder = spool?.folder ?? named
        return
      }
      spool = nil
      folder = place.folder
      store = place.store
      lineage = place.lineage
      try checkIsWhole(place, path: paths[0], isVerifying: acceptsDamage)
      return
    }
    if let folder = paths.first(where: { LogFolder($0).exists }) {
      throw notReadTogether(folder)
    }
    let spool = try LogSpool(files: paths, acceptsDamage: acceptsDamage)
    self.spool = spool
    folder = spool.folder
  }

  /// Throws if a path names a part of a log folder, but the command needs the whole folder.
  private func checkIsWhole(_ place: LogPlace, path: String, isVerifying: Bool) throws {
    let root = place.folder.path
    if !isVerifying, place.folder.partial != nil {
      throw LogError(.filtered, path) {
        "The logs in \(path) are filtered and can't be imported."
          + "\nIf \(root) also has unfiltered logs, give the folder \(root) instead."
      }
    }
    // The verification of a lineage needs the lineages before and after it too.
    guard place.isPart || isVerifying && place.store != nil else { return }
    throw notWhole(path, of: place)
  }

  /// Replaces the paths of the temporary folder in a message by the names that the user gave.
  func naming(_ message: String) -> String { spool?.naming(message) ?? message }

  /// Calls `body`; if `body` throws an error, the error is thrown with the names that the user
  /// gave.
  func naming<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as LogError {
      throw error.naming(naming)
    } catch let error as PipelineError {
      throw error.naming(naming)
    }
  }
}
