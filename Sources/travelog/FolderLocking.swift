import ChangeLog
import CommandLineKit
import Pipeline

extension Call {
  /// Takes the lock of a folder of logs that has to be there, unless nothing is to be done in it.
  func lock(_ logs: LogFolder, _ purpose: String) throws -> FolderLock? {
    guard logs.exists else { throw missingFolder(logs) }
    guard !arguments[Travelog.dryRun] else { return nil }
    return try FolderLock(logs, wait: arguments[Travelog.lockWait], purpose: purpose)
  }
}
