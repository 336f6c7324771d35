import ChangeLog
import Changes

/// The reason why the logs in a folder are not a complete history, or lack data that an operation
/// needs.
package enum ChainFailure: LogReason {
  case unreadableMark(String), unfinishedErasure(store: String, folder: String, command: String)
  case runningErasure(store: String, folder: String, holder: String)
  case misplaced(LogHeader)
  case wrongFirst(Int64, named: Int64), wrongLast(Int64, named: Int64)
  case otherHistory(after: Int64), otherThanToken, otherThanCopy(String)
  case otherThanSnapshot(expected: Digest, found: Digest)
  case missing(ClosedRange<Int64>, after: Int64), repeated(ClosedRange<Int64>)
  case filtered(String), filteredHistory(String, of: String), onlyFiltered(store: String, String)
  case filteredImport(store: String, folder: String), filteredPart(root: String)
  case otherThanPosition(Digest), snapshotInside
  case notAFolder, replica(Int32)

  package var code: LogError.Code {
    switch self {
    case .unfinishedErasure: .unfinished
    case .runningErasure: .locked
    case .missing, .repeated: .gap
    case .filtered, .filteredHistory, .onlyFiltered, .filteredImport, .filteredPart: .filtered
    case .notAFolder: .notALog
    case .replica: .inputOutput
    default: .damaged
    }
  }

  package func wording(_ error: LogError) -> Wording {
    let path = error.path
    let rename = "Rename the file to its original name."
    return switch self {
    case .unreadableMark(let detail):
      "\(path), the record of an unfinished erasure, can't be read: \(abbreviated(detail))."
        + "\nRestore the file from another copy."
    case .unfinishedErasure(let store, let folder, let command):
      "An erasure in the logs of the store \(store) in \(folder) is not finished."
        + "\nRun \(inQuotes(command)) again."
    case .runningErasure(let store, let folder, let holder):
      "An erasure in the logs of the store \(store) in \(folder) is not finished, and another program"
        + " uses the folder\(holder.isEmpty ? "" : " (\(holder))")."
        + "\nTry again when the other program has ended."
    case .misplaced(let header):
      "The log \(path) is in the wrong folder or has the wrong name: it begins with transaction"
        + " \(header.first) of lineage \(header.lineage) of the store \(header.store)"
        + (header.partial.isEmpty ? "." : " and is filtered (\(header.partial)).")
        + "\nMove the log to its own folder, under its original name."
    case .wrongFirst(let first, let named):
      "The log \(path) begins with transaction \(first), but its name says \(named).\n\(rename)"
    case .wrongLast(let last, let named):
      "The log \(path) ends with transaction \(last), but its name says \(named).\n\(rename)"
    case .otherHistory(let id):
      "The log \(path) does not follow transaction \(id): the log belongs to another history."
    case .otherThanToken:
      "Transaction \(error.transaction) in the log \(path) does not have the digest from the token:"
        + " the log belongs to another history."
    case .otherThanCopy(let other):
      "The logs \(path) and \(other) have different digests of transaction \(error.transaction)."
    case .otherThanSnapshot(let expected, let found):
      "Transaction \(error.transaction) has the digest \(expected) in its snapshot, but \(found) in the"
        + " log \(path)."
    case .otherThanPosition(let digest):
      "Transaction \(error.transaction) in the log \(path) does not have the given digest"
        + " \(digest): the log belongs to another history."
    case .snapshotInside:
      "The log \(path) contains the whole state of the store as transaction \(error.transaction);"
        + " only the first log of a lineage may contain a whole state."
    case .missing(let range, let last):
      "The log \(path) does not follow transaction \(last): \(rangeText(range).lowercased())"
        + " \(range.count == 1 ? "is" : "are") missing.\nRestore the missing logs."
    case .repeated(let range):
      "The log \(path) repeats \(rangeText(range).lowercased()) of the previous log."
        + "\nMove one of these two logs out of the folder."
    case .filtered(let filter):
      "The log \(path) is filtered (\(filter)), so it can't be a part of a whole history."
        + "\nMove the filtered log out of the folder."
    case .filteredHistory(let filter, let name):
      "\(name) is filtered (\(filter)), so it does not show the whole state of a store."
        + "\nName unfiltered logs, or the store."
    case .onlyFiltered(let store, let words):
      "All logs of the store \(store) are filtered (\(words)), so they do not contain"
        + " the whole history."
        + "\nThe commands “log”, “show” and “blame” can read the folder of one filter: \(path)"
    case .filteredImport(let store, let folder):
      "The logs of the store \(store) in \(folder) are filtered and can't be imported."
        + "\nUse unfiltered logs."
    case .filteredPart(let root):
      "The logs in \(path) are filtered and can't be imported."
        + "\nIf \(root) also has unfiltered logs, give the folder \(root) instead."
    case .notAFolder: "\(path) is not a folder of logs."
    case .replica(let number):
      "Can't create the replica \(path): \(systemText(number))."
        + "\nCheck that its folder exists and that you can write to this folder."
    }
  }
}
