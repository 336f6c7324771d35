import ChangeLog
import CommandLineKit
import Format
import Pipeline
import Store

/// The exit code and the text of an error; nil if the error has an unknown type.
func describe(_ error: any Error) -> CommandError? {
  if let error = error as? CommandError { return error }
  // If the process received a signal, the signal caused the failure.
  if let stopped = Interruption.requested { return stopped }
  return switch error {
  case let error as PipelineError:
    shown(error.wording, code: pipelineCodes[error.code], names: error.names)
  case let error as LogError:
    shown(error.wording, code: logCodes[error.code])
  case let error as StoreError:
    shown(Store.namingAppleStore(error).wording, code: storeCodes[error.code])
  default: nil
  }
}

/// Converts any error to the form in which errors are shown.
func shown(_ error: any Error) -> CommandError {
  describe(error) ?? CommandError(.failure, message: "\(error)")
}

/// Creates an error from its words.
///
/// If a known name is similar to the unknown name, the hint suggests the known name.
private func shown(
  _ wording: Wording,
  code: ExitCode?,
  names: (unknown: String, known: [String])? = nil
) -> CommandError {
  var error = CommandError(code ?? .failure) { wording }
  if let names, let meant = nearest(to: names.unknown, in: names.known) {
    error.hint = visible("Did you mean \(quotedValue(meant))?")
  }
  return error
}

extension CommandError {
  init(_ code: ExitCode, _ wording: () -> Wording) {
    let wording = wording()
    self.init(code, message: wording.message, hint: wording.hint.isEmpty ? nil : wording.hint)
  }
}

private let pipelineCodes: [PipelineError.Code: ExitCode] = [
  .missingLogs: .missing, .missing: .missing, .historyExpired: .historyGap,
  .historyDiverged: .diverged, .schemaMismatch: .schemaMismatch, .otherStore: .usage,
  .misuse: .usage,
  .stillThere: .failure, .unknownName: .missing, .unproven: .unproven,
]

private let logCodes: [LogError.Code: ExitCode] = [
  .missing: .missing, .notPermitted: .missing, .damaged: .unreadable, .incomplete: .unreadable,
  .newerFormat: .unreadable,
  .notALog: .unreadable, .gap: .missing, .locked: .locked, .filtered: .filteredLog,
  .unfinished: .unreadable, .stray: .unreadable, .missingTile: .unreadable, .refuted: .unreadable,
]

private let storeCodes: [StoreError.Code: ExitCode] = [
  .missing: .missing, .notPermitted: .missing, .missingBlob: .missing, .locked: .locked,
  .schemaMismatch: .schemaMismatch,
  .newerSchema: .schemaMismatch, .migrationRefused: .schemaMismatch, .notADatabase: .unreadable,
  .notAStore: .unreadable, .damaged: .unreadable, .newerFormat: .unreadable,
  .unreadableValue: .unreadable, .historyExpired: .historyGap, .historyDiverged: .diverged,
  .otherStore: .usage, .replayMismatch: .differs, .undoConflict: .differs,
]
