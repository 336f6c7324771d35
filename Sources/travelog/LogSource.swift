import ChangeLog
import CommandLineKit
import Glibc
import Pipeline

/// The logs that a command was given: a folder, or files and standard input as one.
final class LogSource {
  let folder: LogFolder
  /// The store that a path names which leads into a folder of logs.
  private(set) var store: String?
  /// The lineage that such a path names.
  private(set) var lineage: Int64?
  /// Whether nothing but that there is nothing new came through the pipe.
  var isEmpty: Bool { spool?.isEmpty ?? false }
  /// What was wrong with logs, so that they are not in the folder.
  var failures: [LogError] { spool?.failures ?? [] }
  /// Keeps what was gathered for as long as it is needed.
  private let spool: LogSpool?

  /// Gathers logs; damaged ones too where somebody is to say what is wrong with them.
  init(_ paths: [String], acceptsDamage: Bool = false) throws {
    if paths == ["-"] {
      guard isatty(STDIN_FILENO) == 0 else {
        throw TravelogError.logsFromTerminal
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
      throw TravelogError.logsFromBoth
    }
    if paths.count == 1, LogFolder(paths[0]).exists || access(paths[0], F_OK) != 0 {
      let place = LogPlace(paths[0])
      let named = LogFolder(paths[0])
      guard place.store != nil, try named.stores().isEmpty else {
        let files = try named.stores().isEmpty ? named.looseFiles() : []
        // Somebody may have copied the logs without their folders.
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

  /// Says what to name instead of a part of a folder of logs, where that is not enough.
  private func checkIsWhole(_ place: LogPlace, path: String, isVerifying: Bool) throws {
    let root = place.folder.path
    if !isVerifying, place.folder.partial != nil {
      throw ChainFailure.filteredPart(root: root).at(path)
    }
    // What a lineage goes on from, and whether it is the last, the others tell.
    guard place.isPart || isVerifying && place.store != nil else { return }
    throw TravelogError.isPart(path, of: root, store: place.store ?? "")
  }

  /// A message with the names that were given, where the folder is one for the time of the command.
  func naming(_ message: String) -> String { spool?.naming(message) ?? message }

  /// Calls, and says what is wrong by the names that were given.
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
