import Changes
import Glibc

/// The reason why a log, or a file beside it, can't be read or written.
package enum LogFailure: LogReason {
  case system(verb: String, Int32), outOfMemory, locked(holder: String), exists, tooLarge
  case level(Int, allowed: ClosedRange<Int>), uncompressible
  case notAFile(FileKind), stray, notADay(String)
  case empty, notCompressed, database, notAHeader
  case newerFormat(String, known: String), unknownFeatures(String)
  case emptyLog, cutOff, cutLine, noTrailer, undecompressible(String?), longLine(limit: Int)
  case alteredHeader(String), impossibleSchema(StoreError)
  case alteredLine(String, lastSound: Int64), alteredErasure(String)
  case alteredTransaction(found: Digest?, expected: Digest?, mayBeErased: Bool), notErased,
    nothingErased
  case missingValue, alteredValue
  case longChange(bytes: Int, limit: Int), longSchema(store: String, bytes: Int, limit: Int)
  case noStream, alteredStream(String), cutStream

  package var code: LogError.Code {
    switch self {
    case .system(_, let number):
      switch number {
      case ENOSPC, EDQUOT: .diskFull
      case ENOENT, ENOTDIR: .missing
      default: .inputOutput
      }
    case .outOfMemory: .outOfMemory
    case .locked: .locked
    case .exists: .exists
    case .level, .uncompressible: .inputOutput
    case .empty, .notCompressed, .database, .notAHeader: .notALog
    case .newerFormat, .unknownFeatures: .newerFormat
    case .emptyLog, .cutOff, .cutLine, .noTrailer, .cutStream: .incomplete
    case .notAFile, .stray, .notADay, .tooLarge, .undecompressible, .longLine, .alteredHeader,
      .impossibleSchema, .alteredLine, .alteredErasure, .alteredTransaction, .notErased,
      .nothingErased, .alteredValue, .alteredStream:
      .damaged
    case .missingValue, .noStream: .missing
    case .longChange, .longSchema: .lineTooLong
    }
  }

  package func wording(_ error: LogError) -> Wording {
    let (path, line) = (error.path, error.line)
    let copyBlobs = "Copy the file, or the folder “blobs”, from the original log folder."
    return switch self {
    case .system(let verb, ENOLCK):
      "Can't \(verb) \(path): \(systemText(ENOLCK)).\nIf this file system has no locks, such as NFS"
        + " without lockd, move the log folder to a local disk."
    case .system(let verb, let number): "Can't \(verb) \(path): \(systemText(number))."
    case .outOfMemory: "There is not enough memory for the log \(path)."
    case .locked(let holder):
      "The folder \(path) is in use by \(holder.isEmpty ? "another program" : abbreviated(holder))."
        + "\nWait until the other program has ended, or use --lock-wait."
    case .exists: "The log \(path) exists already."
    case .tooLarge: "The file \(path), or a line in it, is larger than the limit."
    case .level(let level, let allowed):
      "The log \(path) can't be compressed at level \(level); levels are \(allowed.lowerBound) to"
        + " \(allowed.upperBound)."
    case .uncompressible: "A block of the log \(path) can't be compressed."
    case .notAFile(let kind):
      "\(path) is \(kind.words), not a file, and was not read."
        + "\nRemove it. If a file belongs in this place, copy the file from the original log folder."
    case .stray:
      "\(path) is not one of the folder's logs, but other programs would read it as a log."
        + "\nMove this file out of the folder."
    case .notADay(let day):
      "The log \(path) is in the folder of another day: its first transaction was on \(day)."
        + "\nMove the log to the folder date=\(day)."
    case .empty: "\(path) is empty, so it is not a log."
    case .notCompressed: "\(path) is not a log: it is not compressed with gzip."
    case .database:
      "\(path) is a SQLite database, not a log."
        + "\nTo write its history as logs: travelog export \(path) --to LOGS"
    case .notAHeader: "\(path) is not a log: line \(line) is not the header of a log."
    case .newerFormat(let format, let known):
      "The log \(path) has the format \(inQuotes(abbreviated(format))); this program reads"
        + " \(inQuotes(known))."
    case .unknownFeatures(let features):
      "The log \(path) uses features that this program does not know: \(abbreviated(features))."
    case .emptyLog: "The log \(path) is empty."
    case .cutOff: "The log \(path) is cut off in the middle."
    case .cutLine: "The log \(path) ends in the middle of line \(line)."
    case .noTrailer:
      "The log \(path) has no trailer: the lines after line \(line) are missing. The last complete"
        + " transaction is \(error.transaction)."
    case .undecompressible(let detail):
      "The log \(path) can't be decompressed\(detail.map { ": \($0)" } ?? "")."
    case .longLine(let limit):
      "Line \(line) of the log \(path) is longer than \(limit) bytes, the limit for a line."
    case .alteredHeader(let detail):
      "The first line of the log \(path) was damaged or altered: \(detail)."
    case .impossibleSchema(let error):
      "The schema in the first line of the log \(path) can't be used. \(error.message)"
    case .alteredLine(let detail, let lastSound):
      "Line \(line) of the log \(path) was damaged or altered: \(detail). The last sound transaction"
        + " is \(lastSound)."
    case .alteredErasure(let detail):
      "An erasure record in line \(line) of \(path) was damaged or altered (\(detail)), or an"
        + " earlier record was removed."
    case .alteredTransaction(let found, let expected, let mayBeErased):
      "Transaction \(error.transaction), which ends at line \(line) of the log \(path), was altered."
        + " Its lines have the digest \(found?.description ?? "none")"
        + "\(expected.map { " and should have \($0)" } ?? ", which no erasure record confirms")."
        + "\(mayBeErased ? " If its values were erased, the erasure record is missing." : "")"
    case .notErased:
      "Transaction \(error.transaction), which ends at line \(line) of the log \(path), contains values"
        + " that the records of erasures list as erased. This log is an older copy."
        + "\nReplace this copy with the current log."
    case .nothingErased:
      "The records of erasures name transaction \(error.transaction) of the log \(path), but none of its"
        + " values is erased: the record was forged, or the transaction was altered."
    case .missingValue: "The large value \(path) is missing.\n\(copyBlobs)"
    case .alteredValue:
      "The large value \(path) was altered: its bytes do not have the digest in the name of the file."
        + "\n\(copyBlobs)"
    case .longChange(let bytes, let limit):
      "Transaction \(error.transaction) has a change whose line is \(bytes) bytes long; the limit is"
        + " \(limit). The object has too many long values; the log \(path) was not written."
    case .longSchema(let store, let bytes, let limit):
      "The schema of the store \(store) is \(bytes) bytes long as JSON; the limit is \(limit)."
    case .noStream:
      "\(path.asSentence) was empty. The command before the pipe failed.\nSee the message of this"
        + " command above."
    case .alteredStream(let detail):
      "Line \(line) of \(path) was damaged or altered: \(detail).\nSend the logs again."
    case .cutStream:
      "\(path.asSentence) ends in the middle of a log or a large value, at line \(line)."
        + "\nSend the logs again."
    }
  }
}

extension LogError.Code {
  /// The usual remedy for failures of this code; empty if there is no usual remedy.
  package var hint: String {
    switch self {
    case .damaged: "Compare the file with another copy."
    case .incomplete: "Copy the log again from its source, or export the log again."
    case .newerFormat: StoreError.Code.newerFormat.hint
    case .diskFull: StoreError.Code.diskFull.hint
    case .outOfMemory: StoreError.Code.outOfMemory.hint
    case .notALog: "Name a log, or the folder that you gave to \(inQuotes("travelog export --to"))."
    default: ""
    }
  }
}

extension String {
  fileprivate var asSentence: String { prefix(1).uppercased() + dropFirst() }
}
