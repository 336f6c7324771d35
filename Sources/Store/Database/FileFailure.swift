import Changes
import Glibc
import SQLite

/// The reason why a file can't be used as a store, or can't be read or written.
enum FileFailure: StoreReason {
  case missing, folder, notADatabase, empty, appleStore, foreignDatabase
  case newerFormat(Int64, known: Int32)
  case damaged, cutOff(bytes: Int), otherTables(String), damagedCatalog(CatalogPart)
  /// The texts of an adopted file have another encoding than when it was adopted.
  case otherEncoding(TextEncoding?, now: String)
  /// Another program has locked the file. The waiting time is nil if it is not known.
  case locked(waited: Duration?)
  /// Another program keeps its lock, although it does not write.
  case kept(waited: Duration?)
  case unrecordedChange, erasedButInLog, changedWhileRead
  case writeProtected, openedForReading, noCompanions, noWriteAheadLog, workingCopy(Int32)
  case full, inputOutput, outOfMemory
  case refused(String), nestedWrite
  /// SQLite does not have a function, or does not know the syntax, that a program's schema uses.
  case lacking(String), unknownSyntax(String)

  /// The part of a catalog that is missing or invalid.
  enum CatalogPart: String { case identifier, lineage, schema }

  var code: StoreError.Code {
    switch self {
    case .missing: .missing
    case .notADatabase: .notADatabase
    case .folder, .empty, .appleStore, .foreignDatabase: .notAStore
    case .newerFormat: .newerFormat
    case .damaged, .cutOff, .otherTables, .damagedCatalog, .unknownSyntax: .damaged
    case .locked, .kept, .unrecordedChange, .erasedButInLog, .changedWhileRead: .locked
    case .workingCopy(let number): number == EACCES || number == EROFS ? .readOnly : .inputOutput
    case .writeProtected, .openedForReading, .noCompanions, .noWriteAheadLog: .readOnly
    case .otherEncoding: .schemaMismatch
    case .full: .diskFull
    case .inputOutput: .inputOutput
    case .outOfMemory: .outOfMemory
    case .refused, .lacking: .database
    case .nestedWrite: .misuse
    }
  }

  func wording(_ path: String) -> Wording {
    let notKept = "an unfinished change was not kept"
    let nameAStore = "Give the path of a store. Programs that use Travelog create stores."
    return switch self {
    case .missing: "There is no file \(path)."
    case .folder: "\(path) is a folder; a store is a file such as trips.store."
    case .notADatabase: "The file \(path) is not a SQLite database."
    case .empty: "\(path) is empty; no program has created a store in this file yet.\n\(nameAStore)"
    case .appleStore:
      "\(path) is a store of Apple's Core Data or SwiftData, whose format Travelog can't read."
        + "\nTo move the data to Travelog, see FROM_A_MAC in Travelog's documentation."
    case .foreignDatabase:
      "\(path) is a SQLite database without Travelog history.\nTo add a history:"
        + " travelog adopt \(path)"
    case .newerFormat(let format, let known):
      "The store \(path) has format \(format); this program reads formats up to \(known)."
    case .damaged: "The store \(path) is damaged."
    case .cutOff(let bytes): "The store \(path) is damaged: the file was cut off at \(bytes) bytes."
    case .otherTables(let detail):
      "The tables of the store \(path) do not match its schema (\(detail)); another program"
        + " changed them.\nTo list the differences: travelog check \(path)"
    case .damagedCatalog(let part):
      "The catalog of the store \(path) is damaged: its \(part) is missing or invalid."
    case .otherEncoding(let recorded, let now):
      "The texts of \(path) are in \(now), but its history was recorded in"
        + " \(recorded?.rawValue ?? "UTF-8")."
        + "\nTo begin a new history: travelog adopt --detach --discard-history \(path) && travelog adopt \(path)"
    case .locked(let time):
      "Another program is writing to \(path) and did not finish"
        + " \(time.map { "within \(text($0))" } ?? "in time").\nTry again."
    case .kept(let time):
      "Another program keeps \(path) locked"
        + "\(time.map { ", and did not release the lock within \(text($0))" } ?? "")."
        + "\nClose this program. Perhaps it uses PRAGMA locking_mode = EXCLUSIVE, which keeps the"
        + " lock until the program ends."
    case .unrecordedChange:
      "Another program is changing the store \(path), and history does not have the change yet."
    case .erasedButInLog:
      "The values are erased from the history of the store \(path), but the store's write-ahead log"
        + " still contains them, because another program is reading the store."
        + "\nErase the values again when the other program has finished."
    case .changedWhileRead:
      "Another program changed the store \(path) while it was read, and this user has no permission to"
        + " lock it.\nTry again when the other program has finished."
    case .writeProtected:
      "\(path) can't be written: the file, its folder or its disk is"
        + " write-protected."
    case .openedForReading:
      "The store \(path) was opened for reading only.\nOpen the store for"
        + " writing."
    case .noCompanions:
      "The store \(path) can't be opened: SQLite can't create its files in the folder of the store."
    case .noWriteAheadLog:
      "SQLite can't create a write-ahead log for the store \(path)."
        + "\nMove the store to a local file system."
    case .workingCopy(let number):
      "Can't create \(path), the copy that a migration works on: \(systemText(number))."
    case .full: "There is no space left for the store \(path); \(notKept)."
    case .inputOutput: "Can't read or write the store \(path); \(notKept)."
    case .outOfMemory: "There is not enough memory for the store \(path); \(notKept)."
    case .refused(let detail): "SQLite refused a statement on the store \(path) (\(detail))."
    case .lacking(let detail):
      "The schema of \(path) needs what the SQLite \(Connection.libraryVersion) of this program does"
        + " not have (\(detail))."
    case .unknownSyntax(let detail):
      "The SQLite \(Connection.libraryVersion) of this program can't read \(path) (\(detail))."
        + "\nA newer SQLite created a part of the file, or the file is damaged."
    case .nestedWrite: "A write to the store \(path) can't begin inside another write."
    }
  }
}

/// A duration as text, such as “10 s”, or “50 ms” for less than a second.
private func text(_ time: Duration) -> String {
  time < .seconds(1) ? "\(Int64(time / .milliseconds(1))) ms" : "\(time.components.seconds) s"
}

/// The reason why the blob file of a large value can't be read or written.
enum BlobFailure: StoreReason {
  case missing(digest: String)
  case missingInReplay(digest: String)
  case unwritable(verb: String, file: String, Int32)

  var code: StoreError.Code {
    guard case .unwritable(_, _, let number) = self else { return .missingBlob }
    return switch number {
    case ENOSPC, EDQUOT: .diskFull
    case EROFS, EACCES: .readOnly
    default: .inputOutput
    }
  }

  func wording(_ path: String) -> Wording {
    switch self {
    case .missing(let digest):
      "The large value \(digest) of the store \(path) is missing."
        + "\nRestore the folder \(path)-blobs together with the store."
    case .missingInReplay(let digest):
      "The large value \(digest) of a replayed transaction is missing."
        + "\nCopy the blob file from the log folder."
    case .unwritable(let verb, let file, let number):
      "Can't \(verb) \(file) for a large value: \(systemText(number)). Nothing of this write was kept."
    }
  }
}
