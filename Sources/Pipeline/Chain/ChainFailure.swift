import ChangeLog
import Changes

/// Why the logs of a folder do not form a history, or lack what an operation needs.
package enum ChainFailure: LogReason {
  case unreadableMark(String), unfinishedErasure(store: String, folder: String, command: String)
  case misplaced(LogHeader)
  case wrongFirst(Int64, named: Int64), wrongLast(Int64, named: Int64)
  case otherHistory(after: Int64), otherThanToken, otherThanCopy(String)
  case otherThanSnapshot(expected: Digest, found: Digest)
  case missing(ClosedRange<Int64>, after: Int64), repeated(ClosedRange<Int64>)
  case filtered(String), filteredHistory(String, of: String), onlyFiltered(store: String, String)
  case filteredImport(store: String, folder: String), filteredPart(root: String)
  case notAFolder, replica(Int32)

  package var code: LogError.Code {
    switch self {
    case .unfinishedErasure: .unfinished
    case .missing, .repeated: .gap
    case .filtered, .filteredHistory, .onlyFiltered, .filteredImport, .filteredPart: .partial
    case .notAFolder: .notALog
    case .replica: .inputOutput
    default: .damaged
    }
  }

  package func message(_ error: LogError) -> String {
    let path = error.path
    return switch self {
    case .unreadableMark(let detail):
      "\(path), which names an erasure that was begun, can't be read: \(abbreviated(detail))."
    case .unfinishedErasure(let store, let folder, _):
      "An erasure in the logs of the store \(store) in \(folder) was begun and not finished."
    case .misplaced(let header):
      "The log \(path) is in the wrong folder or has the wrong name: it begins with transaction"
        + " \(header.first) of lineage \(header.lineage) of the store \(header.store)"
        + (header.partial.isEmpty ? "." : " and has something left out (\(header.partial)).")
    case .wrongFirst(let first, let named):
      "The log \(path) begins with transaction \(first), but its name says \(named)."
    case .wrongLast(let last, let named):
      "The log \(path) ends with transaction \(last), but its name says \(named)."
    case .otherHistory(let id):
      "The log \(path) does not follow transaction \(id): it was written after another history."
    case .otherThanToken:
      "Transaction \(error.transaction) in the log \(path) does not have the digest in the token: it was"
        + " written after another history."
    case .otherThanCopy(let other):
      "The logs \(path) and \(other) have different digests of transaction \(error.transaction)."
    case .otherThanSnapshot(let expected, let found):
      "Transaction \(error.transaction) has the digest \(expected) in its snapshot, but \(found) in the"
        + " log \(path)."
    case .missing(let range, let last):
      "The log \(path) does not follow transaction \(last); missing before it:"
        + " \(rangeText(range).lowercased())."
    case .repeated(let range):
      "The log \(path) repeats \(rangeText(range).lowercased()) of the log before it."
    case .filtered(let partial):
      "The log \(path) has something left out (\(partial)), so that no log can follow it."
    case .filteredHistory(let partial, let name):
      "\(name) has something left out (\(partial)), so that it does not show how a store was."
    case .onlyFiltered(let store, let words):
      "All logs of the store \(store) here have something left out (\(words)), so that they are not a"
        + " whole history."
    case .filteredImport(let store, let folder):
      "The logs of the store \(store) in \(folder) have something left out and can't be replayed."
    case .filteredPart: "The logs in \(path) have something left out and can't be replayed."
    case .notAFolder: "\(path) is not a folder of logs."
    case .replica(let number): "Can't create the replica \(path): \(systemText(number))."
    }
  }

  package func hint(_ error: LogError) -> String {
    switch self {
    case .unreadableMark: "Restore it from another copy."
    case .unfinishedErasure(_, _, let command): "Run \(inQuotes(command)) again."
    case .misplaced: "Move it to where it belongs."
    case .wrongFirst, .wrongLast: "Give it the name that it had."
    case .missing: "Restore the missing logs."
    case .repeated: "Move one of the two out of the folder."
    case .filtered: "Move it out of the folder."
    case .filteredHistory: "Name whole logs, or the store."
    case .onlyFiltered:
      "Name a folder of one kind of them, which “log”, “show” and “blame” can read: \(error.path)"
    case .filteredImport: "Use the whole logs."
    case .filteredPart(let root): "Name \(root) if it has the whole logs."
    case .replica: "Check the folder and its permissions."
    default: code.hint
    }
  }
}
