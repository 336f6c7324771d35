import ChangeLog
import Format
import Glibc

package struct PipelineError: Error, Sendable, Worded {
  /// The kind of failure.
  ///
  /// Later versions may add kinds, so a `switch` needs a default.
  package enum Code: String, Hashable, Sendable {
    case missingLogs, missing, historyExpired, historyDiverged, schemaMismatch, otherStore
    case unknownName, stillThere, misuse, unproven
  }

  package let code: Code
  /// The name that was not found, and the names that exist.
  package let names: (unknown: String, known: [String])?
  package let wording: Wording

  package init(
    _ code: Code,
    names: (unknown: String, known: [String])? = nil,
    _ wording: () -> Wording
  ) {
    self.code = code
    self.names = names
    self.wording = wording()
  }

  /// Returns this error with other names for paths.
  package func naming(_ name: (String) -> String) -> PipelineError {
    PipelineError(code, names: names) { wording.naming(name) }
  }
}

/// Throws if a folder is missing or has no logs.
package func checkHasLogs(_ logs: LogFolder) throws {
  guard logs.exists else { throw missingFolder(logs) }
  guard try logs.allFiles().isEmpty else { return }
  throw noLogs(logs.path)
}

/// The error for a log folder that is missing, or is not a folder.
package func missingFolder(_ logs: LogFolder) -> any Error {
  guard access(logs.path, F_OK) == 0 else {
    return PipelineError(.missing) { "There is no folder \(logs.path).\n\(nameTheFolder)" }
  }
  return LogError(.notALog, logs.path) { "\(logs.path) is not a folder.\nName a folder for logs." }
}

private let nameTheFolder = "Name the folder that you gave to “travelog export --to”."

func noLogs(_ path: String) -> PipelineError {
  PipelineError(.missing) { "There are no logs in \(path).\n\(nameTheFolder)" }
}

/// The error that a folder has no logs of a store or a lineage; the hint lists what it has.
func noLogs(of wanted: String, in logs: LogFolder, others: [String] = []) -> PipelineError {
  let hint = others.isEmpty ? nameTheFolder : "There are logs of \(listText(others))."
  return PipelineError(.missing) { "There are no logs of \(wanted) in \(logs.path).\n\(hint)" }
}

func severalStores(
  _ stores: [String],
  in logs: LogFolder,
  hint: Wording? = nil
) -> PipelineError {
  PipelineError(.otherStore) {
    "There are logs of \(stores.count) stores in \(logs.path)."
      + (hint ?? "\nName one of the stores with --store: \(stores.joined(separator: ", ")).")
  }
}

/// The error that the latest logs of a store belong to another lineage than the store.
func otherLineage(_ own: Int64, logs last: Int64, store: String) -> PipelineError {
  PipelineError(.historyDiverged) {
    "The store \(store) is in lineage \(own), but the logs of the store end in lineage \(last)."
      + "\nCopy the logs of lineage \(own) from the folder to which the store was exported last, or"
      + " export \(store) to a new folder; the new logs begin with the state of the store."
  }
}
