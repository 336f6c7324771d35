import ChangeLog
import CommandLineKit
import Pipeline

extension Call {
  /// Takes the lock of a folder that must have logs, unless this is a dry run.
  func lock(_ logs: LogFolder, purpose: String) throws -> FolderLock? {
    try checkHasLogs(logs)
    guard !arguments[Travelog.dryRun] else { return nil }
    return try FolderLock(logs, wait: arguments[Travelog.lockWait], purpose: purpose)
  }
}
