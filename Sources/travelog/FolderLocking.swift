import ChangeLog
import CommandLineKit
import Pipeline

extension Call {
  /// Locks a folder, which must contain logs; a dry run does not lock it.
  func lock(_ logs: LogFolder, purpose: String) throws -> FolderLock? {
    try checkHasLogs(logs)
    guard !arguments[Travelog.dryRun] else { return nil }
    return try FolderLock(logs, wait: arguments[Travelog.lockWait], purpose: purpose)
  }
}
