import ChangeLog
import CommandLineKit
import Glibc
import Pipeline

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
      guard isatty(STDIN_FILENO) == 0 else { throw TravelogError.logsFromTerminal }
      let spool = try LogSpool(
        stream: STDIN_FILENO,
        name: "standard input",
        acceptsDamage: acceptsDamage
      )
      self.spool = spool
      folder = spool.folder
      return
    }
    guard !paths.contains("-") else { throw TravelogError.logsFromBoth }
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
      throw TravelogError.isFolder(folder)
    }
    let spool = try LogSpool(files: paths, acceptsDamage: acceptsDamage)
    self.spool = spool
    folder = spool.folder
  }

  /// Throws if a path names a part of a log folder, but the command needs the whole folder.
  private func checkIsWhole(_ place: LogPlace, path: String, isVerifying: Bool) throws {
    let root = place.folder.path
    if !isVerifying, place.folder.partial != nil {
      throw ChainFailure.filteredPart(root: root).at(path)
    }
    // The verification of a lineage needs the lineages before and after it too.
    guard place.isPart || isVerifying && place.store != nil else { return }
    throw TravelogError.isPart(path, of: root, store: place.store ?? "")
  }

  /// Replaces the paths of the temporary folder in a message by the names that the user gave.
  func naming(_ message: String) -> String { spool?.naming(message) ?? message }

  /// Calls `body`; if `body` throws an error, the error is thrown with the names that the user
  /// gave.
  func naming<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as LogError {
      throw error.at(naming(error.path))
    } catch var error as PipelineError {
      error.logs = naming(error.logs)
      error.log = naming(error.log)
      throw error
    }
  }
}
