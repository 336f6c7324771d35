import Audit
import ChangeLog
import Changes
import CommandLineKit
import Pipeline
import Store

/// The exit code of an error, by what it is; nil for one that is just a failure.
func describe(_ error: any Error) -> CommandError? {
  // What fails after a signal fails because of it.
  if let stopped = Interruption.requested { return stopped }
  return switch error {
  case let error as PipelineError:
    CommandError(
      pipelineCodes[error.code] ?? .failure,
      error.message,
      hint: hint(error.hint, error.names)
    )
  case let error as AuditError:
    CommandError(
      auditCodes[error.code] ?? .failure,
      error.message,
      hint: hint(error.hint, error.names)
    )
  case let error as LogError:
    apart(logCodes[error.code] ?? .failure, error.message, hint: error.hint)
  case let error as StoreError:
    apart(storeCodes[error.code] ?? .failure, error.message, hint: error.hint)
  default: nil
  }
}

/// An error whose message ends with what to do.
private func apart(_ code: ExitCode, _ message: String, hint: String) -> CommandError {
  guard !hint.isEmpty, message.hasSuffix(" " + hint) else { return CommandError(code, message) }
  return CommandError(code, String(message.dropLast(hint.count + 1)), hint: hint)
}

/// A hint with the name that was most likely meant, instead of all there are.
private func hint(_ hint: String, _ names: (unknown: String, known: [String])?) -> String? {
  names.flatMap { nearest(to: $0.unknown, in: $0.known) }.map { "Did you mean “\($0)”?" }
    ?? (hint.isEmpty ? nil : hint)
}

private let pipelineCodes: [PipelineError.Code: ExitCode] = [
  .missingLogs: .missing, .missing: .missing, .historyExpired: .historyGap,
  .historyDiverged: .diverged, .schemaMismatch: .schemaMismatch, .otherStore: .usage,
  .misuse: .usage,
  .stillThere: .failure, .unknownName: .missing,
]

private let auditCodes: [AuditError.Code: ExitCode] = [
  .unknownName: .missing, .notFound: .missing, .ambiguous: .usage, .misuse: .usage,
  .schemaMismatch: .schemaMismatch, .historyExpired: .historyGap,
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
