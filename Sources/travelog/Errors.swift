import Audit
import ChangeLog
import CommandLineKit
import Pipeline
import Store

/// The exit code of an error, by what it is; nil for one that is just a failure.
func describe(_ error: any Error) -> CommandError? {
  switch error {
  case let error as PipelineError:
    CommandError(
      pipelineCodes[error.code] ?? .failure,
      error.message,
      hint: error.hint.isEmpty ? nil : error.hint
    )
  case let error as AuditError:
    CommandError(
      auditCodes[error.code] ?? .failure,
      error.message,
      hint: error.hint.isEmpty ? nil : error.hint
    )
  case let error as LogError: CommandError(logCodes[error.code] ?? .failure, error.message)
  case let error as StoreError: CommandError(storeCodes[error.code] ?? .failure, error.message)
  default: nil
  }
}

private let pipelineCodes: [PipelineError.Code: ExitCode] = [
  .missingLogs: .missing, .missing: .missing, .historyExpired: .historyGap,
  .historyDiverged: .diverged, .schemaMismatch: .schemaMismatch, .otherStore: .usage,
  .misuse: .usage,
  .stillThere: .failure, .unknownName: .missing,
]

private let auditCodes: [AuditError.Code: ExitCode] = [
  .unknownName: .missing, .notFound: .missing, .ambiguous: .usage, .misuse: .usage,
  .schemaMismatch: .schemaMismatch,
]

private let logCodes: [LogError.Code: ExitCode] = [
  .missing: .missing, .damaged: .unreadable, .incomplete: .unreadable, .newerFormat: .unreadable,
  .notALog: .unreadable, .gap: .missing, .locked: .locked, .partial: .partialLog,
  .unfinished: .unreadable,
]

private let storeCodes: [StoreError.Code: ExitCode] = [
  .missing: .missing, .missingBlob: .missing, .locked: .locked, .schemaMismatch: .schemaMismatch,
  .newerSchema: .schemaMismatch, .migrationRefused: .schemaMismatch, .notADatabase: .unreadable,
  .notAStore: .unreadable, .damaged: .unreadable, .newerFormat: .unreadable,
  .unreadableValue: .unreadable, .historyExpired: .historyGap, .historyDiverged: .diverged,
  .replayMismatch: .differs, .undoConflict: .differs,
]
