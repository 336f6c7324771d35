import Changes
import CommandLineKit

/// The reason why a command of `travelog` failed.
enum TravelogError: ShownError, Worded {
  // Errors about flags that contradict each other.
  case noObject, groupsApart, filteredScript, filteredSnapshot
  case hashWithoutKey, keyWithoutHash
  case shortKey(String, bytes: Int)
  case streamOfJSON
  case streamNeedsFolder(String)
  case streamToTerminal, pageToTerminal
  case otherStore(String, named: String)
  case logsFromTerminal, logsFromBoth
  case isFolder(String)
  case isPart(String, of: String, store: String)
  case notMetrics(String)
  case afterAndAgainst
  case trustNeedsFolder
  case needsLogs(String)
  case notADigest(String, line: Int)
  case noDigests(String)
  case proofAndLogs, keyWithoutProof
  case needsCheckpoint(String)
  // Errors of `travelog adopt`.
  case contradiction([String])
  case commandNeedsSuspend
  case needsDetach(String)
  case noColumn(String)
  case commandNotFound(String, Int32)
  case migrationFailed([String], Int32)
  // Errors about files that are missing or can't be used.
  case noKey(String)
  case notWritten(String, String)
  case notOpened(String, Int32)
  case erasedBytesRemain(String)

  private var code: ExitCode {
    switch self {
    case .isPart, .noKey, .noDigests: .missing
    case .erasedBytesRemain: .locked
    case .notADigest: .unreadable
    case .notWritten, .commandNotFound, .migrationFailed, .notOpened: .failure
    default: .usage
    }
  }

  var shown: CommandError { CommandError(code, wording: wording) }

  var wording: Wording {
    switch self {
    case .noObject: "The command line does not name an object.\nGive the object's id, or --where."
    case .groupsApart:
      "--by can't be combined with --stat or --patch.\nLeave out --by, or leave out --stat and"
        + " --patch."
    case .filteredScript:
      "--format sql writes all differences, so it can't be combined with filters.\nLeave out"
        + " --entity, --id and --attribute."
    case .filteredSnapshot:
      "A snapshot contains the whole store, so it can't be filtered."
        + "\nLeave out --snapshot, or the filters."
    case .hashWithoutKey:
      "--redact …=hash needs a key, or anyone could find the values by guessing."
        + "\nGive --redact-key with a file of random bytes."
    case .keyWithoutHash:
      "--redact-key has no effect without --redact …=hash.\nLeave out"
        + " --redact-key."
    case .shortKey(let path, let bytes):
      "The key \(path) is \(counted(Int64(bytes), noun: "byte")) long; at least 16 bytes are required to"
        + " resist guessing."
    case .streamOfJSON: "--json and --to - both need standard output.\nLeave out one of the flags."
    case .streamNeedsFolder(let flag): "\(flag) needs a folder; it can't be combined with --to -."
    case .streamToTerminal:
      "Compressed logs can't be written to a terminal."
        + "\nPipe the logs to a program or a file, or name a folder."
    case .pageToTerminal:
      "The page is for a browser, and can't be written to a terminal."
        + "\nName a file: --output report.html"
    case .otherStore(let store, let named):
      "The path names the store \(store), but --store names \(quotedValue(named)).\nLeave out --store, or name the log folder."
    case .logsFromTerminal:
      "Logs can't be read from a terminal.\nPipe logs into the command, or name files."
    case .logsFromBoth:
      "Logs can't be read from files and from standard input at once.\nName files, or only -."
    case .isFolder(let path):
      "\(path) can't be read together with other paths.\nName one folder, or only files."
    case .isPart(let path, let root, let store):
      "\(path) is a part of a log folder, and can't be read without the other parts."
        + "\nName the log folder and the store: \(root) --store \(store)"
    case .notMetrics(let path):
      "\(path) does not end with .prom, so the textfile collector would not read it."
        + "\nName a file that ends with .prom."
    case .afterAndAgainst:
      "--after reads no earlier logs, but --against replays all logs.\nGive only one of the two flags."
    case .trustNeedsFolder:
      "--head needs a log folder or a store, and --against needs a log folder."
        + "\nName the log folder, or leave out the flag."
    case .needsLogs(let flag):
      "\(flag) is about logs, and the command line does not name a log folder.\nGive --logs LOGS."
    case .notADigest(let path, let line):
      "Line \(line) of \(path) is neither a digest nor a line that “travelog verify --json” wrote."
        + "\nGive 64 hexadecimal digits, or a file with one digest in each line."
    case .noDigests(let path):
      "There is no file \(path).\nGive 64 hexadecimal digits, or a file with one digest in each line."
    case .contradiction(let flags):
      "Only one of \(flags.joined(separator: ", ")) is possible.\nLeave out the other flags."
    case .commandNeedsSuspend:
      "--suspend needs a command, and a command needs --suspend."
        + "\nFor example: travelog adopt --suspend app.db -- ./migrate"
    case .needsDetach(let flag): "\(flag) has no effect without --detach.\nLeave out \(flag)."
    case .noColumn(let name):
      "\(quotedValue(name)) does not name a column.\nFor example: --without-column user.password"
    case .commandNotFound(let name, let number):
      "Can't run \(quotedValue(name)): \(systemText(number)). The triggers are restored."
    case .migrationFailed(let words, let status):
      "The command “\(words.joined(separator: " "))” ended with status \(status)."
        + "\nThe triggers are restored, and the changes by the command are recorded."
    case .noKey(let path):
      "There is no file \(path) with a key.\nCreate a key: head -c 32 /dev/urandom > \(path)"
    case .proofAndLogs:
      "--proof verifies only a proof, so it can't be combined with LOGS or --since."
        + "\nLeave out LOGS and --since."
    case .keyWithoutProof:
      "--key has no effect without --proof, --since, or a signed file as --head.\nLeave out --key."
    case .needsCheckpoint(let flag):
      "\(flag) is about a checkpoint, and the command line does not name a checkpoint."
        + "\nGive --proof or --since, or a checkpoint as --head, or leave out \(flag)."
    case .notWritten(let path, let reason):
      "Can't write \(path): \(reason)"
        + "\nName a file in a folder that you can write to, on a disk with free space."
    case .notOpened(let path, let number):
      "Can't open \(path): \(systemText(number))."
    case .erasedBytesRemain(let path):
      "\(path) has all transactions of the logs, but its file may still contain bytes of erased values,"
        + " because another program is reading it."
        + "\nRun the import again when the other program has finished."
    }
  }
}

extension CommandError {
  init(_ code: ExitCode, wording: Wording) {
    self.init(code, message: wording.message, hint: wording.hint.isEmpty ? nil : wording.hint)
  }
}
